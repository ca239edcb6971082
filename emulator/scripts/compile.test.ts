// biome-ignore-all lint/suspicious/noThenProperty: the name of a branch in the published script format
import { readdirSync, readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, test } from 'vitest';
import { QUICK } from '../testing/quick.harness.js';
import type { BehaviourEvent, Turn } from './behaviour.js';
import { compileScript } from './compile.js';
import { ScriptInvalid } from './problems.js';
import { stockBehaviours } from './stock.js';

const published = JSON.parse(readFileSync('schemas/script.schema.json', 'utf8')) as object;
const validate = new Ajv2020(QUICK).compile(published);

const problems = (source: unknown): readonly string[] => {
  try {
    compileScript(source, { file: 'x.json' });
    return [];
  } catch (error) {
    if (error instanceof ScriptInvalid) return error.problems;
    throw error;
  }
};

const question = { kind: 'elicitation', message: '?', fields: [{ name: 'n', type: 'integer', required: true }] };

describe('the published JSON Schema', () => {
  test('takes every stock script', () => {
    const files = readdirSync('fixtures/scripts');
    expect(files.length).toBeGreaterThan(15);
    for (const file of files) {
      const source: unknown = JSON.parse(readFileSync(`fixtures/scripts/${file}`, 'utf8'));
      expect(validate(source), file).toBe(true);
      expect(compileScript(source, { file }).name).toBe(file.replace('.json', ''));
    }
  });

  test('every stock script of the contract is there', () => {
    expect(
      stockBehaviours()
        .map((behaviour) => behaviour.name)
        .sort(),
    ).toEqual(
      'ask-permission ask-permission-twice ask-question ask-then-silent ask-twice boot-fails boot-hangs cancelled daemon-unreachable deadline echo fails lone-surrogate long never-ends no-usage refuses says-nothing severed silent slow teardown-fails teardown-hangs unicode unreachable use-secret vault-fails-once'.split(
        ' ',
      ),
    );
  });
});

describe('errors name the JSON path and what was expected', () => {
  test.each<[unknown, RegExp]>([
    [{}, /^name: missing/],
    [{ name: 'a b' }, /^name: expected letters/],
    [{ name: 'a', turns: [] }, /^the script: there is no "turns" here \(did you mean turn\?\)/],
    [{ name: 'a', turn: {} }, /^turn: .*array/],
    [{ name: 'a', turn: ['hi'] }, /^turn\[0\]: expected a step, an object with one of reason, say/],
    [{ name: 'a', turn: [{ shout: 'x' }] }, /^turn\[0\]: expected a step with one of .*; found "shout"/],
    [{ name: 'a', turn: [{ say: 'x', reason: 'y' }] }, /^turn\[0\]: expected one kind of step, found reason and say/],
    [{ name: 'a', turn: [{ say: 7 }] }, /^turn\[0\]\.say: expected a string/],
    [
      { name: 'a', turn: [{ say: 'x', every: '20' }] },
      /^turn\[0\]\.every: expected milliseconds, or a duration such as/,
    ],
    [{ name: 'a', turn: [{ say: 'x', chunks: 0 }] }, /^turn\[0\]\.chunks: /],
    [{ name: 'a', turn: [{ wait: '0.0001ms' }] }, /^turn\[0\]\.wait: expected a whole number/],
    [{ name: 'a', turn: [{ ask: { kind: 'permission', operation: 'x', options: [] } }] }, /^turn\[0\]\.ask\.options: /],
    [{ name: 'a', turn: [{ ask: { kind: 'other' } }] }, /^turn\[0\]\.ask\.kind: /],
    [
      { name: 'a', turn: [{ ask: { ...question, fallback: { action: 'accept', content: { n: 'x' } } } }] },
      /^turn\[0\]\.ask\.fallback: content\.n: expected integer/,
    ],
    [
      { name: 'a', turn: [{ when: { ok: 'x' } }] },
      /^turn\[0\]\.when\.ok: expected the "as" of an earlier ask or release; there is none/,
    ],
    [
      {
        name: 'a',
        turn: [
          { ask: question, as: 'q' },
          { when: { q: 'accept' }, then: [{ say: 1 }] },
        ],
      },
      /^turn\[1\]\.then\[0\]\.say: expected a string/,
    ],
    [{ name: 'a', turn: [{ end: 'stop' }, { say: 'x' }] }, /^turn\[1\]: unreachable, because it follows an end/],
    [{ name: 'a', turn: [{ end: 'finish' }] }, /^turn\[0\]\.end: .*"stop"/],
    [{ name: 'a', turn: [{ end: 'stop', retryable: true }] }, /belong to "end": "failed"/],
    [{ name: 'a', lifecycle: { boot: { ends: 'well' } } }, /^lifecycle\.boot\.ends: /],
    ['nothing', /^the script: expected an object/],
  ])('%j', (source, expected) => {
    const found = problems(source);
    expect(found).toHaveLength(1);
    expect(found[0]).toMatch(expected);
  });

  test('the error names the file', () => {
    expect(() => compileScript({}, { file: 'scripts/deploy.json' })).toThrow(/^scripts\/deploy\.json: name: /);
  });

  test('several problems are reported together', () => {
    expect(problems({ name: 'a', turn: [{ say: 7 }, { wait: 'x' }] })).toHaveLength(2);
  });
});

