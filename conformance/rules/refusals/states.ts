import { UUID } from '../../framework/assert.js';
import { idempotencyHeaderOf } from '../../framework/profile.js';
import { canonical } from '../../model/exchange.js';
import type { InternFacts, RecordFields } from '../../model/intern.js';
import type { Model } from '../../model/model.js';
import { DAEMON } from '../../model/operations.js';
import { isRecord, jsonOf } from '../../probe/json.js';
import { once, type Seen } from '../rule.js';
import { isHidden, isNotIn, json, maybe, not, REFUSED, rows, type Wrong } from './refusal.js';

const ACTIONS: readonly unknown[] = ['accept', 'decline', 'cancel'];
/** The action of an answer to an elicitation. The fields of an `accept` are not looked at. */
export function actionIn(content: unknown): unknown {
  const answer = typeof content === 'string' ? jsonOf(content) : undefined;
  return isRecord(answer) && ACTIONS.includes(answer.action) ? answer.action : undefined;
}

/** The tool message of an answer to a question. */
export function replyIn({ operation, body }: Seen): RecordFields | undefined {
  const last = operation.name === 'chat' && Array.isArray(body?.messages) ? body.messages.at(-1) : undefined;
  return isRecord(last) && last.role === 'tool' ? last : undefined;
}
/** The question that an answer names, if that intern asked it in that session. */
export function questionOf(seen: Seen, model: Model) {
  // The intern has asked nothing of a caller who cannot see it.
  if (isHidden(seen, model) === true) return undefined;
  const question = model.questions.get(String(replyIn(seen)?.tool_call_id));
  return question?.value.intern === seen.id && question?.value.session === seen.body?.session_id ? question : undefined;
}
/** Whether an answer names a call that its session never asked. */
function isUnknownCall(seen: Seen, model: Model): Wrong {
  const { tool_call_id: call } = replyIn(seen) ?? {};
  if (typeof call !== 'string' || typeof seen.body?.session_id !== 'string') return false;
  if (questionOf(seen, model) !== undefined) return false;
  return model.questions.has(call) || model.hasSeenAll ? true : undefined;
}

const sameBody = (one: unknown, other: unknown): boolean => canonical(one) === canonical(other);
/** Whether the creator of an intern also made, or makes, the one that the request names. */
function isOfCreator({ person }: { readonly person: string | undefined }, seen: Seen, model: Model): Wrong {
  if (seen.operation.name === 'create') return model.isBy(seen.asked, person);
  const own = seen.intern?.made?.person;
  return own === undefined || person === undefined ? undefined : own === person;
}

const isKeyed = ({ asked }: Seen, { options }: Model): boolean =>
  asked.header(idempotencyHeaderOf(options.profile)) !== undefined;

/** The intern of the same creator that has the name which a request gives. */
const namesake = once((seen, model): InternFacts | 'unknown' | undefined => {
  if (typeof seen.body?.name !== 'string') return seen.asked.body.kind === 'unknown' ? 'unknown' : undefined;
  const wanted = JSON.stringify(seen.body.name);
  const { asked } = seen;
  const creates = seen.operation.name === 'create';
  if (creates && model.createBy(asked) !== undefined) return undefined;
  // An intern from before the first exchange may have the name.
  let unsure = model.options.inUse === true;
  for (const intern of model.called(seen.body.name)) {
    if (intern.made === undefined || intern.id === seen.id) continue;
    const ofCreator = isOfCreator(intern.made, seen, model);
    const values = ofCreator === false ? undefined : intern.settings.name.since(asked.at);
    if (values?.has(wanted) !== true) continue;
    const phases = intern.phase.since(asked.at);
    if (phases !== undefined && phases.size === 1 && phases.has('gone')) continue;
    if (ofCreator === undefined || values.size > 1 || phases === undefined || phases.has('gone')) unsure = true;
    // An equal create may be a retry, even with a key that the service has forgotten.
    else if (creates && (!isKeyed(seen, model) || sameBody(seen.body, intern.made.body))) unsure = true;
    // 200 answers the retry of a create from before the first exchange.
    else if (creates && seen.answered.status === 200) unsure = true;
    else return intern;
  }
  return unsure ? 'unknown' : undefined;
});

