import { ruleOf } from '../conformance/clients/rules.js';
import { byKey } from '../emulator/contract/by-key.js';
import type { ClientCase } from '../emulator/contract/client-case.js';
import { cell } from './page-parts.js';

interface Row {
  readonly anchor: string;
  readonly sentence: string;
  readonly source: string;
  readonly topic: string | undefined;
  /** Whether a case rests on it; else it only makes another outcome right. */
  judges: boolean;
}

/** Every rule that a case rests on, in the order in which they come. */
function rowsOf(cases: readonly ClientCase[]): Row[] {
  const rows = new Map<string, Row>();
  const rowFor = (why: string, { layer }: ClientCase): Row => {
    const { topic, ...rule } = ruleOf(why, layer);
    const row = rows.get(rule.anchor) ?? { ...rule, topic, judges: false };
    rows.set(rule.anchor, row);
    return row;
  };
  for (const one of cases) {
    for (const why of one.why) rowFor(why, one).judges = true;
    for (const { why } of one.alternatives ?? []) rowFor(why, one);
  }
  return [...rows.values()];
}

const BEGIN = '- <a id="';

const lineOf = ({ anchor, sentence, judges }: Row): string =>
  `${BEGIN}${anchor}"></a>${cell(sentence)}${judges ? '' : ' (`pass-alternative`)'}`;

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

const FAMILY = /^(WHATWG HTML|WHATWG Fetch|RFC \d+|OpenAI API reference, Chat streaming|the interface)/;

/** A rule below the heading of its family, which its source need not repeat. */
function underFamily({ sentence, source }: Row, family: string): string {
  const place = source.startsWith(family) ? source.slice(family.length).replace(/^,? /, '') : source;
  return sentence === source || place === '' ? sentence : `${place}: ${sentence}`;
}

const section = (level: string, title: string, ...parts: readonly string[]): string =>
  [`${level} ${title}`, ...parts].filter((part) => part !== '').join('\n\n');

/** `docs/client-rules.md` with the rules by which a client is judged. Its prose stays. */
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
