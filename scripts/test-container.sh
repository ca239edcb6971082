#!/bin/bash
# Builds the image of Dockerfile and runs compose.yaml, with podman: bash scripts/test-container.sh [TARBALL]
#
# No registry of images is asked: the base is made of this machine's own Node, npm and shell. So nothing is said here of
# the base that the Dockerfile names, nor of Docker. With a tarball the image is made of that, as a release does; without
# one the Dockerfile builds this clone. INTERN_EMULATOR_PORT and the next port must be free.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
tarball=${1:-}
name=intern-emulator-try-$$
work=$(mktemp -d)
export INTERN_EMULATOR_DAEMON_PORT=$((INTERN_EMULATOR_PORT + 1))
here=http://127.0.0.1:$INTERN_EMULATOR_PORT
key='Authorization: Bearer emu-key-alice-0000000000000000'

# Limits that a container may have in a container too, and runc where it is: crun refuses some kernels' control groups.
export CONTAINERS_CONF=$work/containers.conf
cat >"$CONTAINERS_CONF" <<END
[engine]
events_logger = "file"
$(if command -v runc >"$work/runc"; then echo 'runtime = "runc"'; fi)
[containers]
default_ulimits = ["nofile=1024:1024", "nproc=1024:1024"]
END

# podman says on each call that no systemd runs the health check by itself: here it is run by hand.
quiet() { "$@" 2>"$work/errors" || { cat "$work/errors" >&2; return 1; }; }
compose() { quiet podman-compose -p "$name" -f "$root/compose.yaml" "$@" >"$work/compose.log" 2>&1 || { cat "$work/compose.log" >&2; return 1; }; }
clean() {
  status=$?
  set +e
  if [ $status -ne 0 ]; then podman logs "${name}_interns_1"; fi
  podman rm -f -t 1 "${name}_interns_1"
  podman volume rm -f "${name}_interns"
  podman network rm -f "${name}_default"
  podman rmi -f "localhost/${name}_interns" "localhost/$name"
  rm -rf "$work"
  exit $status
} >/dev/null 2>&1
trap clean EXIT

base() {
  local files=$work/base npm
  mkdir -p "$files/usr/bin" "$files/tmp" "$files/root"
  ln -s usr/bin "$files/bin"
  for tool in "$(command -v node)" /bin/sh "$(command -v mkdir)" "$(command -v env)"; do
    cp -L "$tool" "$files/usr/bin/"
    ldd "$tool" | grep -o '/[^ )]*' | while read -r library; do
      mkdir -p "$files$(dirname "$library")"
      cp -L "$library" "$files$library"
    done
  done
  npm=$(dirname "$(dirname "$(readlink -f "$(command -v npm)")")")
  mkdir -p "$files$npm"
  cp -r "$npm/." "$files$npm"
  ln -s "$npm/bin/npm-cli.js" "$files/usr/bin/npm"
  tar -C "$files" -c . | quiet podman import -q --change 'ENV npm_config_prefer_offline=true' \
    --change 'ENV npm_config_cache=/npm-cache' --change "ENV NODE_EXTRA_CA_CERTS=${NODE_EXTRA_CA_CERTS:-}" \
    - "localhost/$name" >/dev/null
  rm -r "$files"
}

base
given=()
if [ -n "$tarball" ]; then
  mkdir "$work/package"
  cp "$tarball" "$work/package/package.tgz"
  given=(--build-arg PACKAGE=/package/package.tgz -v "$work/package:/package:ro")
fi
podman build -q --format docker --layers=false --isolation chroot --network host --build-arg "BASE=localhost/$name" "${given[@]}" \
  -v "$(npm config get cache 2>"$work/errors"):/npm-cache" -v /etc/ssl/certs:/etc/ssl/certs:ro \
  -v /etc/resolv.conf:/etc/resolv.conf:ro -t "localhost/${name}_interns" "$root" >"$work/build.log" 2>&1 ||
  { cat "$work/build.log" >&2; exit 1; }
echo "built"

it=${name}_interns_1
healthy() { podman healthcheck run "$it" >"$work/health" 2>&1; }
up() {
  compose up -d --no-build
  until healthy; do
    [ "$(podman inspect "$it" --format '{{.State.Running}}')" = true ]
    sleep 0.2
  done
}
up
echo "healthy"
podman exec "$it" node -e "
  const { readFileSync, writeFileSync, readdirSync } = require('node:fs');
  const written = (file) => { try { writeFileSync(file, ''); return 'written'; } catch ({ code }) { return code; } };
  const [capabilities] = /CapEff:.*/.exec(readFileSync('/proc/1/status', 'utf8'));
  const native = readdirSync('/app', { recursive: true }).filter((file) => file.endsWith('.node'));
  console.log('user', process.getuid(), capabilities.replace(/\s+/, ' '), '/app', written('/app/x'), 'native', native.length);" 2>"$work/errors"

curl -sf "$here/api/v1/interns" -H "$key" -H 'Content-Type: application/json' \
  -d '{"name": "kept-intern", "workspace_id": "0a000000-0000-4000-8000-000000000001"}' >"$work/created"
curl -sf -H 'Authorization: Bearer only-for-development' "$here/_emulator/target" | grep -o '"base_url":"[^"]*"'
if curl -sf "$here/_emulator/target"; then echo 'the control interface needs no token' >&2; exit 1; fi
[ "$(curl -s -o "$work/daemon" -w '%{http_code}' "http://127.0.0.1:$INTERN_EMULATOR_DAEMON_PORT/")" = 401 ]

quiet podman kill -s STOP "$it" >"$work/killed"
if healthy; then echo 'healthy while it hangs' >&2; exit 1; fi
quiet podman kill -s KILL "$it" >"$work/killed"
quiet podman wait "$it" >"$work/waited" || true
quiet podman rm -f "$it" >"$work/removed"
up
curl -sf "$here/api/v1/interns" -H "$key" | grep -o kept-intern

quiet podman stop -t 10 "$it" >"$work/stopped"
echo "ended with $(podman inspect "$it" --format '{{.State.ExitCode}}')"