/** Refusals for the state of the thing that a request is about. */
export const OF_STATES = rows({
  'reply-to-none': {
    requirement: 'CHAT-6',
    says: 'The answer to a question goes to the run that asked: with any other call, session or intern it is refused.',
    statuses: REFUSED,
    of: ['chat'],
    wrong: isUnknownCall,
  },
  'call-unknown': {
    requirement: 'CHAT-7',
    level: 'P',
    says: 'The answer to a call that was never asked in its session is refused with 404.',
    statuses: [404],
    reason: 'interaction_unknown',
    of: ['chat'],
    wrong: isUnknownCall,
  },
  'answered-once': {
    requirement: 'CHAT-7',
    says: 'A question is answered once: a further answer is refused.',
    statuses: REFUSED,
    of: ['chat'],
    wrong: (seen, model) => questionOf(seen, model)?.value.answered !== undefined,
  },
  'run-over': {
    requirement: 'CHAT-7',
    level: 'P',
    says: 'The answer to a question whose run has ended is refused with 409.',
    statuses: [409],
    reason: 'interaction_not_pending',
    of: ['chat'],
    wrong: (seen, model) => questionOf(seen, model)?.value.over === true,
  },
  'no-option': {
    requirement: 'CHAT-7',
    level: 'P',
    says: 'An answer that the question does not offer is refused with 400.',
    statuses: [400],
    reason: 'bad_request',
    of: ['chat'],
    wrong: (seen, model) => {
      const { answered, asks, options } = questionOf(seen, model)?.value ?? {};
      const content = replyIn(seen)?.content;
      if (answered !== undefined || typeof content !== 'string') return false;
      if (asks?.kind === 'elicitation') return actionIn(content) === undefined ? true : undefined;
      return options !== undefined && content !== 'cancel' && !options.includes(content);
    },
  },
  'question-closed': {
    open: true,
    requirement: 'CHAT-7',
    says: 'A question may have closed: its deadline has passed, its intern has ended the run, or another run has begun.',
    statuses: [404, 409, 410],
    of: ['chat'],
    wrong: (seen, model) =>
      maybe(
        replyIn(seen) !== undefined &&
          typeof seen.body?.session_id === 'string' &&
          isUnknownCall(seen, model) !== true &&
          questionOf(seen, model)?.value.over !== true,
      ),
  },
  'session-unknown': {
    open: true,
    requirement: 'CHAT-15',
    says: 'A service may refuse sessions that it has not issued.',
    statuses: [404, 400],
    of: ['chat'],
    wrong: (seen, model) => {
      const session = seen.body?.session_id;
      if (typeof session !== 'string' || seen.id === undefined || model.options.ours === true) return false;
      return maybe(model.session(seen.id, session) === undefined);
    },
  },
  'session-of-others': {
    requirement: 'INVOKE-3',
    says: 'A session is accepted only from the caller it was issued to, on the same intern: any other is refused with 404.',
    statuses: [404],
    reason: 'not_found',
    of: ['invoke'],
    wrong: (seen, model) => {
      const session = seen.body?.session_id;
      if (typeof session !== 'string' || seen.id === undefined)
        return seen.asked.body.kind === 'unknown' ? undefined : false;
      const known = model.session(seen.id, session);
      // The run has seen all sessions of an intern that it made.
      if (known === undefined)
        return model.options.madeUp?.(session) === true || (model.hasSeenAll && seen.intern?.made !== undefined)
          ? true
          : undefined;
      const { origin, person } = known.value;
      return origin === 'chat' || not(model.isBy(seen.asked, person));
    },
  },
  'provision-runs': {
    requirement: 'PROV-1',
    level: 'P',
    says: 'An intern that boots or runs is not provisioned: 409.',
    statuses: [409],
    reason: 'intern_busy',
    of: ['provision'],
    wrong: (seen, model) => isNotIn(seen, model, 'new', 'off', 'failed', 'stuck'),
  },
  'suspend-rests': {
    requirement: 'SUSP-1',
    level: 'P',
    says: 'An intern that does not run is not suspended: 409.',
    statuses: [409],
    reason: 'intern_busy',
    of: ['suspend'],
    wrong: (seen, model) => isNotIn(seen, model, 'up'),
  },
  'chat-runs': {
    requirement: 'CHAT-16',
    says: 'An intern that does not run takes no prompt: 409.',
    statuses: [409],
    reason: 'intern_not_ready',
    of: ['chat'],
    wrong: (seen, model) => isNotIn(seen, model, 'up'),
  },
  'invoke-runs': {
    open: true,
    requirement: 'INVOKE-1',
    level: 'P',
    says: 'An intern that does not run starts no run: 409.',
    statuses: [409],
    reason: 'intern_not_ready',
    of: ['invoke'],
    wrong: (seen, model) => isNotIn(seen, model, 'up'),
  },
  'access-runs': {
    requirement: 'DAEMON-1',
    says: 'The daemon access is that of a running intern: for any other it is refused.',
    statuses: REFUSED,
    of: DAEMON,
    wrong: (seen, model) => isNotIn(seen, model, 'up'),
  },
  'access-runs-status': {
    requirement: 'DAEMON-1',
    level: 'P',
    says: 'The daemon access of an intern that does not run is refused with 409.',
    statuses: [409],
    reason: 'intern_not_running',
    of: DAEMON,
    wrong: (seen, model) => isNotIn(seen, model, 'up'),
  },
  'key-reused': {
    requirement: 'CREATE-4',
    level: 'P',
    says: 'An idempotency key that comes with another body is refused with 409.',
    statuses: [409],
    reason: 'idempotency_key_reused',
    of: ['create'],
    wrong: (seen, model) => {
      const known = model.createBy(seen.asked);
      // Another workspace may be refused first, as one that the caller cannot see.
      if (
        known !== undefined &&
        isRecord(known.value.body) &&
        seen.body?.workspace_id !== known.value.body.workspace_id
      )
        return undefined;
      return known !== undefined && json(seen, (value) => isRecord(value) && !sameBody(value, known.value.body));
    },
  },
  'name-taken': {
    requirement: 'CREATE-5',
    says: 'A name that another intern of the creator has is refused with 409.',
    statuses: [409],
    reason: 'name_conflict',
    of: ['create', 'update'],
    wrong: (seen, model) => {
      const found = namesake(seen, model);
      return found === 'unknown' ? undefined : found !== undefined;
    },
    other: (seen, model) => {
      const found = namesake(seen, model);
      return found === 'unknown' ? undefined : found;
    },
  },
  'scim-unknown': {
    requirement: 'SCIM-2',
    says: 'A mapping that is unknown answers 404.',
    statuses: [404],
    of: ['scim'],
    wrong: (seen, model) =>
      seen.id !== undefined
        ? !UUID.test(seen.id) ||
          model.options.madeUp?.(seen.id) === true ||
          (model.options.mapping === undefined || model.options.mapping.toLowerCase() !== seen.id.toLowerCase()
            ? undefined
            : false)
        : false,
  },
});
