import { readFileSync } from 'node:fs';
import { Ajv } from 'ajv';
import formats from 'ajv-formats';
import { describe, expect, test } from 'vitest';
import { HOSTILE, sampleResults } from '../../test/targets/sample-results.js';
import type { AnswerGot, Mistake, Wanted } from '../model/finding.js';
import { lacking } from '../model/skip.js';
import type { Need } from '../model/target.js';
import type { CheckResult } from '../run/results.js';
import { coverage, matrix } from '../run/verdict.js';
import { groups } from './groups.js';
import { REPORT_KINDS, REPORTERS } from './index.js';
import { readResults, reportOf } from './json.js';

const results = sampleResults();

describe.each(REPORT_KINDS.filter((kind) => kind !== 'json' && kind !== 'badge'))('%s', (kind) => {
  const text = REPORTERS[kind](results);

  test('says verdict, failing checks and how to do them again', () => {
    expect(text).toMatch(/does not conform|failure/);
    expect(text).toContain('chat/fails');
    expect(text).toContain('--seed 1 --runs 3 --path p:0:1');
  });

  test('lets no control character of a target through', () => {
    const found = [...text].filter(
      (character) => /[\p{Cc}\p{Bidi_Control}]/u.test(character) && !/[\n\t]/.test(character),
    );
    expect(found).toEqual([]);
  });
});

describe('at a deployment, where a check was left out that only an emulator can be asked for', () => {
  const [passes] = results.checks;
  const checks = [
    ...results.checks,
    ...['clock', 'control'].map((need) => ({
      ...passes,
      id: `emulator/${need}`,
      requirement: 'EMU-1',
      verdict: 'skip' as const,
      skip: lacking({ kind: 'lacks', need: need as Need }).skip,
    })),
  ] as CheckResult[];
  const deployed = { ...results, checks, coverage: coverage(checks) };

  test.each(REPORT_KINDS)('%s leads with what shows from outside', (kind) => {
    const text = REPORTERS[kind](deployed);
    const json = { checked: 5, of: 6, not: [{ why: 'need a moment', count: 1 }] };
    if (kind === 'json') expect(JSON.parse(text).coverage).toMatchObject({ checked: 5, of: 8, headline: json });
    else expect(text).toMatch(/5 of 6 checked/);
    if (kind !== 'json') expect(text).not.toMatch(/5 of 8|3 not|need a control interface/);
  });

  test.each(['tty', 'json', 'html', 'markdown', 'ctrf'] as const)(
    '%s tells of requirements, and quietly of emulators',
    (kind) => {
      const text = REPORTERS[kind](deployed);
      const data = kind === 'json' || kind === 'ctrf';
      expect(text).toContain(
        data ? '2 of 2 requirements that a deployment can show were checked' : '0 of 2 requirements held',
      );
      expect(text).toContain('2 more checks for emulators only');
      expect(REPORTERS[kind](results)).not.toMatch(/from outside|emulator only/);
    },
  );
});

