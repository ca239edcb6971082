import { brief } from '../../model/assert.js';
import type {
  BootFailure,
  Incomplete,
  Lack,
  Obstacle,
  ObstacleSeen,
  Preflight,
  Stop,
  Unusable,
  Waited,
} from '../../model/skip.js';
import { behaviourIn, type Need, variable, waitIn } from '../../model/target.js';
import type { CredentialName } from '../../probe/request.js';
import type { NoAnswerGot } from '../../probe/wait.js';
import type { Hindrance } from '../../run/cleanup.js';
import { findingText } from './finding.js';

/** A text for each kind of a reason. */
type Texts<Reason extends { readonly kind: string }, Text> = {
  readonly [Kind in Reason['kind']]: (reason: Extract<Reason, { readonly kind: Kind }>) => Text;
};

/** Finds the text of a reason in the table of its kinds. A report of a later kit may have other kinds, which have none. */
export const textBy =
  <Reason extends { readonly kind: string }, Text = string>(texts: Texts<Reason, Text>) =>
  (reason: Reason): Text => {
    const kind = reason.kind as Reason['kind'];
    return (Object.hasOwn(texts, kind) ? texts[kind](reason as never) : undefined) as Text;
  };

export const flagOf = (name: string): string => `--${name.replaceAll('_', '-')}`;

/** The words for a fact that is not known of a target. */
export const FACTS: { readonly [Name in Need]?: string } = {
  daemon: 'this check needs the daemon of an emulator: no source states how a real one answers here',
  public_keys: 'no public key is known that proofs could be verified with',
  foreign_workspace: 'no foreign workspace is known',
  oauth_subject: 'the subject of the OAuth token is not known',
  peer_oauth_subject: 'the subject of the peer OAuth token is not known',
  scim_mapping: 'no SCIM mapping is known',
  scim_group: 'no SCIM group is named that the run may map',
  scim_sync: 'a sync changes the directory of others; allow it with --scim-sync yes',
  regional_host: 'no regional hostname is known',
};

/** The words for a need that is no credential, prompt or wait. */
const LACKING: { readonly [Name in Need]?: string } = {
  ...FACTS,
  write: 'the run is read-only',
  running: 'the run is read-only',
  control: 'the target has no control interface',
  clock: 'the clock of the target cannot be moved',
  disposable: 'the emulator is not for this run alone: a reset removes everything',
};

/** Why a need is not met, and how it would be. */
export function lackText({ need, how }: Lack): string {
  const behaviour = behaviourIn(need);
  if (how === 'script') return `the emulator has no script ${behaviour}, and refuses the kit's`;
  if (behaviour !== undefined) return `no prompt is configured that leads an intern to ${behaviour}`;
  const wait = waitIn(need);
  if (wait !== undefined) return `it waits ${wait / 1000} s for real; allow that with --slow ${wait / 1000}s`;
  if (how === 'read-only') return 'the run is read-only';
  if (how === 'intern-id') return 'the id of the intern that the own key belongs to is not given';
  return LACKING[need] ?? `${flagOf(need)} or ${variable(need as CredentialName)} is not given`;
}

/** Why a credential is unusable: a mistake of the caller. */
export function unusableText(credential: string, how: Unusable): string {
  const flag = flagOf(credential);
  return {
    'opens-nothing': `${flag} opens nothing (401 to every request): is it a credential of this target?`,
    expired: `${flag} worked before, and is refused now (401): has it expired?`,
    'sees-no-intern': `${flag} sees no intern of --api-key (404 for one that the key has made): is it of the same workspace, and the route served?`,
  }[how];
}

const gotText = ({ kind, detail }: NoAnswerGot): string => `${kind}: ${detail}`;
const BASE = 'nothing was created. Is its base address right?';

/** Why a target cannot be evaluated at all: what it did with `GET /interns`. */
const preflightText = textBy<Preflight>({
  unreachable: ({ got }) => `the target cannot be reached: ${gotText(got)}`,
  redirects: ({ status, to = 'nowhere' }) =>
    `the target redirects GET /interns to ${to} (${status}); redirects are not followed, give the address it leads to`,
  away({ status, after }) {
    const later = after === undefined ? '' : `, Retry-After ${after}`;
    const slowly = status === 429 ? ', or more slowly with --rate' : '';
    return `the target takes no requests now: it answers GET /interns with ${status}${later}; try again later${slowly}`;
  },
  'no-json': ({ status, type = 'no content type' }) =>
    `the target answers GET /interns with ${status} ${type} instead of JSON; is its base address right?`,
  'broken-json': ({ type = 'no content type' }) =>
    `the target answers GET /interns with ${type} that is not JSON; ${BASE}`,
  'key-refused': () => 'the target does not accept the API key (401 on every request)',
  refuses: ({ status, text }) => `the target answers GET /interns with ${status} ${text}; ${BASE}`,
  'no-list': () => `the target answers GET /interns without a list of interns in "data"; ${BASE}`,
  'no-ids': () => `the target lists interns without an id in answer to GET /interns; ${BASE}`,
  found({ found }) {
    const { what, expected, actual } = findingText(found);
    return `${what}: expected ${brief(expected)}, got ${brief(actual)}`;
  },
});

