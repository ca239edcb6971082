import type { BrokenRule, Checked, CheckRequest, Checks } from '../../emulator/contract/checks.js';
import { shippedProfile } from '../../emulator/contract/profile.js';
import { AdapterError } from '../clients/adapter.js';
import { cases } from '../clients/index.js';
import { RULES_PAGE, ruleOf } from '../clients/rules.js';
import { runClient, unitsOf } from '../clients/run-client.js';
import { runConformance } from '../index.js';
import { judgeFiles } from '../judge/files.js';
import { createJudge, metBy } from '../judge/judge.js';
import { createTraffic } from '../judge/traffic.js';
import { brief } from '../model/assert.js';
import { variable } from '../model/target.js';
import { CREDENTIAL_NAMES } from '../probe/request.js';
import { systemHost } from '../probe/time.js';
import { clauseOf } from '../report/clause.js';
import { groups } from '../report/groups.js';
import { type Report, reportOf } from '../report/json.js';
import { RULES } from '../rules/index.js';
import type { CheckResult, RunEvents } from '../run/results.js';
import { select } from '../run/select.js';
import { judgedRunOf } from './show.js';

export { createTraffic };

const worded = (value: unknown): string => (typeof value === 'string' ? value : brief(value));

type RulesOf = (check: CheckResult) => readonly BrokenRule[];

const ledgerRules: RulesOf = (check) => {
  const { id, sentence, where } = clauseOf(check);
  return [{ name: id, sentence, where }];
};

/** The sentences of rules for cases. A rule that only names a part of a standard takes the words of the case. */
const caseRules: RulesOf = ({ id }) =>
  cases
    .filter((one) => one.id === id)
    .flatMap(({ why, layer, title }) =>
      why.map((cited) => {
        const { anchor, sentence, source } = ruleOf(cited, layer);
        const name = `${RULES_PAGE}#${anchor}`;
        return { name, sentence: sentence === source ? title : sentence, where: source };
      }),
    );

/** Most odd writes of a case that are shown. */
const ODD = 6;
const LONGEST = 200;

/** The case in words, with its odd writes as they were sent. */
function sentIn({ finding, title }: Report['checks'][number]): string | null {
  const answers = (finding?.transcript ?? []).flatMap(({ response }) => (response?.sent ? [response] : []));
  if (answers.length === 0) return null;
  const odd = answers.flatMap(({ pieces }) => pieces.filter((piece) => piece.odd)).slice(0, ODD);
  return [title, ...odd.map(({ text }) => brief(text, LONGEST))].join(' ');
}

function checkedOf({ checks, reasons }: Report, rulesOf: RulesOf): Checked {
  const counts: Record<string, number> = {};
  for (const { verdict } of checks) counts[verdict] = (counts[verdict] ?? 0) + 1;
  const found = groups(checks).map(({ title, checks: members }) => {
    const reported = checks.find(({ id }) => id === members[0].id);
    const finding = reported?.finding;
    return {
      title,
      checks: members.map(({ id }) => id),
      rules: [...new Map(members.flatMap(rulesOf).map((rule) => [rule.name, rule])).values()],
      what: finding?.what ?? reported?.error?.message ?? title,
      expected: finding === undefined ? '' : worded(finding.expected),
      actual: finding === undefined ? '' : worded(finding.actual),
      sent: reported === undefined ? null : sentIn(reported),
      curl: finding?.curl ?? null,
      replay: finding?.replay ?? '',
    };
  });
  const said = Object.entries(counts).map(([verdict, count]) => `${count} ${verdict}`);
  return { headline: `${checks.length} done: ${said.join(', ') || 'none'}`, counts, reasons, findings: found };
}

const events = ({ progress }: CheckRequest): RunEvents => {
  let done = 0;
  return { checkEnd: (_, { of }) => progress(++done, of) };
};

const selected = ({ only }: CheckRequest) => (only === undefined ? {} : { only: [...only] });

/** Characters of an adapter's standard error that are kept: its end, where the reason is. */
const MOST_SAID = 500;
const standardError = (said: string): string => `Its standard error ends:\n${said.trim()}`;

/** The runs of the kit and the lab through the agents' door, with the credentials of the variables of the kit. */
export const CHECKS: Checks = {
  traffic(name) {
    const profile = shippedProfile(name);
    return profile === undefined ? undefined : createTraffic(profile, true);
  },
  async judge(files, { only, signal } = {}) {
    const rules = only === undefined ? RULES : select(RULES, { only: [...only] });
    const judge = createJudge({ only: new Set(rules.map(({ id }) => id)) });
    await judgeFiles(judge, files, { warn() {}, signal });
    const checked = checkedOf(judge.report(), ledgerRules);
    if (judge.counts.judged === 0) throw new Error(`nothing could be judged: ${metBy(judge)}`);
    return { ...checked, headline: `${metBy(judge)}: ${checked.headline}` };
  },
  async server(request) {
    const { url, controlToken, signal } = request;
    const credentials = Object.fromEntries(
      CREDENTIAL_NAMES.flatMap((name) => {
        const value = request.environment && process.env[variable(name)];
        return value ? [[name, value]] : [];
      }),
    );
    return checkedOf(
      await runConformance({
        url,
        controlToken,
        credentials,
        signal,
        events: events(request),
        // Somebody waits for the answer. The command line does more runs.
        ...(url === undefined || controlToken !== undefined ? { runs: 10 } : {}),
        ...selected(request),
      }),
      ledgerRules,
    );
  },
  async client(request) {
    const wanted = select(unitsOf(cases), selected(request), 'case').map(({ theCase }) => theCase);
    let said = '';
    const results = await runClient({
      command: request.command,
      cases: wanted,
      cuts: request.cuts ?? 'few',
      ...(request.shown && { shown: (shown) => request.shown?.(judgedRunOf(shown)) }),
      host: systemHost,
      err(text) {
        said = `${said}${text}`.slice(-MOST_SAID);
      },
      signal: request.signal,
      events: events(request),
    }).catch((error: unknown) => {
      if (!(error instanceof AdapterError)) throw error;
      throw new Error(`The adapter did not begin: ${error.message}.${said === '' ? '' : ` ${standardError(said)}`}`);
    });
    const report = reportOf(results);
    const checked = checkedOf(report, caseRules);
    const skipped = new Set(
      report.checks.flatMap(({ skip }) =>
        skip === undefined ? [] : [`Skipped, as it needs ${skip.need}: ${skip.why}.`],
      ),
    );
    const heard = checked.findings.length > 0 && said !== '' ? [standardError(said)] : [];
    return { ...checked, reasons: [...checked.reasons, ...skipped, ...heard] };
  },
};
