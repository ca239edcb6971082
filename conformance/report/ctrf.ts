import type { CTRFReport, Test, TestStatus } from 'ctrf';
import { given } from '../../emulator/contract/given.js';
import { visible } from '../../emulator/contract/visible.js';
import type { CheckResult, Results } from '../run/results.js';
import { clauseOf, levelOf, shownByText, skipText } from './clause.js';
import { exchangeLines, sliceOf } from './stream-text.js';
import { titleOf } from './title.js';
import { headlineOf, knownText, summary } from './words/coverage.js';
import { failsRun } from './words/legend.js';
import { incompleteText } from './words/stop.js';

/** Most exchanges of a finding in the trace, the latest ones. */
const SHOWN = 5;

/** A failure that counts is `failed`, an error of the kit `other`; a warning, a known and a new failure pass and say so. */
function statusOf(check: CheckResult, results: Results): TestStatus {
  if (check.verdict === 'error') return 'other';
  if (check.verdict === 'skip') return 'skipped';
  return failsRun(check, results) ? 'failed' : 'passed';
}

function messageOf(check: CheckResult): string | undefined {
  if (check.skip !== undefined) return skipText(check.skip);
  return check.finding === undefined && check.error === undefined ? undefined : titleOf(check);
}

function testOf(check: CheckResult, results: Results): Test {
  const { finding } = check;
  const { id: requirement, sentence, quote } = clauseOf(check);
  const message = messageOf(check);
  const rawStatus = [check.verdict, ...(check.known === true ? ['known'] : []), ...(check.new ? ['new'] : [])].join(
    ' ',
  );
  return {
    name: check.id,
    status: statusOf(check, results),
    duration: Math.round(check.duration),
    suite: ['conformance', check.id.split('/')[0] ?? check.id],
    rawStatus,
    ...given({
      message: message && visible(message),
      trace: (finding && sliceOf(finding, SHOWN))
        ?.flatMap((exchange) => exchangeLines(exchange, 1_000, finding))
        .join('\n'),
    }),
    tags: [requirement, levelOf(check)],
    extra: {
      title: check.title,
      sentence,
      quote,
      baseline: check.knownAs && visible(knownText(check.knownAs)),
      shownBy: shownByText(check),
      again: finding && visible(finding.replay),
      curl: finding?.curl && visible(finding.curl),
    },
  };
}

/** The Common Test Report Format, version 0.0.0 of its schema (https://ctrf.io, KIT-13). */
export function ctrf(results: Results): string {
  const tests = results.checks.map((check) => testOf(check, results));
  const { requirements, emulatorsOnly } = headlineOf(results);
  const start = Date.parse(results.started);
  const many = (status: TestStatus) => tests.filter((test) => test.status === status).length;
  const report: CTRFReport = {
    reportFormat: 'CTRF',
    specVersion: '0.0.0',
    timestamp: new Date(start + results.duration).toISOString(),
    generatedBy: `intern-conformance ${results.kit}`,
    results: {
      tool: { name: 'intern-conformance', version: results.kit },
      summary: {
        tests: tests.length,
        passed: many('passed'),
        failed: many('failed'),
        skipped: many('skipped'),
        pending: 0,
        other: many('other'),
        start,
        stop: start + Math.round(results.duration),
        extra: {
          verdict: results.verdict,
          headline: visible(summary(results)),
          ...(requirements === undefined ? {} : { requirements, emulatorsOnly }),
          incomplete: results.incomplete.map((reason) => visible(incompleteText(reason))),
        },
      },
      tests,
      environment: { testEnvironment: visible(results.target.url) },
    },
  };
  return `${JSON.stringify(report, null, 2)}\n`;
}
