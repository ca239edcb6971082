#!/usr/bin/env bash
# Runs a command where no tool is in reach that tests may need beside Node, npm and git (test/tools.ts): each folder of PATH
# that holds one is covered by an overlay without it, in a mount namespace of this command alone. Takes root, on Linux.
#
#   bash scripts/bare.sh npm test
set -euo pipefail
[ $# -gt 0 ] || { echo 'usage: scripts/bare.sh COMMAND…' >&2; exit 2; }
if ! unshare --mount true 2>/dev/null; then
  echo 'scripts/bare.sh: nothing can be hidden here: that takes root, and a mount namespace' >&2
  exit 3
fi
work=$(mktemp -d)
trap 'rmdir "$work"' EXIT
unshare --mount bash -c '
  set -euo pipefail
  shopt -s nullglob
  work=$1
  shift
  mount -t tmpfs tmpfs "$work"
  IFS=: read -ra path <<<"$PATH"
  declare -A covered
  for given in "${path[@]}"; do
    folder=$(realpath -q "$given") || continue
    tools=("$folder"/{bash,chromium*,google-chrome*,curl,openssl,python*,pytest*})
    for at in "${!tools[@]}"; do [ -e "${tools[at]}" ] || [ -L "${tools[at]}" ] || unset "tools[at]"; done
    [ ${#tools[@]} -gt 0 ] && [ -z "${covered[$folder]:-}" ] || continue
    covered[$folder]=1
    mkdir -p "$work$folder"/{upper,work}
    mount -t overlay overlay -o "lowerdir=$folder,upperdir=$work$folder/upper,workdir=$work$folder/work" "$folder"
    hidden+=("${tools[@]}")
  done
  [ -z "${hidden:-}" ] || rm -f "${hidden[@]}"
  unset CHROMIUM_PATH
  exec "$@"
' bare "$work" "$@"
