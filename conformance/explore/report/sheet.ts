import { counted } from '../../../emulator/contract/counted.js';
import { sideBySide } from '../../../emulator/contract/side-by-side.js';
import type { Fact } from '../../report/clause.js';
import type { Line, Section, Sheet } from '../../report/sheet/sheet.js';
import { seconds } from '../../report/stream-text.js';
import { CLASSES, type ExploreReport, type Finding } from '../types.js';
import {
  type Again,
  againLines,
  broughtAbout,
  CLASS_TEXTS,
  headlineOf,
  incompleteText,
  lawText,
  SURFACED_TEXTS,
  summaryText,
  TRIED_TEXTS,
  VERDICT_WORDS,
  verdictOf,
} from './words.js';

export interface SheetOptions extends Again {
  /** Times too. Without them equal runs have equal reports. */
  readonly timed?: boolean;
}

type Reported = Omit<ExploreReport, 'text'>;

const COLOURS = { clean: 'pass', unnoticed: 'incomplete', broken: 'fail', incomplete: 'incomplete' } as const;
const NAMES = ['again', 'debug'] as const;

/** A finding: what happened, the law, both runs, and the commands that show it again. */
function lineOf({ straight }: Reported, finding: Finding, again: Again): Line {
  const { law, sentence, test, timeLine } = finding;
  const more = broughtAbout(finding);
  return {
    mark: '✗',
    tone: 'bad',
    subject: law,
    sentence,
    said: [lawText(law), ...(more === undefined ? [] : [more])].map((text) => ({ text, tone: 'quiet' })),
    runs: sideBySide((test ?? straight).timeLine, timeLine),
    again: againLines(finding, again).map((text, at): Fact => [NAMES[at] ?? '', text]),
  };
}

function surfacedSections({ surfaced }: Reported): Section[] {
  return (['test', 'app'] as const).map((by) => {
    const its = CLASSES.flatMap((kind) => surfaced.filter((one) => one.by === by && one.class === kind));
    const met = CLASSES.filter((kind) => its.some((one) => one.class === kind));
    return {
      title: SURFACED_TEXTS[by],
      lines: its.map(({ message, kinds, count, class: kind }) => ({
        mark: `${String(count).padStart(4)} ×`,
        subject: message.replace(/\s+/g, ' '),
        beside: `${kind}: ${kinds.join(', ')}`,
      })),
      after: [{ text: met.map((kind) => `${kind}: ${CLASS_TEXTS[kind]}`).join('; '), tone: 'quiet' }],
    };
  });
}

/** The report of an exploration, for somebody who reads one for the first time. */
export function sheetOf(report: Reported, { timed = false, ...again }: SheetOptions = {}): Sheet {
  const { findings, unnoticed, counts, straight, warnings, incomplete, timing, schedules, seed } = report;
  const verdict = verdictOf(report);
  const took = timed ? `${seconds(timing.ms)}, ${timing.msPerRun.toFixed(1)} ms a run, ` : '';
  return {
    title: 'Explore',
    verdict: COLOURS[verdict],
    word: VERDICT_WORDS[verdict],
    sum: summaryText(report),
    first: headlineOf(report),
    explained: `A schedule is one thing that goes wrong, or differs, at one moment: the program ran once more for each. ${Object.values(TRIED_TEXTS).join(' ')}`,
    notes: [
      {
        text: `${counted(straight.requests, 'request')} and ${counted(straight.moments.length, 'moment')} in the undisturbed run; the program read ${counts.readToEnd} of ${counted(counts.disturbed, 'disturbed answer')} to the end; ${took}seed ${seed}`,
        tone: 'quiet',
      },
      ...incomplete.map((why) => ({ text: incompleteText(why), tone: 'warn' as const })),
    ],
    sections: [
      {
        title: 'Laws that it broke',
        lines: findings.map((finding) => lineOf(report, finding, again)),
        findings: findings.map(({ law, sentence }) => ({ mark: '✗', tone: 'bad', subject: law, sentence })),
      },
      {
        title: 'It passed, and its user heard nothing (--fail-on unnoticed)',
        lines: unnoticed.map((finding) => ({
          ...lineOf(report, finding, again),
          mark: '·',
          tone: 'warn',
          short: true,
        })),
      },
      ...surfacedSections(report),
      { title: 'Also worth knowing', lines: warnings.map((subject) => ({ mark: '', tone: 'warn', subject })) },
      {
        title: 'Schedules',
        lines: [],
        table: {
          head: ['verdict', 'disturbance', 'moment', 'class'],
          groups: [
            {
              rows: schedules.map(({ verdict: what, kind, moment, class: group, law = '' }) => {
                const at = `${moment.operation} ${moment.nth} ${moment.write ?? moment.state ?? ''}`.trim();
                return { cells: [`${what} ${law}`.trim(), kind, at, group] };
              }),
            },
          ],
          shown: 'folded',
        },
      },
    ],
  };
}
