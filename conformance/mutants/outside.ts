import type { Check } from '../run/check.js';
import { killersOf } from './killers.js';
import type { Mutant } from './mutant.js';
import type { Unseen } from './seen.js';

/** Why no observer can see something of a deployment from outside, whatever it sends and however long it waits. */
type Reason = string;

const CREATE_BREAKS = 'nobody outside can make a create break off half-way';
const ARCHIVE = 'nobody outside can make the archive of a workspace fail';
const USAGE = 'what the intern reported shows nowhere else, and null is lawful';
const SEVERED = 'nobody outside can break the connection between the service and the intern';
const UNREACHABLE = 'nobody outside can make a running intern unreachable';
const FAILURE = 'nobody outside can make the service fail';
const VAULT_OFF = 'nobody outside can switch the writes of a vault off';
const LOG = "the service's log is not part of the interface";
const NO_BOUND = 'no bound is stated: what has not happened yet may still happen';
const INVOKE_SILENT = 'nothing that a run of invoke says or answers comes back';
const FINE = 'a network delays by more than that';

/**
 * Mutants of what is stated or published that no black-box observer can tell from a service that is right. A row needs a
 * reason that holds for any observer: that the kit has no means, or no time, is none.
 */
export const NOT_FROM_OUTSIDE: Readonly<Record<string, Reason>> = {
  'interns-of-their-creator-only': 'lawful: which interns of a workspace a key sees is the choice of the service',
  'outsider-is-401': 'a key that opens nothing anywhere looks the same',
  'gone-differs-from-unknown': 'lawful: who has seen an intern may learn that it is gone',
  'destroying-is-404': 'lawful: a teardown may be done as soon as it begins',
  'provision-at-every-create': 'lawful: a create may start provisioning at once (CREATE-3)',
  'provision-by-itself-after-a-while': 'lawful: nothing says how long an intern waits',
  'create-loses-white-space': 'lawful: nothing says that texts are kept to the letter, and some services tidy them',
  'boot-never-ends': NO_BOUND,
  'teardown-never-ends': NO_BOUND,
  'mode-self-drive-waits-for-a-consent': NO_BOUND,
  'invoke-waits-for-an-answer': NO_BOUND,
  'suspend-forgets-invoke-runs': 'only a control interface shows what it gets wrong',
  'error-erases-what-was-said': 'an intern that says nothing before it fails looks the same',
  'proof-not-needed': 'lawful: nothing says that a daemon takes no request without a proof',
  'stream-opens-with-the-first-word': 'lawful: a service may open a stream once its intern begins to speak',
  'accepted-only-when-it-did-not-fail': 'nobody outside can make a run fail at once',
  'sign-waits-for-the-body': 'lawful: what stands before a service may keep a body until it is whole',
  'proof-for-ever': 'the length of the window is not shown: any age may lie within it',
  'unfinished-starts-over': CREATE_BREAKS,
  'unfinished-stays-without-a-vault': CREATE_BREAKS,
  'unfinished-is-not-provisioned': CREATE_BREAKS,
  'unfinished-is-500': CREATE_BREAKS,
  'unfinished-taken-over-by-another-body': CREATE_BREAKS,
  'delete-loses-the-workspace': ARCHIVE,
  'delete-ignores-the-acknowledgement': ARCHIVE,
  'delete-forgets-why-it-failed': ARCHIVE,
  'update-of-the-model-at-once': 'no answer shows which model a run has',
  'usage-not-reported': USAGE,
  'usage-of-the-session': USAGE,
  'usage-only-after-stop': USAGE,
  'usage-of-nothing': USAGE,
  'severed-is-run-ended': SEVERED,
  'severed-has-no-ending': SEVERED,
  'severed-is-not-retryable': SEVERED,
  'error-reason-of-the-deadline': 'no deadline is stated that ends a run while its client is connected',
  'stream-reasoning-as-content': 'what an intern thinks and what it says differ only in where they stand',
  'permission-with-all-options': 'which options a permission has the intern decides',
  'question-swallows-what-was-said': 'an intern that says nothing before it asks looks the same',
  'unreachable-for-good': UNREACHABLE,
  'unreachable-reported-in-the-stream': UNREACHABLE,
  'limit-not-there': 'no number of turns is stated: a limit may lie higher than anything that was sent',
  'invoke-declines-every-question': INVOKE_SILENT,
  'invoke-a-few-milliseconds-longer': FINE,
  'keepalive-three-milliseconds-late': FINE,
  'sign-failure-with-another-message': FAILURE,
  'scim-failure-with-the-other-message': FAILURE,
  'daemon-unreachable-is-502': 'nobody outside can make the daemon of a running intern unreachable',
  'reveal-logged-by-member': LOG,
  'reveal-logged-with-the-token': LOG,
  'vault-copies-what-has-hosts': 'no request stores a secret without hosts',
  'vault-reads-off-too': VAULT_OFF,
  'vault-deletes-while-writes-are-off': VAULT_OFF,
};

