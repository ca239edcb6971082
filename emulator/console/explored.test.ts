import { describe, expect, test } from 'vitest';
import { exploreJson } from '../../conformance/explore/report/files.js';
import { sampleReport } from '../../conformance/explore/report/sample.harness.js';
import { exploredReport } from './explored.harness.js';
import { readExplored } from './page/explored.js';

const report = exploredReport();
const [finding] = report.findings;

test('what explore writes is read, and nothing of a program reorders or hides what stands beside it', () => {
  const read = readExplored(exploreJson(sampleReport()));
  expect(read).toMatchObject({ kind: 'report', run: 4, breaches: 1, findings: [{ law: 'once', count: 3 }] });
  expect(JSON.stringify(read)).not.toMatch(/\\u001b|\\r/);
  expect(readExplored('{"name":"x","faults":[{"operation":"chat","disturb":"stall"}]}')).toMatchObject({
    kind: 'schedule',
    schedule: { name: 'x' },
  });
});

test('it says what to do first, what each law says, and what passed unnoticed', () => {
  const { findings, ...rest } = sampleReport();
  const unnoticed = findings.map((one) => ({ ...one, law: 'unnoticed' }));
  const read = readExplored(exploreJson({ ...rest, findings, unnoticed }));
  expect(read).toMatchObject({
    headline: 'Do not send again what may have been acted on.',
    findings: [{ says: expect.stringMatching(/^Nothing takes effect more often/) }],
    unnoticed: [{ law: 'unnoticed' }],
  });
  // As an earlier version wrote it.
  const { headline: _, ...earlier } = report;
  expect(readExplored(JSON.stringify({ ...earlier, findings: findings.slice(0, 1) }))).toMatchObject({
    headline: '',
    findings: [{ says: '' }],
    unnoticed: [],
  });
});

test('a finding of a suite has the undisturbed run of its test', () => {
  const timeLine = [{ kind: 'outcome', text: 'passed' }];
  const named = { ...report, findings: [{ ...finding, test: { name: 'says hello', command: ['npm'], timeLine } }] };
  expect(readExplored(JSON.stringify(named))).toMatchObject({ findings: [{ straight: timeLine }] });
});

describe('a report or schedule that cannot be shown is one line, which says what and where', () => {
  const nested = `${'['.repeat(20_000)}${']'.repeat(20_000)}`;
  test.each([
    ['cut off', JSON.stringify(report).slice(0, 200), /^it is not JSON, or was cut off$/],
    ['nothing', '', /^it is not JSON/],
    ['a list', '[]', /^expected a report .* or a schedule of explore$/],
    ['20,000 levels deep', nested, /^expected a report/],
    ['another version', JSON.stringify({ ...report, version: 2 }), /^version: expected 1, .*, found 2$/],
    ['of another format', JSON.stringify({ ...report, format: 'intern-drift' }), /^expected a report/],
    ['no counts', JSON.stringify({ ...report, counts: null }), /^counts: expected an object, found null$/],
    [
      'no time line',
      JSON.stringify({ ...report, straight: {} }),
      /^straight.timeLine: expected a list, found nothing$/,
    ],
    [
      'an unknown kind',
      JSON.stringify({ ...report, findings: [{ ...finding, timeLine: [{ kind: '__proto__', text: '' }] }] }),
      /^findings\[0\].timeLine\[0\].kind: expected request, .*, found "__proto__"$/,
    ],
    [
      'an object for a text',
      JSON.stringify({ ...report, findings: [{ ...finding, sentence: { a: 'x'.repeat(10_000) } }] }),
      /^findings\[0\].sentence: expected a text, found .{0,70}…$/,
    ],
    ['a schedule of nothing', '{"name":"x","faults":[]}', /^faults: expected a fault, found \[\]$/],
    ['a fault of nothing', '{"name":"x","faults":[{}]}', /^faults\[0\].operation: expected a text, found nothing$/],
  ])('%s', (_, text, expected) => {
    let message = '';
    try {
      readExplored(text);
    } catch (error) {
      message = (error as Error).message;
    }
    expect(message).toMatch(expected);
    expect(message).not.toContain('\n');
  });
});
