#!/usr/bin/env bash
# Runs every benchmark, one after another, on an otherwise idle machine; exits 1 where a target was missed.
set -uo pipefail
cd "$(dirname "$0")/.."
npm ci --silent --prefix bench && npm run -s build || exit 2
missed=0
for bench in startup requests watching store streams waiting deadlines paced sign sign-streams nonces split snapshots spaces explore recorder console report lab kit; do
  echo "== $bench"
  node --expose-gc --import tsx "bench/$bench.ts" || missed=1
done
echo "== size"
npm run -s test:pack | grep installed || missed=1
echo "== deviations"
npm run -s deviations | tail -3 || missed=1
exit $missed