/**
 * Mistakes of an emulator's scripts, faults and descriptor: no deployment has them, though a stated check sees them. Breaches of
 * chosen behaviour are here, too: only rows for an emulator show them.
 */
const OF_EMULATORS: ReadonlySet<string> = new Set([
  'script-waits-longer',
  'script-forgets-the-first-answer',
  'script-compares-whole-answers',
  'shipped-asks-once',
  'shipped-no-usage-with-usage',
  'shipped-refusals-speak-first',
  'fault-for-one-call-only',
  'fault-without-envelope',
  'fault-without-delay',
  'control-target-with-dead-credentials',
  'invalid-utf8-is-mended',
  'regional-anywhere-in-the-name',
  'vault-hosts-sorted',
  'vault-hosts-that-are-addresses',
  'vault-hosts-trimmed',
  'vault-hosts-counted-once-collapsed',
  'vault-needs-a-content-type',
  'media-type-of-chat-looked-at',
  'media-type-of-invoke-looked-at',
  'actions-take-what-is-no-object',
  'actions-refuse-an-empty-object',
]);

/**
 * Why a mutant that only checks with a control interface look for is not looked for at a deployment. Of others it is said
 * that only the control interface is missing.
 */
export const BY_CONTROL: Readonly<Record<string, Unseen>> = {
  'key-in-the-query': { because: 'credential', why: 'an own key that may be written into an address' },
  'own-key-reads-the-gone': { because: 'credential', why: 'the own key of an intern that may be deleted' },
  'stream-mends-surrogates': { because: 'agent', why: 'it would have to say half of a surrogate pair' },
  'stream-loses-the-thousandth': { because: 'agent', why: 'it would have to speak in more than 1,000 pieces' },
  'reply-delivered-to-the-streaming-run': { because: 'agent', why: 'it would have to speak on while it is answered' },
  'disconnect-while-it-speaks-not-noticed': { because: 'agent', why: 'it would have to speak on for a minute' },
  'deadline-goes-on-after-the-answer': { because: 'time', why: 'a run of more than five minutes' },
  'invoke-for-half-an-hour': { because: 'time', why: 'a run of half an hour' },
  'eight-may-wait': { because: 'dear', why: 'nine prompts, eight of them waiting' },
};

/** Where a mutant shows: from outside, nowhere from outside, or on an emulator alone, as nothing states what it breaks. */
export type Shows = { readonly kind: 'outside' | 'chosen' } | { readonly kind: 'never'; readonly why: Reason };

/** Whether a deployment can be wrong in this way, and whether that shows from outside. */
export function showsFrom(mutant: Mutant, checks: readonly Check[]): Shows {
  const levels = checks.filter(({ id }) => killersOf(mutant).includes(id)).map(({ level }) => level);
  if (OF_EMULATORS.has(mutant.name) || levels.every((level) => level === 'C')) return { kind: 'chosen' };
  const why = NOT_FROM_OUTSIDE[mutant.name];
  return why === undefined ? { kind: 'outside' } : { kind: 'never', why };
}
