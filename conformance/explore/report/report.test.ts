import { describe, expect, test } from 'vitest';
import { shortened, sideBySide } from '../../../emulator/contract/side-by-side.js';
import { EXPLORE_REPORT_KINDS, EXPLORE_REPORTERS } from './files.js';
import { sampleReport } from './sample.harness.js';

const options = { fileOf: () => '.intern-explore/once 1.json', command: ['npm', 'test'] };

describe.each(EXPLORE_REPORT_KINDS)('%s', (kind) => {
  const text = EXPLORE_REPORTERS[kind](sampleReport(), options);

  test('says what broke a law', () => {
    expect(text).toContain('the stream of the 1st chat was cut after 1 word: the prompt was sent again');
  });

  test('lets nothing of the program drive a terminal, a page or a runner', () => {
    expect([...text].filter((one) => /[\p{Cc}\p{Bidi_Control}]/u.test(one) && !/[\n\t]/.test(one))).toEqual([]);
    expect(text).not.toMatch(/^\s*::error::x/m);
    if (kind === 'html' || kind === 'junit') expect(text).not.toContain('<script>hit');
  });
});

test('a finding shows both runs beside each other, and how to do it again', () => {
  const text = EXPLORE_REPORTERS.tty(sampleReport('said'), options);
  expect(text).toContain(`✗ once  the stream of the 1st chat was cut after 1 word: the prompt was sent again said
  Nothing takes effect more often because something went wrong: no prompt, answer, create, delete or run.
  3 schedules bring it about: cut, lost of chat. The smallest is shown.`);
  const rows = text.split('\n').filter((line) => line.includes(' │ '));
  expect(rows.map((row) => row.trim().replace(/\s{2,}/g, '  '))).toEqual([
    'undisturbed  │ disturbed',
    '→ POST /interns/…/chat/completions  │ → POST /interns/…/chat/completions',
    '← 200  │  ← 200',
    '← content "one "  │  ← content "one "',
    '← content "two"  │  ⚡ cut',
    '│ → POST /interns/…/chat/completions',
    '│ prints said',
    '■ passed  │ ■ passed',
  ]);
  expect(text).toContain(`  again     npx intern-emulator explore --schedule '.intern-explore/once 1.json' -- npm test
  debug     npx intern-emulator --clock auto --chaos '.intern-explore/once 1.json'`);
  expect(text).toContain(
    'laws broken: 4 of 5 schedules: 1 survived, 1 surfaced (1 by the test alone), 1 broke a law (1 finding), 1 not reached',
  );
});

test('what went unnoticed is not nothing', () => {
  const { findings, ...report } = sampleReport('said');
  const counts = { ...report.counts, breach: 0, unnoticed: 3 };
  const text = EXPLORE_REPORTERS.tty({ ...report, incomplete: [], findings: [], unnoticed: findings, counts }, options);
  expect(text).toMatch(/^no law broken, but some of it went unnoticed: /m);
});

test('a law that a flag asks for is said by it', () => {
  const report = sampleReport('said');
  const findings = report.findings.map((finding) => ({ ...finding, law: 'transient-passes' }));
  expect(EXPLORE_REPORTERS.tty({ ...report, findings }, options)).toContain('(--require transient)');
});

test('JSON has the fields of the format, and the file of a finding', () => {
  const report = JSON.parse(EXPLORE_REPORTERS.json(sampleReport(), options));
  expect(report).toMatchObject({ format: 'intern-explore', version: 1, findings: [{ file: options.fileOf() }] });
  expect(report).not.toHaveProperty('text');
});

test('the page says first what to do, marks the place, folds what was printed, and shows no times', () => {
  const report = sampleReport('printed '.repeat(20));
  const page = EXPLORE_REPORTERS.html(report, options);
  expect(page).toContain('<h1>Do not send again what may have been acted on.</h1>');
  // Words of its own are explained where they come first.
  expect(page).toMatch(/A schedule is one thing that goes wrong[^<]*Surfaced: it failed with an error, as it may\./);
  expect(page).toMatch(/<h3>To see it again<\/h3>.*explore --schedule.*<h3>To serve the same to a debugger<\/h3>/);
  expect(page.match(/<mark>/g)).toHaveLength(1);
  expect(page).toMatch(/<details><summary>prints<\/summary>[^<]*printed/);
  expect(EXPLORE_REPORTERS.html({ ...report, timing: { ms: 1, msPerRun: 1 } }, options)).toBe(page);
});

test('what only a test noticed stands apart', () => {
  const text = EXPLORE_REPORTERS.tty(sampleReport('expected one'), options);
  expect(text).toMatch(/Only an assertion of the test noticed[^\n]*\n +1 × +expected one +transient: 503/);
});

test('JUnit counts what it lists', () => {
  const text = EXPLORE_REPORTERS.junit(sampleReport(), options);
  expect(text).toMatch(/<testsuites [^>]*tests="4" failures="1" errors="0" skipped="1"/);
  expect(text.match(/<testcase /g)).toHaveLength(4);
  expect(text.match(/<failure /g)).toHaveLength(1);
  expect(text.match(/<skipped /g)).toHaveLength(1);
});

test('long stretches that are equal are left out, and said so', () => {
  const entry = (text: string) => ({ kind: 'write', text }) as const;
  const straight = Array.from({ length: 20 }, (_, at) => entry(String(at)));
  const rows = shortened(sideBySide(straight, [...straight.slice(0, 12), entry('other'), ...straight.slice(13)]));
  expect(rows.filter((row) => typeof row === 'number')).toEqual([8, 3]);
  expect(rows.find((row) => typeof row !== 'number' && !row.equal)).toEqual({
    left: entry('12'),
    right: entry('other'),
    equal: false,
  });
});
