import type { Operation } from '../../contract/fault.js';
import type { Fault } from './types.js';

/** Their type ensures that these are all of them; the page does not load the schema. */
const OF_THE_CONTRACT: Readonly<Record<Operation, true>> = {
  list: true,
  create: true,
  get: true,
  update: true,
  delete: true,
  provision: true,
  suspend: true,
  chat: true,
  invoke: true,
  daemon: true,
  sign: true,
  scim: true,
  'vault-list': true,
  'vault-store': true,
  'vault-delete': true,
  'vault-copy': true,
};
export const OPERATIONS = Object.keys(OF_THE_CONTRACT);
export const STATUSES = [408, 429, 500, 502, 503, 504];

/** What can happen to a call, and which keys of a fault then count. */
export const EFFECTS = {
  status: 'answers an error',
  delay: 'answers late',
  disconnect: 'loses its connection',
  step: 'fails at a step of the create',
} as const;
export type Effect = keyof typeof EFFECTS;

export const DISCONNECTS = ['before-headers', 'mid-event', 'before-done', 'reset'];

/** The operations whose calls name no intern. */
export const OF_NO_INTERN: ReadonlySet<string> = new Set(['list', 'create', 'scim']);

/** Bad days, each several faults at once. */
export const CHAOS: readonly { name: string; does: string; faults: Fault[] }[] = [
  {
    name: 'Flaky service',
    does: 'the next 3 of list, get and create answer 503',
    faults: ['list', 'get', 'create'].map((operation) => ({ operation, status: 503, times: 3 })),
  },
  {
    name: 'Bad network',
    does: 'the next chats lose their connection: before an answer, in the middle of an event, before the end',
    faults: DISCONNECTS.map((disconnect) => ({ operation: 'chat', disconnect })),
  },
  {
    name: 'Overloaded',
    does: 'the next 5 chats answer 429, and the list takes 5 seconds',
    faults: [
      { operation: 'chat', status: 429, times: 5 },
      { operation: 'list', delay: '5s', times: 5 },
    ],
  },
  {
    name: 'Half a create',
    does: 'the next create stops before its vault, the one after before its provisioner',
    faults: [
      { operation: 'create', at: 'vault' },
      { operation: 'create', at: 'provisioner' },
    ],
  },
];

/** A fault in words. */
export function sentenceOf(fault: Fault): string {
  const effects = [
    fault.status !== undefined && `answers ${fault.status}`,
    fault.delay !== undefined && `waits ${typeof fault.delay === 'number' ? `${fault.delay} ms` : fault.delay}`,
    fault.disconnect !== undefined &&
      `loses its connection ${fault.disconnect === true ? 'before-headers' : fault.disconnect}`,
    fault.at !== undefined && `fails at the ${fault.at}`,
  ].filter((text) => text !== false);
  const times =
    fault.times === undefined || fault.times === 1
      ? 'The next'
      : fault.times === 'always'
        ? 'Every'
        : `Each of the next ${fault.times}`;
  const to = fault.intern_id === undefined ? '' : ` to ${fault.intern_id.slice(0, 8)}`;
  const chance = fault.probability === undefined ? '' : `, with a chance of ${Math.round(fault.probability * 100)} %`;
  const after = fault.after === undefined || fault.after === 0 ? '' : `, after ${fault.after} more`;
  return `${times} ${fault.operation}${to} ${effects.join(' and ')}${fault.reset ? ', by a reset' : ''}${chance}${after}`;
}

/** The contents of the form for a new fault. */
export interface FaultForm {
  operation: string;
  /** Empty is any. */
  intern: string;
  effect: Effect;
  status: number;
  delay: string;
  disconnect: string;
  at: string;
  times: string;
  always: boolean;
  after: string;
  /** Percent. */
  chance: string;
}

export const faultOf = (form: FaultForm): Fault => ({
  operation: form.operation,
  times: form.always ? 'always' : Number(form.times),
  ...(form.intern !== '' && !OF_NO_INTERN.has(form.operation) && { intern_id: form.intern }),
  ...(Number(form.after) > 0 && { after: Number(form.after) }),
  ...(Number(form.chance) < 100 && { probability: Number(form.chance) / 100 }),
  ...(form.effect === 'status' && { status: form.status }),
  ...(form.effect === 'delay' && { delay: form.delay }),
  ...(form.effect === 'disconnect' && { disconnect: form.disconnect }),
  ...(form.effect === 'step' && { at: form.at }),
});
