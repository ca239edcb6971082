/**
 * What drift compares, and what it passes over: each row with its reason. docs/recordings.md shows the same table.
 * Whatever is not named is compared by its type alone.
 */

/** Keys whose values have to be equal, wherever they stand in a body. */
export const COMPARED_VALUES: Readonly<Record<string, string>> = {
  code: 'an error is known by it',
  reason: 'clients decide by it',
  retryable: 'clients decide by it',
  object: 'names the kind of a chunk',
  finish_reason: 'tells how a turn ended',
  type: 'names the kind of a tool call',
  kind: 'tells a permission from a question',
  operation: 'what permission is asked for',
  options: 'what may be answered',
  status: 'the state of an intern or of a prompt',
  role: 'who speaks, or what a mapping grants',
  deleting: 'says that teardown began',
  provisioning: 'says that a boot began',
  suspended: 'says that the runtime stopped',
};

/** Keys of an intern's record that the requests made: what was written has to be read. */
export const WRITTEN_SETTINGS: readonly string[] = ['name', 'description', 'instructions', 'model'];

/** Headers of the contract. `value`: compared whole; `media-type`: without parameters; `present`: whether it is there. */
export const COMPARED_HEADERS: Readonly<Record<string, 'value' | 'media-type' | 'present'>> = {
  'content-type': 'media-type',
  'cache-control': 'value',
  'retry-after': 'present',
  allow: 'present',
  deprecation: 'present',
  link: 'present',
};

/** Passed over, and why. */
export const PASSED_OVER: readonly (readonly [what: string, why: string])[] = [
  [
    'wording: messages, what was said, tool call arguments beside kind, operation and options',
    'a model and a deployment choose their words',
  ],
  ['ids, sessions, questions, hosts', 'differ in each run; that one value stands for one thing is compared'],
  ['times, durations, usage numbers', 'differ in each run'],
  ['how often a kind of chunk repeats, comments', 'the size of a write is nobody’s promise'],
  ['null against a value', 'null fits any type: what is not there yet may come'],
  ['further keys', 'clients ignore them; reported as a warning'],
  ['interns that the recording does not name', 'a workspace has others'],
];

/** Answers that tell of a deployment's hour rather than of its rules: an emulator is not in that state. */
export const OF_THE_HOUR: Readonly<Record<number, string>> = {
  408: 'it took too long',
  429: 'its limiter was full',
  500: 'it failed',
  503: 'it was busy',
  504: 'an intern took too long',
};

/** Reasons of a state that is judged, whatever the status they come with. */
const OF_A_STATE = /"reason":"(?:intern_|interaction_|not_|invalid_|bad_|name_|idempotency_)/;

/** What an answer tells of the deployment's hour, or undefined where it tells of its rules. */
export const ofTheHour = ({
  status,
  body,
}: {
  readonly status: number;
  readonly body?: unknown;
}): string | undefined => (OF_A_STATE.test(JSON.stringify(body ?? '')) ? undefined : OF_THE_HOUR[status]);
