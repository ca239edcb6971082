import type { Model } from '../model/model.js';
import { isPrompt } from '../model/operations.js';
import { ALL } from './areas.js';
import { ASIDE, REFUSED } from './mistakes.js';
import {
  about,
  byOperation,
  holds,
  is,
  isDone,
  isFromService,
  isTurning,
  type Judgement,
  once,
  type Refusal,
  type Rule,
  rulesOf,
  type Seen,
  STEPS,
} from './rule.js';

/** All refusals, in the order in which a service looks for them. */
export const REFUSALS: readonly Refusal[] = ALL.filter((row) => 'wrong' in row).toSorted(
  (one, other) => STEPS.indexOf(one.step) - STEPS.indexOf(other.step),
);

const refusalsOf = byOperation(REFUSALS);

/** The sure mistakes of a request, and the possible ones. */
export const wrongIn = once((seen, model) => {
  const sure: Refusal[] = [];
  const maybe: Refusal[] = [];
  for (const refusal of refusalsOf(seen)) {
    const wrong = refusal.wrong(seen, model);
    if (wrong === true) sure.push(refusal);
    else if (wrong === undefined) maybe.push(refusal);
  }
  return { sure, maybe };
});

/** The exchanges that established the intern's phase: its create, and a record of it. */
export const because = ({ intern }: Pick<Seen, 'intern'>): readonly number[] =>
  intern === undefined ? [] : [...(intern.made === undefined ? [] : [intern.made.number]), ...intern.phase.because];

/** Steps at which a request shows its mistake itself: whether it was accepted needs no other exchange. */
const ITS_OWN: ReadonlySet<Refusal['step']> = new Set(['size', 'media type', 'body']);

function judgeRefusal(refusal: Refusal, seen: Seen, model: Model): Judgement {
  const { status } = seen.answered;
  if (ASIDE.has(status) || !isFromService(seen)) return undefined;
  const { sure, maybe } = wrongIn(seen, model);
  if (!sure.includes(refusal)) return undefined;
  // The refusal of a regional host precedes all others, with any status.
  if (seen.asked.regional && status >= 400 && refusal.requirement !== 'BASE-4') return undefined;
  // A gateway may refuse a large body before the service reads it.
  const before = status === 413 && seen.error === undefined ? undefined : refusal.first;
  const others = [...sure, ...maybe].filter(
    (one) => one !== refusal && !refusal.statuses.includes(status) && before?.test(one.id) !== false,
  );
  // The interface does not state which of several mistakes the answer names.
  if (status >= 400 && others.some(({ statuses }) => statuses !== REFUSED && statuses.includes(status)))
    return undefined;
  const other = refusal.other?.(seen, model);
  const judged = holds(
    refusal.statuses.includes(status),
    `status of ${seen.called}`,
    refusal.statuses === REFUSED ? 'a refusal' : refusal.statuses.join(' or '),
    status,
    [...because(seen), ...because({ intern: other })],
  );
  const isAlone = isDone(seen) && ITS_OWN.has(refusal.step) && typeof judged === 'object';
  return about(other?.id, isAlone ? { ...judged, alone: true } : judged);
}

/** Judges which of several mistakes an answer names. */
function judgeOrder(seen: Seen, model: Model): Judgement {
  const { status } = seen.answered;
  if (status < 400 || ASIDE.has(status) || !isFromService(seen)) return undefined;
  const { sure, maybe } = wrongIn(seen, model);
  const [first, ...others] = REFUSALS.filter(
    (one) => one.step !== 'state' && (sure.includes(one) || maybe.includes(one)),
  );
  if (first === undefined || others.length === 0 || !sure.includes(first)) return undefined;
  const what = `status of ${seen.called} with several mistakes`;
  return holds(first.statuses.includes(status), what, first.statuses.join(' or '), status, because(seen));
}

/** Judges the reason of a refusal, if all mistakes that the request may have share one published reason. */
function judgeReason(seen: Seen, model: Model): Judgement {
  const { answered, error, called } = seen;
  // A turn that has just begun or ended may keep an intern busy in any state.
  if (answered.status === 409 && isPrompt(seen.operation) && error?.reason === 'busy' && isTurning(seen, model))
    return undefined;
  if (answered.status < 400 || error?.metadata === undefined || !isFromService(seen)) return undefined;
  const { sure, maybe } = wrongIn(seen, model);
  const causes = [...sure, ...maybe].filter(({ statuses }) => statuses.includes(answered.status));
  const [first] = causes;
  if (first?.reason === undefined || causes.some(({ reason }) => reason !== first.reason)) return undefined;
  return sure.some((one) => causes.includes(one))
    ? is(`error.metadata.reason of a ${answered.status} of ${called}`, first.reason, error.reason, because(seen))
    : undefined;
}

/** A rule for each refusal, and one for the published reasons of all. */
export const REFUSAL_RULES: readonly Rule[] = [
  ...REFUSALS.filter(({ open }) => open !== true).map(
    (refusal): Rule => ({
      id: refusal.id,
      requirement: refusal.requirement,
      level: refusal.level,
      says: refusal.says,
      ...(refusal.of === undefined ? {} : { of: refusal.of }),
      judge: (seen, model) => judgeRefusal(refusal, seen, model),
    }),
  ),
  ...rulesOf<Rule>('BODY-5', {
    'earliest-mistake': {
      says: 'Of several mistakes in a request, the answer names the first in the order of BODY-5.',
      judge: judgeOrder,
    },
  }),
  ...rulesOf<Rule>('BASE-3', {
    reason: {
      level: 'P',
      says: 'A request that is refused for a published cause gets its published reason.',
      judge: judgeReason,
    },
  }),
];
