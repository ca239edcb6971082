import { ruleOf } from '../conformance/clients/rules.js';
import { byKey } from '../emulator/contract/by-key.js';
import type { ClientCase } from '../emulator/contract/client-case.js';
import { cell } from './page-parts.js';

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

const BEGIN = '- <a id="';

/** The first case of a row stands for all: each case says itself which rules it rests on. */
const example = ([first, ...more]: readonly string[]): string =>
  `\`${first}\`${more.length === 0 ? '' : `, ${more.length} more`}`;

const lineOf = ({ anchor, sentence, cases, alternatives }: Row): string => {
  const named = [
    ...(cases.size === 0 ? [] : [example([...cases])]),
    ...(alternatives.size === 0 ? [] : [`allows another outcome in ${example([...alternatives])}`]),
  ];
  return `${BEGIN}${anchor}"></a>${cell(sentence)} (${named.join('; ')})`;
};

const list = (rows: readonly Row[]): string => rows.map(lineOf).join('\n');

/** The prose of each topic of the page, by its heading. */
const proseIn = (written: string): ReadonlyMap<string, string> =>
  new Map(
    written.split(/^## /m).map((section) => {
      const [topic = '', ...lines] = section.split('\n');
      return [
        topic,
        lines
          .filter((line) => !line.startsWith(BEGIN))
          .join('\n')
          .trim(),
      ];
    }),
  );

const FAMILY = /^(WHATWG HTML|WHATWG Fetch|RFC \d+|OpenAI API reference|the interface)/;

/** A rule below the heading of its family, which its source need not repeat. */
function underFamily({ sentence, source }: Row, family: string): string {
  const place = source.startsWith(family) ? source.slice(family.length).replace(/^,? /, '') : source;
  return sentence === source || place === '' ? sentence : `${place}: ${sentence}`;
}

const section = (level: string, title: string, ...parts: readonly string[]): string =>
  [`${level} ${title}`, ...parts].filter((part) => part !== '').join('\n\n');

/** `docs/client-rules.md` with the rules by which a client is judged, and the cases of each. Its prose stays. */
export function withClientRules(page: string, cases: readonly ClientCase[]): string {
  const rows = rowsOf(cases);
  const others = rows.filter(({ topic }) => topic === undefined);
  // Sources that state one sentence in many places stand together: `RFC 9110 15.4` and `RFC 9110 10.2.3`.
  const families = byKey(
    others.toSorted((one, other) => (one.source < other.source ? -1 : Number(one.source > other.source))),
    ({ source }) => FAMILY.exec(source)?.[1] ?? 'Others',
  );
  const [head = '', ...written] = page.split(/^## Standards$/m)[0]?.split(/^(?=## )/m) ?? [];
  const prose = proseIn(written.join('').slice(3));
  const topics = new Set([...prose.keys(), ...rows.flatMap(({ topic }) => topic ?? [])]);
  return [
    head.trim(),
    ...[...topics].map((topic) =>
      section('##', topic, prose.get(topic) ?? '', list(rows.filter((row) => row.topic === topic))),
    ),
    '## Standards',
    ...[...families].map(([family, members]) =>
      section(
        '###',
        `${family[0]?.toUpperCase()}${family.slice(1)}`,
        list(members.map((row) => ({ ...row, sentence: underFamily(row, family) }))),
      ),
    ),
    '',
  ]
    .join('\n\n')
    .replace(/\n+$/, '\n');
}
