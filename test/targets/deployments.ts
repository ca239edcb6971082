import { lateOpening } from '../../conformance/habits/answers.js';
import { lateDisconnects } from '../../conformance/habits/connections.js';
import { expiringTokens } from '../../conformance/habits/expiring-tokens.js';
import type { Habit } from '../../conformance/habits/habit.js';
import { HABITS } from '../../conformance/habits/index.js';
import { peersApart } from '../../conformance/habits/members.js';
import type { Incomplete } from '../../conformance/model/skip.js';
import type { Deployment } from './deployment.js';
import { holdsStreams } from './holding.js';

/** A deployment, and what a run may make of it. */
export interface Known extends Deployment {
  /** The requirements that may be held against it: those that are published. */
  readonly differs?: readonly string[];
  /** Checks that have to find something: it breaks what they look at. */
  readonly shows?: readonly string[];
  /** Why a run may be incomplete: what it is given is good for a part of it only. */
  readonly incomplete?: readonly ((reason: Incomplete) => boolean)[];
}

/** The acts of a service's interns, of others at work there, and of its clock: no request is answered otherwise. */
const CONDUCTS: readonly Known[] = [
  { name: 'obeys every prompt', obeys: 1 },
  { name: 'obeys nothing and chats', obeys: 0 },
  { name: 'obeys half the time', obeys: 0.5 },
  { name: 'has a clock an hour ahead', obeys: 0.5, clockOff: 3_600_000 },
  { name: 'has a clock an hour behind', obeys: 0.5, clockOff: -3_600_000 },
  { name: 'is crowded', obeys: 0.5, crowded: true },
  { name: 'is waited for', obeys: 0.7, slow: 310_000 },
  { name: 'takes twenty turns a minute', obeys: 0.9, turns: 20 },
  { name: 'says what its prompt asks for', obeys: 1, asks: 'as prompted' },
  { name: 'says again what it said before it asked', obeys: 0.9, asks: 'over again' },
  { name: 'asks a question before it asks for permission', obeys: 1, asks: 'a question first' },
  { name: 'thinks before it says anything', obeys: 0, talks: 'at once', habits: [lateOpening] },
];

const expires = (reason: Incomplete): boolean =>
  reason.kind === 'unusable' && /oauth/.test(reason.credential) && reason.how !== 'sees-no-intern';

/** Requests that bring out more of a habit. */
const BESIDE = new Map<Habit, Partial<Known>>([
  [lateDisconnects, { obeys: 0.5, slow: 310_000 }],
  [peersApart, { obeys: 0.5, crowded: true }],
  [expiringTokens, { obeys: 1, incomplete: [expires] }],
]);

/** A service with one habit. */
export const withHabit = (habit: Habit): Known => ({
  name: habit.what,
  obeys: habit.differs === undefined ? 0.9 : 1,
  habits: [habit],
  ...(habit.differs === undefined ? {} : { differs: habit.differs }),
  ...BESIDE.get(habit),
});

/** Services that keep every sentence of the interface, and behave as real ones may. */
export const DEPLOYMENTS: readonly Known[] = [
  ...CONDUCTS,
  ...HABITS.filter(({ serve }) => serve !== undefined).map(withHabit),
];

/** The one that breaks a sentence, as proxies do. */
export const BUFFERING: Known = {
  name: 'is behind a proxy that holds streams back',
  obeys: 0,
  talks: 'at length',
  wrong: [holdsStreams],
  shows: ['chat-stream/as-it-is-said'],
};
