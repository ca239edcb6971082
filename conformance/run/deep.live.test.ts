import { expect, test } from 'vitest';
import { MAX_NESTING } from '../../emulator/contract/nesting.js';
import { rewritten } from '../../emulator/wire/answer.js';
import type { Serve } from '../../emulator/wire/serve.js';
import { closing } from '../../test/closing.js';
import { deploy } from '../../test/targets/deployment.js';
import { REPORT_KINDS, REPORTERS } from '../report/index.js';
import { run } from '../run.js';

/** A JSON text of so many levels. */
const nest = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`;
/** A placeholder in an answer until its text is put together: no value is nested so deep that it could be written. */
const MARK = '"here it is deep"';

/** Puts a nest into the answers that `into` marks. */
const deep =
  (levels: number, into: (request: Request, json: Record<string, unknown>, status: number) => void): Serve =>
  (next) =>
  async (request) => {
    const response = await next(request);
    const { status } = response;
    const changed = await rewritten(response, {
      json(json) {
        into(request, json as Record<string, unknown>, status);
      },
      text: (event) => {
        const data = /^data: (\{.*\})$/s.exec(event)?.[1];
        if (data === undefined) return `${event}\n\n`;
        const json = JSON.parse(data) as Record<string, unknown>;
        into(request, json, 0);
        return `data: ${JSON.stringify(json)
          .replaceAll(MARK, nest(levels))
          .replaceAll('"\\"here\\""', JSON.stringify(nest(levels)))}\n\n`;
      },
    });
    if (!/json/.test(changed.headers.get('content-type') ?? '') || changed.body === null) return changed;
    const text = (await changed.text()).replaceAll(MARK, nest(levels));
    return new Response(text, { status, headers: changed.headers });
  };
const here = JSON.parse(MARK) as string;

const PLACES: readonly [string, (request: Request, json: Record<string, unknown>, status: number) => void][] = [
  [
    'answers to a create',
    ({ method, url }, json, status) => {
      if (method === 'POST' && url.endsWith('/interns') && status < 300) json.more = here;
    },
  ],
  [
    'each record that is read',
    ({ method }, json, status) => {
      if (method === 'GET' && status === 200 && typeof json.id === 'string') json.more = here;
    },
  ],
  [
    'refusals',
    (_, json, status) => {
      if (status >= 400) (json.error as Record<string, unknown>).metadata = here;
    },
  ],
  [
    'events of streams',
    (_, json, status) => {
      if (status === 0) json.more = here;
    },
  ],
  [
    'the reason for which a stream ends',
    (_, json, status) => {
      const [choice] = (json.choices ?? []) as Record<string, unknown>[];
      if (status === 0 && choice !== undefined && choice.finish_reason !== null) choice.finish_reason = here;
    },
  ],
  [
    'arguments of a question',
    (_, json, status) => {
      const [choice] = (json.choices ?? []) as { delta?: { tool_calls?: { function?: Record<string, unknown> }[] } }[];
      for (const call of choice?.delta?.tool_calls ?? [])
        if (status === 0 && call.function !== undefined) call.function.arguments = '"here"';
    },
  ],
];

async function results(name: string, serve: Serve) {
  const { driver, host } = closing(await deploy({ name, obeys: 1, wrong: [serve] }, 'deep'));
  return await run({ driver, host, seed: 'deep', rate: 0 });
}

test.each(PLACES)(
  'JSON 20,000 levels deep in %s is a finding, and can be reported',
  { timeout: 300_000 },
  async (place, into) => {
    const found = await results(place, deep(20_000, into));
    expect(found.checks.flatMap(({ error }) => error?.message ?? [])).toEqual([]);
    expect(found.counts.fail).toBeGreaterThan(0);
    expect(found.exit).toBe(1);
    for (const kind of REPORT_KINDS) expect(REPORTERS[kind](found).length).toBeGreaterThan(100);
  },
);

test.each(PLACES.slice(0, 2))('JSON as deep as is read in %s is none', { timeout: 300_000 }, async (place, into) => {
  const found = await results(place, deep(MAX_NESTING - 2, into));
  expect(found.checks.flatMap(({ finding, error }) => finding?.what ?? error?.message ?? [])).toEqual([]);
  expect(found.exit).toBe(0);
});

test('a list 20,000 levels deep is reported before anything is created', async () => {
  const found = await results(
    'lists',
    deep(20_000, ({ method, url }, json) => {
      if (method === 'GET' && /\/interns(\?|$)/.test(url)) json.more = here;
    }),
  );
  expect(found).toMatchObject({ exit: 3, cleanup: { created: 0 }, counts: { error: 0, fail: 0 } });
  expect(found.reasons.join()).toMatch(/too deep: JSON of more than 1000 levels/);
});
