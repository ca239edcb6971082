import { isRecord } from '../../contract/record.js';
import { MARKS, type TimeLineEntry } from '../../contract/side-by-side.js';
import { clipped } from '../../contract/visible.js';
import type { Fault } from './types.js';

/** The file that `explore` saves for a finding: a chaos profile. */
export interface Schedule {
  readonly name: string;
  readonly faults: readonly Fault[];
}

export interface ExploredFinding {
  readonly law: string;
  /** The sentence of the law. */
  readonly says: string;
  readonly sentence: string;
  readonly count: number;
  readonly schedule: Schedule;
  readonly timeLine: readonly TimeLineEntry[];
  /** The undisturbed run of its own test, where a suite was explored test by test. */
  readonly straight?: readonly TimeLineEntry[];
}

/** A file of `explore`, as far as the page shows it. */
export type Explored =
  | { readonly kind: 'schedule'; readonly schedule: Schedule }
  | {
      readonly kind: 'report';
      /** The first thing to do. */
      readonly headline: string;
      readonly run: number;
      readonly breaches: number;
      readonly warnings: readonly string[];
      readonly straight: readonly TimeLineEntry[];
      readonly findings: readonly ExploredFinding[];
      /** The disturbances that passed as if nothing were missing. */
      readonly unnoticed: readonly ExploredFinding[];
    };

/** The largest file that is read, in bytes. */
export const LARGEST = 16 * 1024 * 1024;
/** Characters of a text that are shown. */
const SHOWN = 2_000;
/** How much of what was wrong is shown. */
const CLIPPED = 60;

/** Characters that could reorder or hide what stands beside them are shown as such. */
const inert = (text: string): string => text.slice(0, SHOWN).replace(/[\p{Cc}\p{Bidi_Control}]/gu, '\u{fffd}');

const shown = (value: unknown): string => inert(clipped(JSON.stringify(value) ?? 'nothing', CLIPPED));

const wrong = (place: string, expected: string, found: unknown) =>
  new Error(`${place}: expected ${expected}, found ${shown(found)}`);

function textAt(value: unknown, place: string): string {
  if (typeof value !== 'string') throw wrong(place, 'a text', value);
  return inert(value.replace(/\s+/g, ' '));
}

function numberAt(value: unknown, place: string): number {
  if (typeof value !== 'number') throw wrong(place, 'a number', value);
  return value;
}

function listAt<T>(value: unknown, place: string, each: (one: unknown, place: string) => T): T[] {
  if (!Array.isArray(value)) throw wrong(place, 'a list', value);
  return value.map((one, at) => each(one, `${place}[${at}]`));
}

function recordAt(value: unknown, place: string): Record<string, unknown> {
  if (!isRecord(value)) throw wrong(place, 'an object', value);
  return value;
}

/** The emulator itself says what is wrong with a fault; the page needs the operation alone. */
function faultAt(value: unknown, place: string): Fault {
  const fault = recordAt(value, place);
  textAt(fault.operation, `${place}.operation`);
  for (const key of ['disturb', 'write', 'state', 'intern_id', 'at'])
    if (fault[key] !== undefined) textAt(fault[key], `${place}.${key}`);
  return fault as unknown as Fault;
}

const entryAt = (value: unknown, place: string): TimeLineEntry => {
  const { kind, text } = recordAt(value, place);
  if (typeof kind !== 'string' || !Object.hasOwn(MARKS, kind))
    throw wrong(`${place}.kind`, Object.keys(MARKS).join(', '), kind);
  return { kind: kind as TimeLineEntry['kind'], text: textAt(text, `${place}.text`) };
};

function scheduleAt(value: unknown, place: string): Schedule {
  const { name, faults } = recordAt(value, place);
  const at = place === '' ? '' : `${place}.`;
  const list = listAt(faults, `${at}faults`, faultAt);
  if (list.length === 0) throw wrong(`${at}faults`, 'a fault', faults);
  return { name: textAt(name, `${at}name`), faults: list };
}

function findingAt(value: unknown, place: string): ExploredFinding {
  const { law, says = '', sentence, count, schedule, timeLine, test } = recordAt(value, place);
  return {
    law: textAt(law, `${place}.law`),
    says: textAt(says, `${place}.says`),
    sentence: textAt(sentence, `${place}.sentence`),
    count: numberAt(count, `${place}.count`),
    schedule: scheduleAt(schedule, `${place}.schedule`),
    timeLine: listAt(timeLine, `${place}.timeLine`, entryAt),
    ...(test === undefined
      ? {}
      : { straight: listAt(recordAt(test, `${place}.test`).timeLine, `${place}.test.timeLine`, entryAt) }),
  };
}

/**
 * Reads a report (`explore --report json=FILE`) or a schedule (`.intern-explore/*.json`).
 *
 * @throws Error of one line that says what was expected, and where
 */
export function readExplored(text: string): Explored {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new Error('it is not JSON, or was cut off');
  }
  if (isRecord(value) && (value.format === undefined || value.format === 2) && value.faults !== undefined)
    return { kind: 'schedule', schedule: scheduleAt(value, '') };
  if (!isRecord(value) || value.format !== 'intern-explore')
    throw new Error('expected a report (`explore --report json=FILE`) or a schedule of explore');
  if (value.version !== 1) throw wrong('version', '1, the one that this console reads', value.version);
  const counts = recordAt(value.counts, 'counts');
  return {
    kind: 'report',
    headline: textAt(value.headline ?? '', 'headline'),
    run: numberAt(counts.run, 'counts.run'),
    breaches: numberAt(counts.breach, 'counts.breach'),
    warnings: listAt(value.warnings, 'warnings', textAt),
    straight: listAt(recordAt(value.straight, 'straight').timeLine, 'straight.timeLine', entryAt),
    findings: listAt(value.findings, 'findings', findingAt),
    unnoticed: listAt(value.unnoticed ?? [], 'unnoticed', findingAt),
  };
}
