#!/usr/bin/env bash
# Runs every benchmark, or those that are named, one after another, on an otherwise idle machine; exits 1 where a target was
# missed. With --write the figures go into the table of docs/benchmarks.md: npm run bench -- --write requests streams
set -uo pipefail
cd "$(dirname "$0")/.."
npm ci --silent --prefix bench && npm run -s build || exit 2
if [ "${1:-}" = --write ]; then
  shift
  BENCH_ROWS=$(mktemp)
  export BENCH_ROWS
fi
named=("$@")
[ $# = 0 ] && named=(startup requests watching store streams waiting deadlines paced sign sign-streams spaces held explore recorder judge console report lab kit finding)
missed=0
for bench in "${named[@]}"; do
  echo "== $bench"
  node --expose-gc --import tsx "bench/$bench.ts" || missed=1
done
if [ $# = 0 ]; then
  echo "== size"
  npm run -s test:pack | grep installed || missed=1
  echo "== mutants"
  npm run -s mutants | tail -3 || missed=1
fi
[ -s "${BENCH_ROWS:-}" ] && npx tsx bench/table.ts "$BENCH_ROWS"
exit $missed
