// How many wrong clients the client lab finds, of a sample by a writer who had seen none of its cases, and which odd but
// lawful ones it blames. Each runs through the whole lab by its adapter, until the first case that it fails.
//
//   npx tsx bench/independent/clients36/run.ts [--only NAME,NAME] [--part 1/2] [--cuts few] [--patience 3] [--at-once 1]

import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { runClient } from '../../../conformance/clients/run-client.js';
import { systemHost } from '../../../conformance/probe/time.js';
import type { ClientCase } from '../../../emulator/contract/client-case.js';
import { cases } from '../../../emulator/lab/cases.js';
import { type Area, type ClientWay, lawful, wrong } from './ways.js';

const { values } = parseArgs({
  options: {
    only: { type: 'string' },
    part: { type: 'string', default: '1/1' },
    cuts: { type: 'string', default: 'few' },
    patience: { type: 'string', default: '3' },
    'at-once': { type: 'string', default: '1' },
  },
});
const only = values.only?.split(',');
const [part = 1, parts = 1] = values.part.split('/').map(Number);
const client = fileURLToPath(new URL('client.mjs', import.meta.url));

/** Whether a case is one of an area, which is only a guess of where to begin. */
function concerns(area: Area | undefined, { id, layer, needs = [] }: ClientCase): boolean {
  if (area === 'proof') return layer === 'signing';
  if (area === 'stream') return id.startsWith('sse-');
  if (area === 'silence') return needs.includes('idle') || needs.includes('abort');
  return (
    needs.length === 0 && (area === 'http' ? id.startsWith('http-') : area !== undefined && id.startsWith('chat-'))
  );
}

/** The cases that a client fails: all, or until the first that fails. */
async function failed(name: string, some: readonly ClientCase[], all: boolean): Promise<readonly ClientCase[]> {
  const over = new AbortController();
  const checkEnd = ({ verdict }: { readonly verdict: string }) =>
    verdict === 'fail' && !all ? over.abort() : undefined;
  const { checks } = await runClient({
    command: [process.execPath, client, name],
    cases: some,
    cuts: values.cuts as 'few',
    patience: Number(values.patience),
    seed: 'independent',
    host: systemHost,
    signal: over.signal,
    events: { checkEnd },
    err: (text) => void process.stderr.write(text),
  });
  const ids = new Set(checks.filter(({ verdict }) => verdict === 'fail' || verdict === 'error').map(({ id }) => id));
  return some.filter(({ id }) => ids.has(id));
}

/** The cases that a client fails again and again: a busy machine fails others once. */
async function failedBy({ name, area }: ClientWay, all: boolean): Promise<readonly string[]> {
  let left = cases.toSorted((one, other) => Number(concerns(area, other)) - Number(concerns(area, one)));
  for (;;) {
    const once = await failed(name, left, all);
    let held = once;
    for (let times = 0; times < 2 && held.length > 0; times++) held = await failed(name, held, true);
    if (all || held.length > 0 || once.length === 0) return held.map(({ id }) => id);
    left = left.filter((one) => !once.includes(one));
  }
}

const missed: string[] = [];
const blamed: string[] = [];
let counted = 0;
const left = [...wrong, { name: 'right', suffers: '' }, ...lawful].filter(({ name }, at) =>
  only === undefined ? at % parts === part - 1 : only.includes(name),
);
const worker = async () => {
  for (let way = left.shift(); way !== undefined; way = left.shift()) {
    const isWrong = wrong.includes(way);
    const by = await failedBy(way, !isWrong);
    console.log(`${isWrong ? 'wrong' : 'lawful'} ${way.name}: ${by.join(', ') || 'no case'}`);
    if (isWrong) counted += 1;
    if (isWrong && by.length === 0) missed.push(way.name);
    if (!isWrong && by.length > 0) blamed.push(`${way.name} (${by.join(', ')})`);
  }
};
// Most of a run is waiting.
await Promise.all(Array.from({ length: Number(values['at-once']) }, worker));
console.log(`Found ${counted - missed.length} of ${counted} wrong clients. Missed: ${missed.join(', ') || 'none'}`);
console.log(`Blamed lawful ones: ${blamed.join('; ') || 'none'}`);
process.exit(0);