const spentText = ({ kind, most }: { readonly kind: string; readonly most: number }) =>
  `the budget of ${most} ${kind} is spent`;

/** Why a run ended before all was done. */
const STOPS: Texts<Stop, string> = {
  interrupted: () => 'interrupted',
  time: ({ ms }) => `the time of ${ms / 1_000} s is up`,
  prompts: spentText,
  requests: spentText,
  'clean-up-time': ({ ms }) => `the ${ms / 1_000} s for the clean-up are up`,
  silent: ({ checks }) => `the target gave no answer in ${checks} checks in a row`,
  'not-put-back': ({ detail }) => `the emulator could not be restored: ${detail}`,
  'no-intern': ({ status }) =>
    `the target answers a create with ${status} and no intern; nothing more is created. Is its base address right?`,
  'refuses-creates': ({ workspace, status }) =>
    `the target refuses to create an intern in workspace ${workspace} (${status}): is that the workspace of this key, and has it room for more interns?`,
  unusable: ({ credential, how }) => unusableText(credential, how),
  preflight: ({ saw }) => preflightText(saw),
  adapter: ({ detail }) => `the adapter could not be started again: ${detail}`,
};
export const stopText = textBy(STOPS);

const whyIncomplete = textBy<Incomplete>({
  ...STOPS,
  baseline: ({ ids }) => `no longer failing, but in the baseline: ${ids.join(', ')}`,
  'none-selected': () => 'no check was selected',
  'none-ran': () => 'no check ran',
  coverage({ checked, of, least }) {
    const percent = Math.floor((checked * 100) / Math.max(1, of));
    return `${checked} of ${of} checks came to a verdict: ${percent}%, less than --min-coverage ${least}%`;
  },
  blocked: ({ checks, by, obstacle, seen }) => `${checks} check(s) blocked by ${by}: ${obstacleText(obstacle, seen)}`,
  unreached: ({ checks }) => `${checks} check(s) could not be done: the target could not be reached`,
  errors: ({ ids }) => `${ids.length} check(s) could not be done: ${ids.join(', ')}`,
  fault: ({ exchange, request, message }) => `the kit's own fault at exchange ${exchange} (${request}): ${message}`,
  'left-behind': ({ interns }) => `${interns} intern(s) could not be cleaned up`,
  shards: ({ missing, of }) => `shards are missing: ${missing.map((index) => `${index}/${of}`).join(', ')}`,
});

/** Why a run does not pass, in a sentence. */
export const incompleteText = (reason: Incomplete): string => whyIncomplete(reason) ?? reason.kind;

/** `120 s`, `150 s of its clock`. */
export const waitedText = ({ ms, clock }: Waited): string =>
  `${ms / 1_000} s${clock === 'virtual' ? ' of its clock' : ''}`;

/** Why an intern did not start running. */
export function bootText(failure: BootFailure, which = 'the boot of an intern'): string {
  if (failure.kind === 'boot-failed')
    return `${which} failed${failure.message === undefined ? '' : ` (${failure.message})`}`;
  const { status } = failure;
  const waited = waitedText(failure.waited);
  return ['queued', 'provisioning'].includes(status)
    ? `an intern still boots after ${waited}; allow more with --boot-timeout`
    : `an intern that was provisioned did not come to run within ${waited}; it is ${status}`;
}

const OBSTACLES: Readonly<Record<Obstacle, string>> = {
  create: 'no intern could be created',
  running: 'no intern started running',
  gone: 'a deleted intern stays',
  chat: 'chat does not answer with a stream that ends',
  streaming: 'streams arrive only when they end',
  answers: 'no answer to a question is taken',
};

const seenText = textBy<ObstacleSeen>({
  create: ({ status }) =>
    status === undefined ? 'a valid create gave no answer' : `a valid create answered ${status}`,
  'not-own': () => 'a valid create answered no intern of its own',
  stays: ({ waited }) => `a deleted intern is still there after ${waitedText(waited)}`,
  'never-was': ({ status }) => `the intern that was made did not become ${status}`,
  silent: () => 'a prompt was answered with nothing, not even a keepalive',
  'boot-failed': (failure) => bootText(failure),
  'never-ran': (failure) => bootText(failure),
});

/** The blocker, as it was seen or in general. */
export const obstacleText = (obstacle: Obstacle, seen: ObstacleSeen | undefined): string =>
  seen === undefined ? OBSTACLES[obstacle] : seenText(seen);

/** The reason why an intern, or all of them, cannot be deleted. */
export const hindranceText = textBy<Hindrance>({
  'still-there': ({ status }) => (status === undefined ? 'still there' : `still there, status ${status}`),
  refused: ({ request, status }) => `${request} answered ${status}`,
  'no-answer': ({ got }) => `no answer: ${gotText(got)}`,
  'named-otherwise': ({ name }) => `its name ${JSON.stringify(name)} is not from this run`,
  'no-list': () => 'GET /interns answered no list',
  'no-last-page': () => 'GET /interns has no last page',
  'too-many': ({ retryAfter: after }) =>
    `the target refuses for now with 429${after === undefined ? '' : `, Retry-After ${after}`}`,
  silent: ({ got }) => `the target gives no answer: ${gotText(got)}`,
  over: ({ stop }) => stopText(stop),
  error: ({ message }) => message,
});
