import { brief } from '../../framework/assert.js';
import { behaviourIn, type Need, variable, waitIn } from '../../framework/needs.js';
import type { Lack } from '../../framework/skip.js';
import type {
  BootFailure,
  Incomplete,
  Obstacle,
  ObstacleSeen,
  Preflight,
  Stop,
  Unusable,
  Waited,
} from '../../framework/stop.js';
import type { CredentialName } from '../../probe/request.js';
import type { Hindrance } from '../../run/cleanup.js';
import { findingText } from './finding.js';

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

/** Why a target cannot be evaluated at all. */
function preflightText(saw: Preflight): string {
  const base = 'nothing was created. Is its base address right?';
  switch (saw.kind) {
    case 'unreachable':
      return `the target cannot be reached: ${saw.got.kind}: ${saw.got.detail}`;
    case 'redirects':
      return `the target redirects GET /interns to ${saw.to ?? 'nowhere'} (${saw.status}); redirects are not followed, give the address it leads to`;
    case 'away': {
      const after = saw.after === undefined ? '' : `, Retry-After ${saw.after}`;
      const slowly = saw.status === 429 ? ', or more slowly with --rate' : '';
      return `the target takes no requests now: it answers GET /interns with ${saw.status}${after}; try again later${slowly}`;
    }
    case 'no-json':
      return `the target answers GET /interns with ${saw.status} ${saw.type ?? 'no content type'} instead of JSON; is its base address right?`;
    case 'broken-json':
      return `the target answers GET /interns with ${saw.type ?? 'no content type'} that is not JSON; ${base}`;
    case 'key-refused':
      return 'the target does not accept the API key (401 on every request)';
    case 'refuses':
      return `the target answers GET /interns with ${saw.status} ${saw.text}; ${base}`;
    case 'no-list':
      return `the target answers GET /interns without a list of interns in "data"; ${base}`;
    case 'no-ids':
      return `the target lists interns without an id in answer to GET /interns; ${base}`;
    case 'found': {
      const { what, expected, actual } = findingText(saw.found);
      return `${what}: expected ${brief(expected)}, got ${brief(actual)}`;
    }
  }
}

/** Why a run ended before all was done. */
export function stopText(stop: Stop): string {
  switch (stop.kind) {
    case 'interrupted':
      return 'interrupted';
    case 'time':
      return `the time of ${stop.ms / 1_000} s is up`;
    case 'prompts':
    case 'requests':
      return `the budget of ${stop.most} ${stop.kind} is spent`;
    case 'clean-up-time':
      return `the ${stop.ms / 1_000} s for the clean-up are up`;
    case 'silent':
      return `the target gave no answer in ${stop.checks} checks in a row`;
    case 'not-put-back':
      return `the emulator could not be restored: ${stop.detail}`;
    case 'no-intern':
      return `the target answers a create with ${stop.status} and no intern; nothing more is created. Is its base address right?`;
    case 'refuses-creates':
      return `the target refuses to create an intern in workspace ${stop.workspace} (${stop.status}): is that the workspace of this key, and has it room for more interns?`;
    case 'unusable':
      return unusableText(stop.credential, stop.how);
    case 'preflight':
      return preflightText(stop.saw);
    case 'adapter':
      return `the adapter could not be started again: ${stop.detail}`;
  }
}

/** Why a run does not pass, in a sentence. */
export function incompleteText(reason: Incomplete): string {
  switch (reason.kind) {
    case 'baseline':
      return `no longer failing, but in the baseline: ${reason.ids.join(', ')}`;
    case 'none-selected':
      return 'no check was selected';
    case 'none-ran':
      return 'no check ran';
    case 'coverage': {
      const { checked, of, least } = reason;
      const percent = Math.floor((checked * 100) / Math.max(1, of));
      return `${checked} of ${of} checks came to a verdict: ${percent}%, less than --min-coverage ${least}%`;
    }
    case 'blocked':
      return `${reason.checks} check(s) blocked by ${reason.by}: ${obstacleText(reason.obstacle, reason.seen)}`;
    case 'unreached':
      return `${reason.checks} check(s) could not be done: the target could not be reached`;
    case 'errors':
      return `${reason.ids.length} check(s) could not be done: ${reason.ids.join(', ')}`;
    case 'fault':
      return `the kit's own fault at exchange ${reason.exchange} (${reason.request}): ${reason.message}`;
    case 'left-behind':
      return `${reason.interns} intern(s) could not be cleaned up`;
    case 'shards':
      return `shards are missing: ${reason.missing.map((index) => `${index}/${reason.of}`).join(', ')}`;
    default:
      // A report of a later kit may have other reasons.
      return stopText(reason) ?? (reason as Incomplete).kind;
  }
}

/** `120 s`, `150 s of its clock`. */
export const waitedText = ({ ms, clock }: Waited): string =>
  `${ms / 1_000} s${clock === 'virtual' ? ' of its clock' : ''}`;

/** The obstacles, in words. */
const OBSTACLES: Readonly<Record<Obstacle, string>> = {
  create: 'no intern could be created',
  running: 'no intern started running',
  gone: 'a deleted intern stays',
  chat: 'chat does not answer with a stream that ends',
  streaming: 'streams arrive only when they end',
  answers: 'no answer to a question is taken',
};

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

/** The blocker, as it was seen or in general. */
export function obstacleText(obstacle: Obstacle, seen: ObstacleSeen | undefined): string {
  if (seen === undefined) return OBSTACLES[obstacle];
  switch (seen.kind) {
    case 'create':
      return seen.status === undefined ? 'a valid create gave no answer' : `a valid create answered ${seen.status}`;
    case 'not-own':
      return 'a valid create answered no intern of its own';
    case 'stays':
      return `a deleted intern is still there after ${waitedText(seen.waited)}`;
    case 'never-was':
      return `the intern that was made did not become ${seen.status}`;
    case 'silent':
      return 'a prompt was answered with nothing, not even a keepalive';
    default:
      return bootText(seen);
  }
}

/** The reason why an intern, or all of them, cannot be deleted. */
export function hindranceText(because: Hindrance): string {
  switch (because.kind) {
    case 'still-there':
      return because.status === undefined ? 'still there' : `still there, status ${because.status}`;
    case 'refused':
      return `${because.request} answered ${because.status}`;
    case 'no-answer':
      return `no answer: ${because.got.kind}: ${because.got.detail}`;
    case 'named-otherwise':
      return `its name ${JSON.stringify(because.name)} is not from this run`;
    case 'no-list':
      return 'GET /interns answered no list';
    case 'no-last-page':
      return 'GET /interns has no last page';
    case 'too-many': {
      const { retryAfter } = because;
      return `the target refuses for now with 429${retryAfter === undefined ? '' : `, Retry-After ${retryAfter}`}`;
    }
    case 'silent':
      return `the target gives no answer: ${because.got.kind}: ${because.got.detail}`;
    case 'over':
      return stopText(because.stop);
    case 'error':
      return because.message;
  }
}
