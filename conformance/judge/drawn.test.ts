import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { folderOfFile } from '../../test/folders.js';
import { runs } from '../../test/same-draws.js';
import { converse, type Drawn } from './drawn.harness.js';
import { exchangeBy } from './exchange.js';
import { judgeFiles } from './files.js';
import { readEntry } from './har.js';
import { createJudge, type Judge } from './judge.js';

type Json = Record<string, unknown>;

const folder = folderOfFile('drawn-');

const broken = (judge: Judge) =>
  judge
    .report({ failOn: 'once' })
    .checks.flatMap(({ id, finding, error }) =>
      finding === undefined && error === undefined ? [] : [{ id, finding, error }],
    );

/** The facts of an exchange: how long it was under way before and after the emulator answered, in ms, and its kept part. */
const FATE = fc.record({
  before: fc.nat(3_000),
  after: fc.nat(3_000),
  is: fc.constantFrom(
    ...['kept', 'kept', 'kept', 'kept', 'left out', 'no answer', 'answer cut', 'request cut', 'redacted'],
  ),
});
const KEPT = { before: 0, after: 0, is: 'kept' };
type Fate = typeof FATE extends fc.Arbitrary<infer Of> ? Of : never;

/** An entry as its file has it. */
function entryOf({ at, entry }: Drawn, { before, after, is }: Fate, anonymous: boolean): Json {
  const { request, response } = structuredClone(entry) as { request: Json; response: Json };
  const text = String((response.content as Json).text);
  if (is === 'answer cut') response.content = { size: Buffer.byteLength(text), text: text.slice(0, text.length / 2) };
  if (is === 'no answer') Object.assign(response, { status: 0, headers: [], content: {} });
  if (is === 'request cut') delete request.postData;
  if (anonymous) request.headers = (request.headers as Json[]).filter(({ name }) => name !== 'authorization');
  const shown = { startedDateTime: new Date(at - before).toISOString(), time: before + after, request, response };
  return is === 'redacted' ? JSON.parse(JSON.stringify(shown).replace(/[0-9a-f-]{36}/g, '[REDACTED]')) : shown;
}

/** Smaller cases that are tried one after the other, each of the same conversation: another seed is no smaller one. */
const SHRINKS = 300;
const cases = fc.limitShrink(
  fc.record({
    talk: fc.noShrink(fc.nat(1_000_000)),
    fates: fc.array(FATE, { minLength: 100, maxLength: 100 }),
    from: fc.nat(30),
    order: fc.infiniteStream(fc.nat()),
    anonymous: fc.constantFrom(false, false, true),
  }),
  SHRINKS,
);
type Case = typeof cases extends fc.Arbitrary<infer Of> ? Of : never;

/** The breaches in a HAR that has some of a conversation, of several callers, in any order of overlapping times. */
async function inFile(drawn: readonly Drawn[], { fates, from, order, anonymous }: Case) {
  const entries = drawn.flatMap((one, at) => {
    const fate = fates[at];
    return fate === undefined || at < from || fate.is === 'left out' ? [] : [entryOf(one, fate, anonymous)];
  });
  const places = entries.map((entry) => ({ entry, place: order.next().value as number }));
  const file = join(folder, 'one.har');
  writeFileSync(
    file,
    JSON.stringify({ log: { entries: places.sort((a, b) => a.place - b.place).map(({ entry }) => entry) } }),
  );
  const judge = createJudge();
  await judgeFiles(judge, [file], { warn() {} });
  return broken(judge);
}

/** The breaches where all of it passed the judge, from some moment on. */
function inPassing(drawn: readonly Drawn[], { fates, from }: Case) {
  const judge = createJudge({ whole: true });
  const read = drawn.slice(from).flatMap((one, at) => {
    const fate = fates[at] ?? KEPT;
    // An exchange passes the judge as it is.
    const shown = fate.is === 'left out' || fate.is === 'redacted' ? KEPT : fate;
    return readEntry(entryOf(one, shown, false), 'an entry')?.parts ?? [];
  });
  const moments = read
    .sort((a, b) => a.at - b.at)
    .flatMap((parts, number) => {
      const exchange = exchangeBy({ ...parts, number: number + 1 }, judge.profile.tool_name);
      const { at } = parts.answer ?? { at: Number.POSITIVE_INFINITY };
      return [
        { at: parts.at, order: 0, does: () => judge.asks(exchange.asked) },
        { at, order: 1, does: () => judge.sees(exchange) },
      ];
    });
  for (const { does } of moments.sort((a, b) => (a.at === b.at ? a.order - b.order : a.at < b.at ? -1 : 1))) does();
  return broken(judge);
}

/** The conversation of a seed; the latest is kept, since smaller cases are about the same one. */
let latest: { readonly talk: number; readonly drawn: ReturnType<typeof converse> } | undefined;
function conversationOf(talk: number): ReturnType<typeof converse> {
  if (latest?.talk !== talk) latest = { talk, drawn: converse(talk) };
  return latest.drawn;
}

test('no part of a right conversation is blamed that a HAR has, nor where it passed the judge from some moment on', async () => {
  await fc.assert(
    fc.asyncProperty(cases, async (one) => {
      const drawn = await conversationOf(one.talk);
      expect(await inFile(drawn, one)).toEqual([]);
      expect(inPassing(drawn, one)).toEqual([]);
    }),
    { numRuns: runs(40) },
  );
}, 0);
