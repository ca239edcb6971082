import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { cases } from '../emulator/lab/cases.js';
import { askedOf, catalogues, histories } from './history.js';
import { pageOf } from './page.js';
import { DEFECTS, PAIRS, whyNotDistinct } from './pairs.js';
import { listClients } from './real/list.js';

const clients = await listClients();
const all = histories();
const results = all.flatMap(({ client, versions }) =>
  Object.entries(versions).map(([version, result]) => ({ name: `${client}@${version}`, result })),
);

test('the histories name only cases that there are, of those that the version was asked', () => {
  const ids = new Set(cases.map(({ id }) => id));
  expect(
    catalogues()
      .flat()
      .filter((id) => !ids.has(id)),
  ).toEqual([]);
  expect(results.length).toBeGreaterThan(0);
  for (const { name, result } of results) {
    const asked = new Set(askedOf(result));
    const { alternative, error = [], fail, hung = [] } = result;
    expect({ name, wrong: [...alternative, ...error, ...fail, ...hung].filter((id) => !asked.has(id)) }).toEqual({
      name,
      wrong: [],
    });
  }
});

test('every history is of a client of the folder', () => {
  const names = clients.map(({ name }) => name);
  expect(all.map(({ client }) => client).filter((name) => !names.includes(name))).toEqual([]);
});

/** The rows of a version, as its history keeps them. */
function rowsOf(client: string, version: string) {
  const result = all.find((history) => history.client === client)?.versions[version];
  if (result === undefined) return [];
  const bad = new Set([...result.fail, ...(result.error ?? [])]);
  return askedOf(result).map((id) => ({ id, verdict: bad.has(id) ? 'fail' : 'pass' }));
}

test.each(PAIRS)('the history tells $client $broken from $mended', (pair) => {
  expect(pair.cases.length).toBeGreaterThan(0);
  expect(pair.seen.length).toBeGreaterThan(0);
  expect(whyNotDistinct(pair, rowsOf(pair.client, pair.broken), rowsOf(pair.client, pair.mended))).toBeUndefined();
});

test.each(DEFECTS)(
  'the newest version of $client in its history has the defect of $cases',
  ({ client, cases: ids }) => {
    const newest = Object.values(all.find((history) => history.client === client)?.versions ?? {}).at(-1);
    expect(ids.filter((id) => !newest?.fail.includes(id))).toEqual([]);
  },
);

test('a pair of which one version is not asked, or both fail, is not distinguished', () => {
  const row = { id: 'chat-text', verdict: 'fail' };
  expect(whyNotDistinct({ cases: ['chat-text'] }, [row], [])).toContain('not asked of the mended one');
  expect(whyNotDistinct({ cases: ['chat-text'] }, [row], [row])).toContain('fail of the mended one');
  expect(whyNotDistinct({ cases: ['chat-text'] }, [row], [{ ...row, verdict: 'pass-alternative' }])).toBeUndefined();
});

test('docs/clients.md is made from the histories', () => {
  expect(readFileSync(join(import.meta.dirname, '../docs/clients.md'), 'utf8')).toBe(pageOf(clients));
});
