import { defineMutants, type Mutation } from '../mutant.js';
import { answers, errors, replies, typed } from '../operators/answers.js';
import { resolves, says, stepwise, waits, yields } from '../operators/behaviours.js';
import { holding, type Part, wrap } from '../operators/parts.js';

export const SCRIPTS = defineMutants({
  'script-says-all-at-once': says((texts) => [texts.join('')]),
  'script-cuts-characters': says((texts) => texts.join('').split('')),
  // Paced chunks begin after the first pause.
  'script-waits-before-the-first-piece': stepwise((_, __, { clock }) => {
    let first = true;
    return async function* (event) {
      if (first) await clock.sleep(1);
      first = false;
      return yield event;
    };
  }),
  'script-waits-longer': waits((sleep, ms) => sleep(ms + 1)),
  // The first answer of a run reaches it as cancel.
  'script-forgets-the-first-answer': stepwise(() => {
    let first = true;
    return async function* (event) {
      const given = yield event;
      if (!('ask' in event) || !first) return given;
      first = false;
      return event.ask.kind === 'permission' ? 'cancel' : { action: 'cancel' };
    };
  }),
  // Of the content of an answer only one field reaches the script.
  'script-compares-whole-answers': stepwise(
    () =>
      async function* (event) {
        const given = yield event;
        return typeof given === 'object' && given.content
          ? { ...given, content: Object.fromEntries(Object.entries(given.content).slice(-1)) }
          : given;
      },
  ),
  // A turn that fails is never worth trying again.
  'script-failure-for-good': yields(
    () => (event) => ('end' in event && event.end === 'failed' ? { ...event, retryable: false } : event),
  ),
  // A script named by the prompt goes before one put on the intern.
  'script-of-the-prompt-before-the-one-put': resolves((usual, intern, given) => {
    const named = /^script: (\S+)/.exec(given.prompt)?.[1];
    return usual.resolveTurn(named === undefined ? intern : { ...intern, script: null }, given);
  }),
  'script-unknown-is-echo': resolves((usual, intern, given) => {
    const { prompt } = given;
    const named = /^script: (\S+)/.exec(prompt)?.[1];
    const known = named === undefined || usual.get(named) !== undefined;
    return usual.resolveTurn(intern, known ? given : { ...given, prompt: `Unknown.\n${prompt}` });
  }),
  // A script that is invalid is taken, and says nothing.
  'script-invalid-is-put': wrap({
    createScriptRegistry: (usual) => ({
      put(name, source) {
        try {
          return usual.put(name, source);
        } catch {
          return usual.put(name, { name, turn: [] });
        }
      },
    }),
  }),
  // A script that is put again stays as it was.
  'script-put-again-is-ignored': wrap({
    createScriptRegistry: (usual) => ({ put: (name, source) => usual.view(name) ?? usual.put(name, source) }),
  }),
  // ask-twice asks one question.
  'shipped-asks-once': yields((name) => {
    let asked = false;
    return (event) => {
      if (name !== 'ask-twice' || !('ask' in event)) return event;
      const again = asked;
      asked = true;
      return again ? undefined : event;
    };
  }),
  // no-usage reports usage.
  'shipped-no-usage-with-usage': yields(
    (name) => (event) =>
      name === 'no-usage' && 'say' in event
        ? [event, { usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 } }]
        : event,
  ),
  // refuses and unreachable say something before they end.
  'shipped-refusals-speak-first': yields(
    (name) => (event) =>
      ['refuses', 'unreachable'].includes(name) && 'end' in event ? [{ say: 'Hm. ' }, event] : event,
  ),
});

type Fault = NonNullable<ReturnType<Part<'createFaults'>['take']>>;

/** Changes what an operation meets. */
const faults = (change: (fault: Fault) => Fault): Mutation =>
  wrap({
    createFaults: (usual) => ({
      take(operation) {
        const fault = usual.take(operation);
        return fault && change(fault);
      },
    }),
  });

/** Has faults last for another number of calls. */
const lasting = (times: number): Mutation =>
  wrap({ createFaults: (usual) => ({ add: (fault) => usual.add({ ...fault, times }) }) });

export const FAULTS = defineMutants({
  'fault-of-another-status': errors({ of: 'chat', status: 408 }, { status: 504 }),
  'fault-for-one-call-only': lasting(1),
  'fault-for-ever': lasting(1_000_000),
  'fault-without-envelope': replies((reply) =>
    reply.headers['x-emulator-detail'] === 'injected fault' ? typed(reply, 'text/plain', 'injected fault') : reply,
  ),
  'fault-used-up-by-refused-calls': holding('createFaults', (faults) =>
    answers({ status: [400, 401, 404] }, (reply, { operation }) => {
      if (operation) faults()?.take(operation);
      return reply;
    }),
  ),
  'fault-without-delay': faults((fault) => ({ ...fault, delay: undefined })),
  // A fault that drops the connection answers 500 instead.
  'fault-answers-in-place-of-dropping': faults((fault) =>
    fault.disconnect ? { operation: fault.operation, times: 1, status: 500 } : fault,
  ),
});
