import { type Check, declaredBy } from '../framework/check.js';
import { type Ctx, createApi } from '../framework/context.js';
import type { BehaviourName, Need } from '../framework/needs.js';
import { proofHeadersOf } from '../framework/profile.js';
import type { ChatReply } from '../framework/reply.js';
import { lacking } from '../framework/skip.js';
import type { Client, Sender } from '../probe/client.js';
import { internIn, type Send } from '../probe/request.js';
import { startOver } from './cleaning.js';
import { createConversation, type Prompter } from './conversation.js';
import { WRONG_KEY } from './exchange-of.js';
import { createInternFactory } from './intern-factory.js';
import type { RunContext } from './session.js';
import { createTolerance } from './tolerance.js';

/** The parts of a context that belong to one try of a check. */
interface TryOfCheck {
  readonly check: Check;
  readonly by: Sender;
  /** Sends nothing more once `signal` aborts. */
  readonly client: Client;
  readonly signal: AbortSignal;
  readonly property: Ctx['property'];
  /** Replies whose runs have to go on until the check is done. */
  readonly goingOn: Set<ChatReply>;
  /** Behaviours that it has prompted for. */
  readonly led: Set<BehaviourName>;
  /** The credential that prompts; by default the API key. */
  readonly prompter?: Prompter | undefined;
  random(): number;
}

/** Times that an intern did what it was led to, from which on it is expected to. */
const OFTEN = 4;

/** Where prompts are sent to. */
const PROMPTS = /\/(chat\/completions|invoke)(\?|$)/;

/** Puts together what one check works with. A part that it uses without having declared the need throws. */
export function createContext(run: RunContext, attempt: TryOfCheck): Ctx {
  const { check, client, signal, random } = attempt;
  const { driver, host, obstacles, session } = run;
  const { target } = driver;
  const declared = declaredBy(check);

  const credited = async (send: Send): Promise<Send> => {
    if (typeof send.as === 'string' && send.as !== 'api_key') declared.require(`the credential ${send.as}`, send.as);
    // An intern may take its time to accept a prompt; how long is nowhere stated.
    const address = send.path ?? send.url ?? '';
    if (driver.control !== undefined || !PROMPTS.test(address)) return send;
    const { prompter } = send.as === undefined && send.limited !== true ? attempt : {};
    const by = prompter === undefined ? {} : await prompter(internIn(address) ?? '');
    return { ...send, timeout: send.timeout ?? run.settings.streamTimeout, ...by };
  };
  const send: Ctx['send'] = async (request) => client.send(await credited(request));
  const open: Ctx['open'] = async (request) => client.open(await credited(request));
  const interns = createInternFactory(run, {
    check: check.id,
    declared,
    api: createApi((request) => client.send(request)),
    open: (request) => client.open(request),
    signal,
    recycle: driver.control === undefined && check.fresh !== true,
    random,
  });
  const api = createApi(send);
  const control = () => {
    declared.require('the control interface', 'control');
    if (driver.control === undefined) throw lacking({ kind: 'lacks', need: 'control' });
    return driver.control;
  };

  return {
    target,
    profile: target.profile,
    proof: proofHeadersOf(target.profile),
    send,
    open,
    api,
    interns,
    ...createConversation(run, attempt.by, open),
    ...createTolerance(run, { ...attempt, api }),
    needsStreaming: () => obstacles.pass('streaming', check.id),
    streamsAreHeldBack: () => obstacles.met('streaming', check.id),
    prompt(behaviour, text) {
      attempt.led.add(behaviour);
      if (behaviour !== 'echo' && !declared.has('control')) declared.require(behaviour, `behaviour:${behaviour}`);
      return driver.prompt(behaviour, text);
    },
    async script(turn) {
      return `script: ${await control().script({ turn })}\nGo on.`;
    },
    get control() {
      return control();
    },
    async reset() {
      declared.require('a reset', 'disposable');
      control();
      await startOver(run);
    },
    get clock() {
      declared.require('the clock', 'clock');
      if (driver.control === undefined) throw lacking({ kind: 'lacks', need: 'clock' });
      return driver.control;
    },
    async wait(ms) {
      declared.requireWait(ms);
      if (driver.control !== undefined) await driver.control.advance(ms);
      else await host.sleep(ms, signal);
    },
    settle: () => driver.settle(),
    async daemon(path, init) {
      declared.require('the daemon', 'daemon');
      const url = /^https?:/.test(path) ? path : `${target.daemonOrigin}${path}`;
      return client.send({ ...init, url, as: null, method: init.method ?? 'POST' });
    },
    race: (n, start) => Promise.all(Array.from({ length: n }, (_, index) => start(index))),
    wrongKey: { bearer: WRONG_KEY },
    reliable(behaviour) {
      const { did = 0, otherwise = 0 } = session.learnt.led.get(behaviour) ?? {};
      return driver.control !== undefined || (did >= OFTEN && otherwise === 0);
    },
    mustGoOn: (reply) => void attempt.goingOn.add(reply),
    property: attempt.property,
    plain: () => session.learnt.plain,
    limited: () => session.limited,
    elapsed: () => host.now(),
    random,
    has: (need) => driver.lacks(need as Need) === undefined,
    broken: () => session.monitors.broken(attempt.by.id),
    breach: () => session.monitors.breach(attempt.by.id),
    known: (id) => session.model.known(id),
    over: () => run.ending.without(false) !== undefined,
  };
}
