import { brief } from '../../framework/assert.js';
import type { Incomplete, Preflight, Stop, Unusable } from '../../framework/stop.js';
import { findingText } from './finding.js';
import { flagOf } from './need.js';
import { obstacleText } from './obstacle.js';

/** Why a credential is of no use here: the caller's mistake. */
export function unusableText(credential: string, how: Unusable): string {
  const flag = flagOf(credential);
  return {
    'opens-nothing': `${flag} opens nothing (401 to whatever it is sent with): is it a credential of this target?`,
    expired: `${flag} was taken before, and is refused now (401): has it expired?`,
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
      return `the target could not be put back: ${stop.detail}`;
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
    case 'left-behind':
      return `${reason.interns} intern(s) could not be cleaned up`;
    case 'shards':
      return `shards are missing: ${reason.missing.map((index) => `${index}/${reason.of}`).join(', ')}`;
    default:
      // A report of a later kit may have others.
      return stopText(reason) ?? (reason as Incomplete).kind;
  }
}