/** The events of a script whose asks are answered with `answers`. */
async function play(source: object, answers: unknown[] = []) {
  const context = {
    release: (name: string, to: string) => (name === 'held' && to === 'api.test' ? 'released' : 'refused: missing'),
  };
  const turn = compileScript({ name: 'x', ...source }, { file: 'x' }).turn({} as Turn, context as never);
  const events: BehaviourEvent[] = [];
  for (let step = await turn.next(); !step.done; ) {
    events.push(step.value);
    step = await turn.next('ask' in step.value ? (answers.shift() as never) : undefined);
  }
  return events;
}

describe('compiled scripts', () => {
  test('VAULT-9: a release says its verdict, and when branches on it by its name or that of the secret', async () => {
    const asks = [
      { release: 'held', to: 'api.test' },
      { release: 'other', to: 'api.test', as: 'second' },
      { when: { held: 'released', second: 'refused: missing' }, then: [{ say: 'So.' }], else: [{ say: 'No.' }] },
    ];
    expect(await play({ turn: asks })).toEqual([{ say: 'released' }, { say: 'refused: missing' }, { say: 'So.' }]);
  });

  test.each([
    [{ action: 'accept', content: { n: 1, m: [1, { a: 2 }] } }, { q: { m: [1, { a: 2 }] } }, true],
    [{ action: 'accept', content: { n: 1, m: 2 } }, { q: { n: 1, m: 3 } }, false],
    [{ action: 'accept', content: { n: 1, m: [1] } }, { q: { m: [1, 2] } }, false],
    [{ action: 'accept', content: { n: '1' } }, { q: { n: 1 } }, false],
    [{ action: 'cancel' }, { q: { n: 1 } }, false],
  ])('when the answer is %j, %j is met: %s', async (answer, when, met) => {
    const events = await play(
      {
        turn: [
          { ask: question, as: 'q' },
          { when, then: [{ say: 'yes' }], else: [{ say: 'no' }] },
        ],
      },
      [answer],
    );
    expect(events.at(-1)).toEqual({ say: met ? 'yes' : 'no' });
  });

  test('branches nest, and what follows them goes on', async () => {
    const events = await play(
      {
        turn: [
          { ask: question, as: 'a' },
          {
            when: { a: 'accept' },
            then: [
              { ask: question, as: 'b' },
              { when: { a: 'accept', b: 'decline' }, then: [{ say: '1' }] },
            ],
          },
          { say: '2' },
        ],
      },
      [{ action: 'accept' }, { action: 'decline' }],
    );
    expect(events.slice(2)).toEqual([{ say: '1' }, { say: '2' }]);
  });

  test('what a lifecycle leaves out is the default', () => {
    const { lifecycle } = compileScript(
      { name: 'x', lifecycle: { boot: { after: '2s' }, teardown: { ends: 'hangs' }, daemon: 'unreachable' } },
      { file: 'x' },
    );
    expect(lifecycle).toEqual({
      boot: { after: 2_000, steps: ['Creating disk', 'Starting runtime'], ends: 'running' },
      teardown: { after: 1_000, ends: 'hangs' },
      daemon: 'unreachable',
    });
  });
});
