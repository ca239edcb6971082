import { expect, test } from 'vitest';
import { defaultFactories } from '../../emulator/factories.js';
import { ok } from '../model/assert.js';
import { defineChecks } from '../run/check.js';
import { checks } from '../scenarios/index.js';
import { mutants } from './index.js';
import { countKilled, readKillers } from './killers.js';
import { faults, idleChecks, isCaught, type Matrix, score, tryBaseline, tryMutant } from './matrix.js';
import { type Mutant, together } from './mutant.js';
import { wrap } from './operators/parts.js';
import { TRY } from './try.js';

const options = { ...TRY, runs: 1, now: () => 0 };

test('there are at least a hundred mutants, each under a name of its own', () => {
  expect(mutants.length).toBeGreaterThanOrEqual(100);
  expect(new Set(mutants.map(({ name }) => name)).size).toBe(mutants.length);
  for (const { name } of mutants) expect(name).toMatch(/^[a-z0-9]+(-[a-z0-9]+)*$/);
});

test('of every mutant it was computed which checks see it, and every check sees one', () => {
  const { atLeast, killers } = readKillers();
  const again = 'npm run mutants -- --all --only NAME';
  expect(Object.keys(killers).sort(), again).toEqual(mutants.map(({ name }) => name).sort());
  const known = new Set(checks.map(({ id }) => id));
  expect(
    Object.values(killers).flatMap((ids) => ids.filter((id) => !known.has(id))),
    again,
  ).toEqual([]);
  expect(Object.entries(killers).filter(([, ids]) => ids.length === 0)).toEqual([]);
  expect(idleChecks(killers, checks), again).toEqual([]);
  const now = countKilled(killers);
  expect(now.mutants).toBeGreaterThanOrEqual(atLeast.mutants);
  expect(now.checks).toBeGreaterThanOrEqual(Math.min(atLeast.checks, checks.length));
});

/** A check that a list without interns breaks, one that nothing breaks, and one of the kit's own mistakes. */
const sample = defineChecks({
  'sample/listed': {
    requirement: 'LIST-1',
    level: 'S',
    title: 'An intern is listed.',
    needs: ['write'],
    async run({ api, interns }) {
      const { id } = await interns.stopped();
      const { json } = await api.list();
      ok(JSON.stringify(json).includes(id), 'the list', 'the intern');
    },
  },
  'sample/never': {
    requirement: 'LIST-1',
    level: 'S',
    title: 'Nothing.',
    needs: [],
    run: async () => {},
  },
  'sample/mistaken': {
    requirement: 'LIST-1',
    level: 'S',
    title: 'A mistake of the kit.',
    needs: [],
    run: () => Promise.reject(new TypeError('mistaken')),
  },
});

const mutant = (over: Partial<Mutant>): Mutant => ({
  name: 'sample',
  mutation: wrap({ createInterns: (usual) => ({ ...usual, list: () => [] }) }),
  ...over,
});

const LISTED = ['sample/listed'];

const matrixOf = (results: Matrix['mutants'], over: Partial<Matrix> = {}): Matrix => ({
  mutants: results,
  baseline: { failing: [] },
  idle: [],
  checks: 1,
  ...over,
});

test('a mutant is caught by a check that fails', async () => {
  const result = await tryMutant(mutant({}), LISTED, sample, options);
  expect(result).toMatchObject({ caught: ['sample/listed'], missed: [], others: [], crashes: [] });
  expect(isCaught(result)).toBe(true);
  expect(score(matrixOf([result]))).toEqual({ mutants: { caught: 1, of: 1 }, checks: { proven: 1, of: 1 } });
  expect(faults(matrixOf([result]))).toEqual([]);
});

test('one that a check does not notice any more survives, a mistake of the kit is no catch, an unknown check is reported', async () => {
  const killers = ['sample/listed', 'sample/never', 'sample/mistaken', 'sample/none'];
  const result = await tryMutant(mutant({}), killers, sample, options);
  expect(result.missed.map(({ id, verdict }) => [id, verdict])).toEqual([
    ['sample/none', 'unknown'],
    ['sample/never', 'pass'],
    ['sample/mistaken', 'error'],
  ]);
  expect(isCaught(result)).toBe(false);
  expect(faults(matrixOf([result]))).toHaveLength(3);
});

test('what hangs is caught, however long the kit would wait', async () => {
  const hanging = mutant({
    mutation: {
      around: (next) => (request) =>
        request.method === 'GET' && request.url.endsWith('/interns') ? new Promise(() => {}) : next(request),
    },
  });
  const result = await tryMutant(hanging, LISTED, sample, options);
  expect(result).toMatchObject({ caught: ['sample/listed'], missed: [], crashes: [] });
});

test('a crash is no catch', async () => {
  const crashing = mutant({
    mutation: wrap({
      createInterns: (usual) => ({
        ...usual,
        list() {
          throw new TypeError('not made for this');
        },
      }),
    }),
  });
  const result = await tryMutant(crashing, LISTED, sample, options);
  expect(result.crashes[0]).toContain('not made for this');
  expect(isCaught(result)).toBe(false);
  expect(score(matrixOf([result])).checks.proven).toBe(0);
  expect(faults(matrixOf([result])).join()).toContain('crashes the emulator');
});

test('with all checks those that were not known to see a mutant are reported too', async () => {
  const result = await tryMutant(mutant({}), ['sample/never'], sample, { ...options, all: true });
  expect(result.others).toEqual(['sample/listed']);
});

test('a check that fails without any mutant is reported, and one that sees no mutant', async () => {
  const failing = sample.map((check) =>
    check.id === 'sample/never' ? { ...check, run: async () => ok(false, 'nothing', 'something') } : check,
  );
  const baseline = await tryBaseline(failing, TRY);
  expect(baseline.failing.map(({ id, verdict }) => [id, verdict])).toEqual([
    ['sample/never', 'fail'],
    ['sample/mistaken', 'error'],
  ]);
  const idle = idleChecks({ sample: LISTED }, sample);
  expect(idle).toEqual(['sample/never', 'sample/mistaken']);
  expect(faults(matrixOf([], { baseline, idle }))).toHaveLength(3);
});

test('several mutations of one part come one after another', () => {
  const mutation = together(
    wrap({ loadSettings: (usual) => ({ ...usual, keepalive: usual.keepalive + 1 }) }),
    wrap({ loadSettings: (usual) => ({ ...usual, keepalive: usual.keepalive * 2 }) }),
  );
  const usual = defaultFactories.loadSettings();
  expect(mutation.factories?.(defaultFactories).loadSettings?.()).toEqual({
    ...usual,
    keepalive: (usual.keepalive + 1) * 2,
  });
});
