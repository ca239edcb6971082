import type { Phase } from '../model/intern.js';
import type { Model } from '../model/model.js';
import { isDaemon, isSigning, type OperationName } from '../model/operations.js';
import { type RequirementId, requirement, speaksAt } from '../requirements/index.js';
import { ASIDE, OF_A_SECRET, phasesOf, REFUSED } from './mistakes.js';
import { actionIn, questionOf, replyIn } from './questions.js';
import { because, REFUSALS, wrongIn } from './refusals.js';
import { holds, isFromService, type Refusal, type Rule, type Seen, textOf } from './rule.js';

/** The requirement by which a valid request is accepted. */
const ACCEPTED_BY = {
  list: 'LIST-1',
  create: 'CREATE-1',
  get: 'GET-1',
  update: 'UPDATE-1',
  delete: 'DELETE-1',
  provision: 'PROV-1',
  suspend: 'SUSP-1',
  invoke: 'INVOKE-1',
  daemon: 'DAEMON-1',
  'daemon alias': 'DAEMON-3',
  sign: 'SIGN-1',
  'sign alias': 'SIGN-11',
  scim: 'SCIM-1',
  secrets: 'VAULT-1',
  'store secret': 'VAULT-3',
  'delete secret': 'VAULT-6',
  'intern secrets': 'VAULT-1',
  'store intern secret': 'VAULT-3',
  'delete intern secret': 'VAULT-6',
  'copy secrets': 'VAULT-7',
} as const satisfies Partial<Record<OperationName, RequirementId>>;

/** The phases in which an operation cannot conflict with the state of the intern. */
const TAKEN_IN: Readonly<Record<string, readonly Phase[]>> = {
  update: ['up', 'off'],
  delete: ['up', 'off'],
  provision: ['off'],
};

/** Whether some intern of this traffic has the name that a request gives, or had it. */
const isNameKnown = ({ body }: Seen, model: Model): boolean => model.called(textOf(body?.name)).size > 0;

/** Whether the state of the intern may refuse a request. No state refuses a read or a signing. */
function mayConflict(seen: Seen, model: Model): boolean {
  const { name, reads } = seen.operation;
  // A taken name is a refusal of its own. Only the published API says whose names are taken, and for how long.
  if (name === 'create')
    return model.mayRetry(seen.asked) || (!model.options.profile.published && isNameKnown(seen, model));
  if ((reads === true && !isDaemon(seen.operation)) || isSigning(seen.operation)) return false;
  return [...(phasesOf(seen) ?? ['new' as const])].some((phase) => TAKEN_IN[name]?.includes(phase) !== true);
}

/** ms after a suspend, or a write, in which it may not have settled. */
const SETTLES = 10_000;

/**
 * Whether a suspend goes on after its answer: a record that was read since shows the intern running, so that it takes no
 * provision, or the refusal says when to ask again. Where only stated requirements hold, any write may go on so.
 */
function isSettling({ answered, asked, intern, operation }: Seen, { options }: Model): boolean {
  if (options.ours === true || intern === undefined) return false;
  const { halted = Number.NEGATIVE_INFINITY, shown, wrote } = intern;
  const isUp = shown?.status === 'running' && shown.at >= halted;
  if (operation.name === 'provision' && intern.halted !== undefined && isUp) return true;
  const since = options.profile.published ? halted : Math.max(halted, wrote);
  return answered.header('retry-after') !== undefined && asked.at - since < SETTLES;
}

/** Whether a 403 blames the caller for a mistake that the request does not have. */
const isCallerBlamed = ({ answered: { status }, error }: Seen, maybe: readonly Refusal[]): boolean =>
  status === 403 &&
  REFUSALS.some(({ reason, statuses }) => reason === error?.reason && statuses.includes(403)) &&
  maybe.every(({ reason }) => reason !== error?.reason);

const CHANGES: ReadonlySet<string> = new Set(['update', 'delete', 'provision', 'suspend']);

/** Whether a member may not change what another made: no source says who may, and nobody else was served so far. */
const isOfAnother = ({ answered, asked, intern, operation }: Seen, model: Model): boolean =>
  answered.status === 403 &&
  CHANGES.has(operation.name) &&
  model.options.ours !== true &&
  intern?.made !== undefined &&
  model.isBy(asked, intern.made.person) === false &&
  !model.servesOthers(operation.name);

/** ms for which a question certainly stays open: its deadline is five minutes by default. */
const OPEN = 240_000;
/** Reasons of refusals that call a question closed or unknown. */
const CLOSED: ReadonlySet<unknown> = new Set([
  'interaction_unknown',
  'interaction_not_pending',
  'not_found',
  'run_ended',
]);

