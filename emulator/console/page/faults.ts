import type { Operation } from '../../contract/operation.js';
import type { Fault } from './types.js';

interface Call {
  readonly request: string;
  /** The words for a sentence, if the name alone says too little. */
  readonly one?: string;
  readonly many?: string;
}

/** The calls of each operation. The type ensures that these are all of them; the page does not load the schema. */
const CALLS: Readonly<Record<Operation, Call>> = {
  list: { request: 'GET /interns', one: 'list of interns', many: 'lists of interns' },
  create: { request: 'POST /interns' },
  get: { request: 'GET /interns/{id}', one: 'read of an intern', many: 'reads of an intern' },
  update: { request: 'PATCH /interns/{id}' },
  delete: { request: 'DELETE /interns/{id}' },
  provision: { request: 'POST /interns/{id}/provision' },
  suspend: { request: 'POST /interns/{id}/suspend' },
  chat: { request: 'POST /interns/{id}/chat/completions', one: 'chat request' },
  invoke: { request: 'POST /interns/{id}/invoke' },
  daemon: { request: 'GET /interns/{id}/daemon', one: 'read of daemon access', many: 'reads of daemon access' },
  sign: { request: 'POST /interns/{id}/daemon/sign', one: 'signing request' },
  scim: { request: 'any method, below /scim', one: 'SCIM call' },
  'vault-list': { request: 'GET /vault/secrets, or of an intern', one: 'list of secrets', many: 'lists of secrets' },
  'vault-store': {
    request: 'PUT /vault/secrets/{name}, or of an intern',
    one: 'store of a secret',
    many: 'stores of a secret',
  },
  'vault-delete': {
    request: 'DELETE /vault/secrets/{name}, or of an intern',
    one: 'delete of a secret',
    many: 'deletes of a secret',
  },
  'vault-copy': {
    request: 'POST /vault/interns/{id}/secrets/copy',
    one: 'copy of secrets',
    many: 'copies of secrets',
  },
};
export const OPERATIONS = Object.entries(CALLS).map(([name, { request }]) => [name, `${name}: ${request}`] as const);
const callOf = (operation: string): Call | undefined => CALLS[operation as Operation];

/** The requests of calls that only disturbances happen to. */
const DISTURBED: Readonly<Record<string, string>> = {
  answer: `${CALLS.chat.request}, with the answer to a question`,
  'daemon-request': 'any request to a daemon',
};

/** The request that a fault is about: its method, its path, and the intern in it, if it is one alone. */
export const requestOf = ({ operation, intern_id: id }: Fault, nameOf: (id: string) => string): string =>
  (callOf(operation)?.request ?? DISTURBED[operation] ?? operation).replace(
    '{id}',
    id === undefined ? '{id}' : nameOf(id),
  );

export const STATUSES = ['408', '429', '500', '502', '503', '504'];

/** The effects on a call, each with the keys of a fault that then count. */
export const EFFECTS = [
  ['status', 'answers an error'],
  ['delay', 'answers late'],
  ['disconnect', 'loses its connection'],
  ['step', 'fails at a step of the create'],
] as const;

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
  {
    name: 'Lost answers',
    does: 'the next prompt, answer and create are acted on, and their answers are lost',
    faults: ['chat', 'answer', 'create'].map((operation) => ({ operation, disturb: 'lost' })),
  },
  {
    name: 'Early ends',
    does: 'the next prompts get a stream that is cut, ends as if it were whole, fails, falls silent',
    faults: ['cut', 'closed', 'error-chunk', 'silence'].map((disturb, at) => ({
      operation: 'chat',
      disturb,
      nth: at + 1,
      write: 'first',
    })),
  },
  {
    name: 'Somebody else',
    does: 'the next answer finds its question answered, the next delete its teardown failing',
    faults: [
      { operation: 'answer', disturb: 'answered-elsewhere' },
      { operation: 'delete', disturb: 'teardown-fails' },
    ],
  },
];

const LOST: Readonly<Record<string, string>> = {
  'before-headers': 'loses its connection before it is answered',
  'mid-event': 'loses its connection in the middle of an event',
  'before-done': 'loses its connection just before the end of its stream',
  reset: 'has its connection reset before it is answered',
};

/** A fault as a sentence. `nameOf` says what people call an intern. */
export function sentenceOf(fault: Fault, nameOf: (id: string) => string = (id) => id.slice(0, 8)): string {
  const effects = [
    fault.delay !== undefined && `waits ${typeof fault.delay === 'number' ? `${fault.delay} ms` : fault.delay}`,
    fault.status !== undefined && `is answered ${fault.status}`,
    fault.disconnect !== undefined && LOST[fault.disconnect === true ? 'before-headers' : fault.disconnect],
    fault.at !== undefined && `stops before its ${fault.at}`,
    fault.disturb !== undefined &&
      [
        `meets ${fault.disturb.replaceAll('-', ' ')}`,
        fault.write && `at ${fault.write}`,
        fault.state && `(${fault.state})`,
      ]
        .filter(Boolean)
        .join(' '),
  ].filter((text) => typeof text === 'string');
  const times =
    fault.times === undefined || fault.times === 1
      ? 'The next'
      : fault.times === 'always'
        ? 'Every'
        : `Each of the next ${fault.times}`;
  const { one = fault.operation, many = `${one}s` } = callOf(fault.operation) ?? {};
  const call = typeof fault.times === 'number' && fault.times > 1 ? many : one;
  const to = fault.intern_id === undefined ? '' : ` to ${nameOf(fault.intern_id)}`;
  const chance = fault.probability === undefined ? '' : `, with a chance of ${Math.round(fault.probability * 100)} %`;
  const passing = (fault.after ?? 0) + (fault.nth ?? 1) - 1;
  const after = passing === 0 ? '' : `, after ${passing} that ${passing === 1 ? 'goes' : 'go'} well`;
  return `${times} ${call}${to} ${effects.join(' and ')}${fault.reset ? ', by a reset' : ''}${chance}${after}.`;
}

export interface FaultForm {
  operation: string;
  /** The intern's id; empty for any intern. */
  intern: string;
  effect: (typeof EFFECTS)[number][0];
  status: string;
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
  ...(form.effect === 'status' && { status: Number(form.status) }),
  ...(form.effect === 'delay' && { delay: form.delay }),
  ...(form.effect === 'disconnect' && { disconnect: form.disconnect }),
  ...(form.effect === 'step' && { at: form.at }),
});
