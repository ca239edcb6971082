import type { ExploreReport, TimeLineEntry } from '../types.js';

const before: readonly TimeLineEntry[] = [
  { kind: 'request', text: 'POST /interns/…/chat/completions', request: 1 },
  { kind: 'answer', text: '200', request: 1 },
  { kind: 'write', text: 'content "one "', request: 1 },
];

/** A report with every part, whose texts attack the reader. For tests of reporters. */
export const sampleReport = (hostile = '<script>hit</script>\u001b[31m\r::error::x'): ExploreReport => ({
  format: 'intern-explore',
  version: 1,
  seed: 's',
  straight: {
    requests: 2,
    moments: [{ operation: 'chat', nth: 1, write: 'content:1' }],
    leftOut: [{ operation: 'list', nth: 2 }],
    timeLine: [...before, { kind: 'write', text: 'content "two"', request: 1 }, { kind: 'outcome', text: 'passed' }],
  },
  schedules: [
    {
      id: 'cut@chat:1:content:1',
      class: 'final',
      kind: 'cut',
      moment: { operation: 'chat', nth: 1, write: 'content:1' },
      verdict: 'breach',
      law: 'once',
      message: hostile,
    },
    {
      id: '503@chat:1',
      class: 'transient',
      kind: '503',
      moment: { operation: 'chat', nth: 1 },
      verdict: 'surfaced',
      message: hostile,
    },
    {
      id: 'late@question:1',
      class: 'final',
      kind: 'withdrawn',
      moment: { operation: 'answer', nth: 1, state: 'asked' },
      verdict: 'not-reached',
    },
    { id: 'crlf@chat:1', class: 'harmless', kind: 'crlf', moment: { operation: 'chat', nth: 1 }, verdict: 'survived' },
  ],
  findings: [
    {
      law: 'once',
      request: 'chat',
      operation: 'chat',
      kind: 'cut',
      disturbances: [
        { kind: 'cut', operation: 'chat', schedules: ['cut@chat:1:content:1', 'cut@chat:1:first'] },
        { kind: 'lost', operation: 'chat', schedules: ['lost@chat:1'] },
      ],
      sentence: `the stream of the 1st chat was cut after 1 word: the prompt was sent again ${hostile}`,
      schedule: {
        format: 2,
        name: 'once',
        faults: [{ operation: 'chat', times: 1 }],
        explore: { class: 'final', law: 'once', seed: 's' },
      },
      count: 3,
      message: 'prompt "one two": 2 times, 1 undisturbed',
      timeLine: [
        ...before,
        { kind: 'disturbance', text: 'cut', request: 1 },
        { kind: 'request', text: 'POST /interns/…/chat/completions', request: 2 },
        { kind: 'print', text: hostile },
        { kind: 'outcome', text: 'passed' },
      ],
    },
  ],
  unnoticed: [],
  surfaced: [{ by: 'test', message: hostile, class: 'transient', kinds: ['503'], count: 1 }],
  counts: {
    schedules: 5,
    run: 4,
    survived: 1,
    unnoticed: 0,
    surfaced: 1,
    byTest: 1,
    breach: 1,
    notReached: 1,
    readToEnd: 1,
    disturbed: 3,
  },
  warnings: [hostile],
  incomplete: ['max-runs'],
  timing: { ms: 1_234, msPerRun: 12.3 },
  text: '',
});