const ANSWERED: Rule = {
  id: 'CHAT-7/open-question-answered',
  requirement: 'CHAT-7',
  level: requirement('CHAT-7').level,
  of: ['chat'],
  says: 'A refused answer leaves the question open: the caller who was asked may still give an offered answer.',
  judge: (seen, model) => {
    const { asked, answered, error, id, intern } = seen;
    const question = questionOf(seen, model);
    const { session = '', asks, options, at = 0, moved = 0, answered: before, replies } = question?.value ?? {};
    const passed = asked.at - at + (model.options.moved?.() ?? 0) - moved;
    if (question === undefined || id === undefined || before !== undefined || passed > OPEN) return undefined;
    // Another answer may have come first, and a lifecycle call may have ended the run.
    if ((replies?.size ?? 0) > 1 || (intern?.moving ?? 0) > 1 || (intern?.halted ?? 0) > at) return undefined;
    if (model.options.partial === true || ASIDE.has(answered.status) || !isFromService(seen)) return undefined;
    if (model.isBy(asked, model.session(id, session)?.value.person) !== true) return undefined;
    const content = replyIn(seen)?.content;
    const declines = asks?.kind === 'elicitation' && ['decline', 'cancel'].includes(String(actionIn(content)));
    if (!declines && options?.includes(String(content)) !== true) return undefined;
    if (wrongIn(seen, model).sure.length > 0) return undefined;
    if (answered.status >= 300 && !CLOSED.has(error?.reason)) return undefined;
    return holds(answered.status < 300, 'status of the answer to a question', 'a stream', answered.status, [
      question.number,
    ]);
  },
};

const SIGNED_FIELDS: ReadonlySet<string> = new Set(['bodySha256', 'route']);
/** Whether the body of a signing has a field that interface.md does not name. */
const hasOtherField = ({ body, operation }: Seen): boolean =>
  isSigning(operation) && Object.keys(body ?? {}).some((key) => !SIGNED_FIELDS.has(key));

/** A prompt whose first line names its script (BODY-5). */
const SCRIPTED = /^script:[ \t]*\S/;

/** Operations whose status of success no source states. */
const ANY_SUCCESS: ReadonlySet<string> = new Set(['sign', 'sign alias', 'daemon', 'daemon alias']);

export const ACCEPTED_RULES: readonly Rule[] = [
  ANSWERED,
  ...(Object.entries(ACCEPTED_BY) as [keyof typeof ACCEPTED_BY, RequirementId][]).flatMap(([name, id]) => {
    const published = name === 'invoke' ? requirement(id).level : 'P';
    const applies = (seen: Seen, model: Model): boolean => {
      const { status } = seen.answered;
      if (ASIDE.has(status) || !isFromService(seen)) return false;
      // A good credential may have expired.
      if (seen.caller?.kind === 'member' && status === 401) return false;
      if (isOfAnother(seen, model)) return false;
      if (status === 409 && (mayConflict(seen, model) || isSettling(seen, model))) return false;
      // An id that the target has never shown may have a form that its ids do not have.
      if (status === 400 && seen.id !== undefined && seen.intern === undefined && seen.operation.area === 'interns')
        return false;
      // An emulator of ours refuses a prompt that names an unknown script.
      if (status === 400 && model.options.ours === true && SCRIPTED.test(textOf(seen.body?.input))) return false;
      // Only the published API says that signing ignores other fields.
      if (status === 400 && !model.options.profile.published && hasOtherField(seen)) return false;
      const { sure, maybe } = wrongIn(seen, model);
      // A mistake with stated statuses explains no other status, nor does one with published statuses at a target that is held to
      // the published API: such a mistake has a published reason, or is a rule. No mistake explains a failure of the service.
      const isHeld = ({ level, open, reason }: Refusal) =>
        level === 'S' || (level === 'P' && model.options.profile.published && (open !== true || reason !== undefined));
      return (
        sure.length === 0 &&
        (isCallerBlamed(seen, maybe) ||
          maybe.every(
            (one) =>
              !one.statuses.includes(status) &&
              (status === 409 || status >= 500 || (isHeld(one) && one.statuses !== REFUSED)),
          ))
      );
    };
    const accepted: Rule = {
      id: `${id}/${name.replaceAll(' ', '-')}-accepted`,
      requirement: id,
      level: requirement(id).level,
      of: [name],
      says: `Every valid ${name} is accepted.`,
      judge: (seen, model) =>
        !applies(seen, model)
          ? undefined
          : holds(
              seen.answered.status < 300,
              `status of ${seen.called}`,
              'a success',
              seen.answered.status,
              because(seen),
            ),
    };
    const status: Rule = {
      id: `${id}/${name.replaceAll(' ', '-')}-status`,
      requirement: id,
      level: published,
      of: [name],
      says: `Every accepted ${name} has its success status.`,
      judge: (seen) =>
        seen.answered.status >= 300
          ? undefined
          : holds(
              seen.operation.success.includes(seen.answered.status),
              `status of ${seen.called}`,
              seen.operation.success.join(' or '),
              seen.answered.status,
            ),
    };
    return [
      // Only a scenario knows whether the secret exists.
      ...(OF_A_SECRET.includes(name) ? [] : [accepted]),
      ...(!ANY_SUCCESS.has(name) && speaksAt(requirement(id), published) ? [status] : []),
    ];
  }),
];