test.each(['tty', 'markdown', 'junit', 'ctrf', 'html'] as const)(
  '%s shows the slice of a finding with what it rests on, and how many exchanges show it',
  (kind) => {
    const [first] = results.checks.flatMap(({ finding }) => finding?.transcript ?? []);
    const transcript = [3, 4, 5, 6, 7, 8, 9].map((number) => ({ ...first, number, response: undefined }));
    const checks = results.checks.map((check) =>
      check.finding === undefined
        ? check
        : {
            ...check,
            judged: 340,
            brokenBy: 12,
            brokenIn: ['create 201', 'get 200'],
            finding: { ...check.finding, transcript, exchange: 8, restsOn: [3] },
          },
    );
    const text = REPORTERS[kind]({ ...results, checks } as never);
    expect(text).toContain('12 of 340 judged exchanges: create 201, get 200');
    expect(text.replace(/&#?\w+;/g, '')).toMatch(/established what was expected[\s\S]*shows it/);
    if (kind === 'tty')
      expect(text.match(/^ {2}#\d.*$/gm)?.slice(0, 2)).toEqual([
        expect.stringMatching(/^ {2}#3 .* \(established what was expected\)$/),
        expect.stringMatching(/^ {2}#8 .* \(shows it\)$/),
      ]);
  },
);

describe('of a clean run', () => {
  const [passes] = results.checks;
  const one = (id: string, requirement: string, more: object) =>
    ({ ...passes, id, requirement, ...more }) as CheckResult;
  const checks = [
    one('LIST-1/form', 'LIST-1', { judged: 1_200, situations: ['list 200', 'list 400'] }),
    one('LIST-1/order', 'LIST-1', { judged: 1_200, situations: ['list 200'] }),
    one('list/order', 'LIST-1', {}),
    ...['a', 'b'].map((name) =>
      one(`sign/${name}`, 'SIGN-1', {
        verdict: 'skip',
        skip: lacking({ kind: 'lacks', need: 'oauth_token' as Need }).skip,
      }),
    ),
  ];
  const exchanges = { all: 1_200, of: (id: string) => (id === 'LIST-1' ? 1_200 : 0) };
  const clean = {
    ...results,
    checks,
    incomplete: [],
    verdict: 'pass' as const,
    exchanges: exchanges.all,
    coverage: coverage(checks),
    requirements: matrix(checks, exchanges),
  };

  test('the second line says how many requirements held in how many exchanges, and what never came up', () => {
    expect(REPORTERS.tty(clean)).toMatch(
      /^conforms: .*\n {2}1 requirement held in 1,200 exchanges; 1 never came up: SIGN-1$/m,
    );
    expect(REPORTERS.html(clean).replaceAll('<wbr>', '')).toContain(
      '1 requirement held in 1,200 exchanges; 1 never came up: SIGN-1',
    );
  });

  test('the first table is about requirements, each exchange counted once; then comes what never came up, and why', () => {
    const row = [
      'LIST-1',
      'stated',
      'list_interns lists the visible interns, newest first.',
      '2 rules, 1 check',
      '1200',
      '2',
    ];
    const never = 'needs oauth_token: --oauth-token or INTERN_OAUTH_TOKEN is not given';
    const text = REPORTERS.tty(clean).split('\n');
    expect(text[0]).toBe('Requirements');
    expect(text[2]).toBe('  LIST: 1 of 1 held');
    expect(text[3]?.trim().split(/ {2,}/)).toEqual(row);
    expect(text.slice(4, 7)).toEqual(['', 'What never came up, and why', `     2  ${never}  so never SIGN-1`]);
    const markdown = REPORTERS.markdown(clean);
    expect(markdown.replaceAll('\\', '')).toContain(`| ${row.join(' | ')} |`);
    expect(markdown).toContain('<details><summary>2 checks</summary>sign/a, sign/b</details>');
    expect(markdown.match(/<details>/g)).toHaveLength(1);
  });
});

test('JSON can be read back', () => {
  const read = readResults(REPORTERS.json(results), 'x');
  const evidence = ({ checks }: Pick<ReturnType<typeof sampleResults>, 'checks'>) =>
    checks.map(({ finding }) => [finding?.got, finding?.transcript]);
  expect(evidence(read)).toEqual(evidence(reportOf(results)));
  expect(readResults(REPORTERS.json(read), 'x')).toEqual(read);
  const names = read.checks.map(({ finding, id, title }) => [id, title, finding?.replay, finding?.curl]);
  expect(JSON.stringify(names)).not.toMatch(/[^\\]\\u001b|\u202e|\\n::/);
  for (const failOn of ['fail', 'warn', 'once'] as const) {
    const options = { ...results.options, failOn };
    expect(readResults(REPORTERS.json({ ...results, options }), 'x').options).toEqual(options);
  }
  expect(() => readResults('{}', 'file.json')).toThrow('file.json: format: expected a JSON report of this kit');
  expect(() => readResults('nonsense', 'file.json')).toThrow('file.json is no JSON');
});

test('JUnit counts what it lists and holds no markup of the target', () => {
  const text = REPORTERS.junit(results);
  expect(text).toMatch(/<testsuite [^>]*tests="6" failures="1" errors="1" skipped="1"/);
  expect(text.match(/<testcase /g)).toHaveLength(6);
  expect(text.match(/<failure /g)).toHaveLength(1);
  expect(text.match(/<(script|img)/g)).toBeNull();
});

test('HTML holds no markup of the target', () => {
  const text = REPORTERS.html(results);
  expect(text).not.toContain('<img');
  expect(text.match(/<script>/g)).toHaveLength(1);
  expect(text.match(/<script(?! type="text\/plain" class="later">)/g)).toHaveLength(1);
  expect(text).toContain('&lt;script&gt;window.hit = 1&lt;/script&gt;');
  expect(text).not.toMatch(/(src|href)="http/);
});

test('Markdown lets no fence, table or markup of the target out', () => {
  const text = REPORTERS.markdown(results);
  const outside = text.replace(/^(`{3,})text\n[\s\S]*?^\1$/gm, '');
  expect(outside).not.toMatch(/<(script|img)/);
  expect(outside).not.toContain('window.hit = 1</script>');
});

test('no line of the target is a workflow command', () => {
  const lines = REPORTERS.github(results).split('\n').filter(Boolean);
  expect(lines.every((line) => /^::(error|warning|notice) title=[^:]*::/.test(line))).toBe(true);
  expect(
    lines.filter((line) => line.startsWith('::error title=Conformance%3A 2 checks (1 fail%2C 1 warn)%3A what')),
  ).toHaveLength(1);
  expect(HOSTILE).toContain('\n::warning::y');
});

describe.each(REPORT_KINDS)('%s', (kind) => {
  test('holds no workflow command that a target said', () => {
    const said = 'x\n::add-mask::y\n  ::stop-commands::z\n##[add-mask]y\nsaid ##[group]z';
    const [check] = results.checks.filter(({ id }) => id === 'chat/fails');
    const look = { wanted: { kind: 'value', path: said, rule: { kind: 'holds', words: said } }, got: said, of: said };
    const finding = { ...check?.finding, ...look, transcript: [], curl: said };
    const hostile = {
      ...results,
      target: { ...results.target, url: said },
      incomplete: [{ kind: 'not-put-back', detail: said }],
      checks: [
        { ...check, finding },
        { ...check, id: 'chat/skips', skip: lacking({ kind: 'met', need: said, note: said }).skip },
      ],
      cleanup: {
        created: 1,
        deleted: 0,
        failed: [{ id: said, name: said, because: { kind: 'error', message: said } }],
        unsearched: { kind: 'error', message: said },
      },
    } as unknown as typeof results;
    const lines = REPORTERS[kind](hostile).split('\n');
    const commands = lines.filter((line) => /^\s*::/.test(line) || line.includes('##['));
    const ours = kind === 'github' ? /^::(error|warning|notice) title=/ : /^$/;
    expect(commands.filter((line) => !ours.test(line))).toEqual([]);
    expect(commands.filter((line) => /##\[/.test(line))).toEqual([]);
  });
});

test.each([
  [5, 5],
  [92, 1],
])('%i interns that are left behind take %i lines that name each of them', (count, lines) => {
  const failed = Array.from({ length: count }, (_, at) => ({
    id: `id-${at}`,
    name: `k-${at}`,
    because: { kind: 'still-there' as const },
  }));
  const left = { ...results, cleanup: { created: count, deleted: 0, failed } };
  const said = REPORTERS.tty(left).match(/left behind: .*/g) ?? [];
  expect(said).toHaveLength(lines);
  if (count > lines) expect(said[0]).toMatch(/^left behind: 92, such as id-0 k-0 \(still there\); all: id-0, /);
  expect(new Set(said.join().match(/id-\d+/g))).toEqual(new Set(failed.map(({ id }) => id)));
});

const sample = (id: string) => {
  const check = results.checks.find((one) => one.id === id);
  if (check === undefined) throw new Error('the sample has no such check');
  return check;
};
/** The failing check of the sample, which found something else. */
const found = (id: string, look: Mistake, verdict: 'fail' | 'warn' = 'fail'): CheckResult => {
  const { finding, ...check } = sample('chat/fails');
  if (finding === undefined) throw new Error('the sample found nothing');
  return { ...check, id, verdict, finding: { ...finding, ...look } };
};
const value = (of: string, got: unknown, expected: unknown, path = of): Mistake => ({
  wanted: {
    kind: 'value',
    path,
    rule: typeof expected === 'string' ? { kind: 'holds', words: expected } : { kind: 'is', value: expected },
  },
  got,
  of,
});
const finish = (of: string, content: string): Mistake => ({
  wanted: { kind: 'stream', rule: 'finish', finish: 'stop' },
  got: { chunks: 3, finish: 'length', content },
  of,
});
const status = (of: string, got: AnswerGot, statuses: readonly number[] = [201]): Mistake => ({
  wanted: { kind: 'status', class: 'success', statuses },
  got,
  of,
});

test('findings that are the same are reported once, the largest group first', () => {
  const checks = [
    found('chat/0', status('the create', { status: 500, text: '{"error":{}}' })),
    found('chat/1', finish('the reply to a prompt', 'x')),
    found('chat/2', finish('another reply', 'y')),
    sample('chat/passes'),
  ];
  const many = { ...results, checks };
  expect(groups(checks).map(({ title, checks: members }) => [title, members.length])).toEqual([
    ['finish_reason is length, expected stop', 2],
    ['the create is answered 500, expected 201', 1],
  ]);
  expect(REPORTERS.tty(many)).toContain('2 checks: finish_reason is length, expected stop');
  expect(REPORTERS.markdown(many)).toContain('2 checks: finish\\_reason is length, expected stop');
  expect(REPORTERS.html(many)).toMatch(/finish_reason is length, expected stop<\/span><span class="many">2 checks</);
  expect(REPORTERS.github(many).match(/^::error title=Conformance%3A 2 checks%3A finish_reason/gm)).toHaveLength(1);
});

const ANSWER: Wanted = { kind: 'answer' };
const ORDER: Wanted = { kind: 'stream', rule: 'order' };
const SECOND = { rule: 'one-finish-reason', requirement: 'CHAT-2', level: 'S', got: 'stop' } as const;
const AFTER = { rule: 'nothing-after-finish', requirement: 'CHAT-2', level: 'S' } as const;
const RECORD = { name: 'a name', status: 'running', workspace_id: 'w', description: 'what it is', instructions: null };

test.each([
  [value('error.code of a read', '404', 404), 'error.code of a read is a text, expected a number'],
  [value('body of a read', '', 'JSON'), 'body of a read is empty, expected JSON'],
  [value('event 1 of 2', 'nothing', { data: 'a' }), 'event 1 of 2 is nothing, expected {"data":"a"}'],
  [
    value('data of a list', [{ id: 'a', ...RECORD }], { id: 'b', ...RECORD, model: 'm' }),
    'data of a list is a list of 1, expected an object with id, name, status, workspace_id, description, instructions, …',
  ],
  [
    { wanted: ANSWER, got: { kind: 'crashed', detail: 'it ended with status 5' }, of: 'the client' },
    'the client crashed: it ended with status 5',
  ],
  [
    { wanted: ORDER, got: { events: 9, breaches: [SECOND, AFTER] }, of: 'the stream' },
    'the stream breaks a rule: a second finish_reason, "stop"',
  ],
])('%j: what is wrong reads as a sentence', (look, title) => {
  expect(groups([found('chat/fails', look)])[0]?.title).toBe(title);
});

test('a text is set apart from the number that it reads as', () => {
  const checks = [found('get/fails', value('error.code', '404', 404))];
  expect(REPORTERS.tty({ ...results, checks })).toMatch(/expected +404\n +actual +"404"\n/);
});

const REFUSED: Mistake = {
  wanted: ANSWER,
  got: { kind: 'refused', detail: 'no' },
  of: 'GET /interns?status=running',
};

test.each([
  [
    'a text in place of a number, whichever number it is',
    value('error.code of a read', '404', 404, 'error.code'),
    value('error.code of a create', '400', 400, 'error.code'),
    'error.code is a text, expected a number',
  ],
  [
    'an address that nobody answers at',
    REFUSED,
    REFUSED,
    'GET /interns?status=running is refused: no, expected an HTTP answer',
  ],
  [
    'statuses, some of them named',
    status('one', { status: 200, text: '{"a":1}' }, [404]),
    status('another', { status: 200, text: '{"b":1}' }, [404]),
    'status is 200, expected 404 (one, another)',
  ],
])('%s: reported together', (_, one, other, title) => {
  const checks = [found('a/one', one), found('a/two', other)];
  expect(groups(checks).map((group) => group.title)).toEqual([title]);
});

test('one fault is one group, be it a failure here and a warning there; the terminal ends with what is wrong', () => {
  const reply = finish('a reply', 'x');
  const checks = [found('chat/a', reply, 'warn'), found('chat/b', reply), found('chat/c', reply, 'warn')];
  const [group, ...others] = groups(checks);
  expect(others).toEqual([]);
  expect(group?.checks.map(({ id }) => id)).toEqual(['chat/b', 'chat/a', 'chat/c']);
  const title = 'finish_reason of a reply is length, expected stop';
  const text = REPORTERS.tty({ ...results, checks });
  expect(text).toContain(`What is wrong\n  fail   3 checks (1 fail, 2 warn): ${title}\n\n`);
  expect(text.indexOf('What is wrong')).toBeGreaterThan(text.indexOf('expected stop'));
  expect(REPORTERS.html({ ...results, checks })).toContain(
    `${title}</span><span class="many">3 checks (1 fail, 2 warn)<`,
  );
});

test.each(['tty', 'html', 'markdown', 'junit', 'github'] as const)(
  '%s: names what likely has the same cause apart from what says the same',
  (kind) => {
    const busy = (of: string): Mistake => ({
      wanted: { kind: 'status', class: 'stream', statuses: [] },
      got: { status: 409, reason: 'busy', text: '{}' },
      of,
      because: { kind: 'no-run-streams', last: 'ended' },
    });
    const checks = [
      found('chat/a', busy('the answer')),
      found('chat/b', busy('the answer')),
      found('chat/c', busy('a prompt')),
    ];
    const text = REPORTERS[kind]({ ...results, checks }).replace(/<wbr>/g, '');
    expect(text).toContain('likely the same cause');
    expect(text).toMatch(
      /a prompt is 409 busy although no run of the intern streams, the last one has ended, expected/,
    );
    if (kind === 'html') expect(text).toMatch(/the answer is 409.*<span class="many">3 checks</);
    else expect(text).toMatch(/3 checks(: |%3A )the answer is 409/);
  },
);

test('a title shows the value of which it says what is wrong', () => {
  const title = 'the time is 1795328030123, expected Unix seconds';
  expect(groups([found('a/b', value('the time', '1795328030123', 'Unix seconds'))])[0]?.title).toBe(title);
});

test('JUnit says of one finding too what is wrong, not only what was looked at', () => {
  expect(REPORTERS.junit(results)).toMatch(/<failure message="[^"]* is [^"]*, expected /);
});

test('the headline tells how much was checked, and why not more', () => {
  const { skip } = lacking({ kind: 'lacks', need: 'clock' });
  const checks = results.checks.map((check) => (check.skip === undefined ? check : { ...check, skip }));
  expect(REPORTERS.tty({ ...results, checks })).toMatch(
    /does not conform: 5 of 6 checked, 1 not \(1 need a control interface\)/,
  );
});

test('CTRF keeps its schema, and counts what it lists', () => {
  const schema: object = JSON.parse(
    readFileSync(new URL('../../node_modules/ctrf/dist/ctrf-schema-0.0.json', import.meta.url), 'utf8'),
  );
  const ajv = new Ajv({ strict: false });
  formats.default(ajv);
  const report = JSON.parse(REPORTERS.ctrf(results));
  expect([ajv.validate(schema, report), ajv.errors]).toEqual([true, null]);
  expect(report.results.summary).toMatchObject({ tests: 6, passed: 3, failed: 1, skipped: 1, other: 1 });
  const failed = report.results.tests.find((one: { status: string }) => one.status === 'failed');
  expect(failed).toMatchObject({ name: 'chat/fails', tags: ['CHAT-11', 'S'] });
});

test('the badge says the verdict as shields.io reads it', () => {
  expect(JSON.parse(REPORTERS.badge(results))).toEqual({
    schemaVersion: 1,
    label: 'interns interface',
    message: 'does not conform, 5 of 6 checked',
    color: 'red',
    isError: true,
  });
});

test.each(REPORT_KINDS.filter((kind) => kind !== 'badge'))(
  '%s says why a failure is known, and where to read more',
  (kind) => {
    const knownAs = { reason: 'fixed in 2.4', link: 'https://example.com/7', expires: '2026-12-31' };
    const checks = results.checks.map((check) => (check.known === true ? { ...check, knownAs } : check));
    const text = REPORTERS[kind]({ ...results, checks });
    expect(text.replaceAll('<wbr>', '')).toMatch(/fixed in 2\.4/);
    expect(text.replaceAll('<wbr>', '')).toContain('https://example.com/7');
  },
);

test.each(['tty', 'markdown', 'junit', 'json', 'html', 'ctrf'] as const)(
  '%s says how often a flaky check failed',
  (kind) => {
    const checks = results.checks.map((check) =>
      check.verdict === 'pass' ? { ...check, knownAs: { reason: 'races', flaky: { failed: 0, of: 1 } } } : check,
    );
    const text = REPORTERS[kind]({ ...results, checks });
    expect(text).toMatch(kind === 'json' ? /"failed": 0,\s+"of": 1/ : /failed 0 of 1/);
  },
);

test('with --fail-on warn a warning is a failure in every report', () => {
  const strict = { ...results, options: { ...results.options, failOn: 'warn' as const } };
  expect(REPORTERS.junit(strict).match(/<failure /g)).toHaveLength(2);
  expect(JSON.parse(REPORTERS.ctrf(strict)).results.summary.failed).toBe(2);
});

describe('what a run comes to', () => {
  const [passed] = sampleResults().checks;
  if (passed === undefined) throw new Error('the sample is empty');
  const target = { kind: 'live', url: 'https://x', profile: 'svc', published: false } as const;
  const skipped = (because: object) => ({ ...passed, verdict: 'skip', skip: { kind: 'need', because } });
  const said = (pass: number, skips: readonly object[], more: object = {}) => {
    const rows = [...Array.from({ length: pass }, () => passed), ...skips].map((row, at) => ({
      ...row,
      id: `a/c${at}`,
    }));
    const checks = rows as unknown as ReturnType<typeof sampleResults>['checks'];
    const results = {
      ...sampleResults(),
      target,
      verdict: 'pass',
      incomplete: [],
      checks,
      coverage: coverage(checks),
      ...more,
    };
    return REPORTERS.tty(results as ReturnType<typeof sampleResults>);
  };
  const missed = skipped({ kind: 'too-slow', ms: 1 });

  test('conforms is earned by four of five of what can be asked', () => {
    expect(said(4, [missed])).toContain('conforms: 4 of 5 checked');
    expect(said(3, [missed])).toContain('nothing wrong found, 75 % looked at: 3 of 4 checked');
  });

  test('what was not given counts for nothing', () => {
    const lacks = (need: string) => skipped({ kind: 'lacks', need });
    expect(said(4, [lacks('peer_api_key'), lacks('scim_group'), lacks('control')])).toContain('conforms: ');
    expect(said(1, [lacks('slow:31s'), lacks('behaviour:silent')])).toContain('nothing wrong found, 33 % looked at');
  });

  test('numbers meet: what only an emulator can be asked stands beside them', () => {
    const text = said(4, [missed, skipped({ kind: 'lacks', need: 'control' })]);
    expect(text).toMatch(/4 of 5 checked, 1 not .* 4 pass, 0 fail, 0 warn, 1 skip/);
    expect(text).toContain('1 more check for emulators only');
  });

  test('a baseline that is out of date is the reason, before any count', () => {
    const text = said(4, [], { verdict: 'fail', incomplete: [{ kind: 'baseline', ids: ['a/c1'] }] });
    expect(text).toContain('the baseline is out of date, no longer failing, but in the baseline: a/c1: all 4 checked');
    expect(text).not.toContain('does not conform');
  });
});

test('of 2,000 findings that say the same a page shows the first and says how many there are', () => {
  const failing = results.checks.find(({ id }) => id === 'chat/fails');
  const checks = Array.from({ length: 2_000 }, (_, at) => ({ ...failing, id: `a/b-${at}` }) as CheckResult);
  const page = REPORTERS.html({ ...results, checks });
  expect(page).toContain('2000 checks');
  expect(page.match(/id="check-a\/b-/g)).toHaveLength(100);
  expect(page).toContain('and 1900 more');
});
