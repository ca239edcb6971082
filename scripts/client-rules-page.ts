import { ruleOf } from '../conformance/clients/rules.js';
import type { ClientCase } from '../emulator/contract/client-case.js';
import { TOPICS } from './client-rules.js';

/** Characters that Markdown's tables read as their own. */
const cell = (text: string): string =>
  text
    .replaceAll('|', '\\|')
    .replaceAll('<', '&lt;')
    .replace(/\s*\n\s*/g, ' ');

interface Row {
  readonly anchor: string;
  readonly sentence: string;
  readonly source: string;
  readonly topic: string | undefined;
  readonly cases: Set<string>;
  /** Cases of which it makes another outcome right. */
  readonly alternatives: Set<string>;
}

/** Every rule that a case rests on, with its cases, in the order in which they come. */
function rowsOf(cases: readonly ClientCase[]): Row[] {
  const rows = new Map<string, Row>();
  const rowFor = (why: string, { layer }: ClientCase): Row => {
    const { topic, ...rule } = ruleOf(why, layer);
    const row = rows.get(rule.anchor) ?? { ...rule, topic, cases: new Set(), alternatives: new Set() };
    rows.set(rule.anchor, row);
    return row;
  };
  for (const one of cases) {
    for (const why of one.why) rowFor(why, one).cases.add(one.id);
    for (const { why } of one.alternatives ?? []) rowFor(why, one).alternatives.add(one.id);
  }
  return [...rows.values()];
}

/** Cases that a row names: each case says itself which rules it rests on. */
const NAMED = 4;

const names = (ids: ReadonlySet<string>): string => {
  const named = [...ids].slice(0, NAMED).map((id) => `\`${id}\``);
  return [...named, ...(ids.size > NAMED ? [`${ids.size - NAMED} more`] : [])].join(', ');
};

function table(rows: readonly Row[]): string[] {
  return [
    '| rule | cases |',
    '|---|---|',
    ...rows.map(({ anchor, sentence, cases, alternatives }) => {
      const also = alternatives.size === 0 ? [] : [`allows another outcome in ${names(alternatives)}`];
      return `| <a id="${anchor}"></a>${cell(sentence)} | ${[...(cases.size === 0 ? [] : [names(cases)]), ...also].join('; ')} |`;
    }),
  ];
}

/** `docs/client-rules.md`: the rules by which a client is judged, and the cases of each. */
export function clientRulesPage(cases: readonly ClientCase[]): string {
  const rows = rowsOf(cases);
  const own = rows.filter(({ topic }) => topic !== undefined);
  const others = rows.filter(({ topic }) => topic === undefined);
  const sources = [...new Set(others.map(({ source }) => source))].sort();
  // Sources that state one sentence in many places stand together: `RFC 9110 15.4` and `RFC 9110 10.2.3`.
  const families = new Map<string, Row[]>();
  for (const source of sources) {
    const family =
      /^(WHATWG HTML|WHATWG Fetch|RFC \d+|OpenAI API reference|the interface)/.exec(source)?.[1] ?? 'Others';
    families.set(family, [...(families.get(family) ?? []), ...others.filter((row) => row.source === source)]);
  }
  const named = new Set(TOPICS.map(({ topic }) => topic));
  const missing = [...new Set(own.map(({ topic }) => topic))].filter((topic) => !named.has(topic ?? ''));
  return [
    '# The rules by which a client is judged',
    '',
    'The [client lab](lab.md) sends your client answers, and compares what it makes of them. Each row here is a rule, with cases that',
    'rest on it. A finding links to its row. Most rules are those of a standard. The lab has rules of its own where standards are',
    'silent, or big clients disagree. A case may allow more than one outcome: then the report says `pass-alternative`.',
    '',
    ...TOPICS.flatMap(({ topic, text }) => {
      const mine = own.filter((row) => row.topic === topic);
      return [`## ${topic}`, '', ...text, '', ...(mine.length === 0 ? [] : [...table(mine), ''])];
    }),
    ...missing.flatMap((topic) => [`## ${topic}`, '', ...table(own.filter((row) => row.topic === topic)), '']),
    '## Standards',
    '',
    ...[...families].flatMap(([family, members]) => [
      `### ${family[0]?.toUpperCase()}${family.slice(1)}`,
      '',
      ...table(
        members.map((row) => ({
          ...row,
          sentence: row.sentence === row.source ? row.source : `${row.source}: ${row.sentence}`,
        })),
      ),
      '',
    ]),
  ].join('\n');
}
