import type { Driver } from '../drivers/driver.js';
import { createApi } from '../framework/api.js';
import { Unmet } from '../framework/assert.js';
import type { Check } from '../framework/check.js';
import type { ChatInput, Ctx, SendOptions } from '../framework/context.js';
import type { Need } from '../framework/needs.js';
import { proofHeadersOf } from '../framework/profile.js';
import type { Host } from '../framework/time.js';
import type { Transcript } from '../probe/chunks.js';
import { createReply } from '../probe/reply.js';
import type { Send } from '../probe/request.js';
import { createInterns, type Pool } from './interns.js';
import type { Session } from './session.js';

export interface ContextOptions {
  readonly check: Check;
  readonly driver: Driver;
  readonly session: Session;
  readonly host: Host;
  readonly pool: Pool;
  readonly property: Ctx['property'];
  readonly bootTimeout: number;
  /** ms of real time that a stream may keep a check waiting. */
  readonly streamTimeout: number;
  readonly signal: AbortSignal;
  random(): number;
}

/** Puts together what one check works with. What it uses without having declared the need throws. */
export function createContext(options: ContextOptions): Ctx {
  const { check, driver, session, host } = options;
  const { client } = session;
  const { target } = driver;
  const declared = new Set<string>(check.needs);
  const must = (holds: boolean, used: string, need: string) => {
    if (!holds) throw new Error(`${check.id} uses ${used} without declaring the need ${need}`);
  };
  const mustDeclare = (used: string, ...needs: Need[]) =>
    must(
      needs.some((need) => declared.has(need)),
      used,
      needs.join(' or '),
    );

  const judged = (send: Send): Send => {
    if (typeof send.as === 'string' && send.as !== 'api_key') mustDeclare(`the credential ${send.as}`, send.as);
    return send;
  };
  const send: Ctx['send'] = (request) => client.send(judged(request));
  const open: Ctx['open'] = (request) => client.open(judged(request));
  const api = createApi(send);

  const made = createInterns({
    driver,
    api: createApi((request) => client.send(request)),
    host,
    pool: options.pool,
    prefix: session.prefix,
    made: session.made,
    bootTimeout: options.bootTimeout,
    signal: options.signal,
    recycle: driver.control === undefined && check.fresh !== true,
    random: options.random,
  });
  const interns: Ctx['interns'] = {
    ...made,
    stopped(...args) {
      mustDeclare('interns', 'write', 'running');
      return made.stopped(...args);
    },
    running(...args) {
      mustDeclare('running interns', 'running');
      return made.running(...args);
    },
    shared() {
      mustDeclare('running interns', 'running');
      return made.shared();
    },
    own(...args) {
      mustDeclare('an own key', 'own_key');
      return made.own(...args);
    },
  };

  const chat: Ctx['chat'] = async (id, input, sendOptions: SendOptions = {}) => {
    const said: ChatInput = typeof input === 'string' ? { prompt: input } : input;
    const json = {
      messages: said.messages ?? [{ role: 'user', content: said.prompt ?? '' }],
      stream: true,
      ...(said.session_id === undefined ? {} : { session_id: said.session_id }),
      ...(said.approval_mode === undefined ? {} : { approval_mode: said.approval_mode }),
      ...said.extra,
    };
    const path = `/interns/${encodeURIComponent(id)}/chat/completions`;
    const answer = await open({ ...sendOptions, method: 'POST', path, json });
    return createReply(answer, { toolName: target.profile.tool_name, host, timeout: options.streamTimeout });
  };

  const answer: Ctx['answer'] = async (id, asked: Transcript, content, { approval_mode, ...rest } = {}) => {
    const call = asked.toolCalls[0];
    if (call?.id === undefined || asked.sessionId === undefined) {
      throw new Unmet('a question', `the stream asked nothing that could be answered (finish_reason ${asked.finish})`);
    }
    const echo = {
      role: 'assistant',
      content: null,
      tool_calls: [{ id: call.id, type: 'function', function: { name: call.name, arguments: call.arguments } }],
    };
    const reply = {
      role: 'tool',
      tool_call_id: call.id,
      content: typeof content === 'string' ? content : JSON.stringify(content),
    };
    return chat(
      id,
      {
        messages: [echo, reply],
        session_id: asked.sessionId,
        ...(approval_mode === undefined ? {} : { approval_mode }),
      },
      rest,
    );
  };

  const unmet: Ctx['unmet'] = (need, why) => {
    throw new Unmet(need, why);
  };
  const control = () => {
    mustDeclare('the control interface', 'control');
    return driver.control ?? unmet('control', 'the target has no control interface');
  };

  return {
    target,
    profile: target.profile,
    proof: proofHeadersOf(target.profile),
    send,
    open,
    api,
    interns,
    chat,
    answer,
    prompt(behaviour, text) {
      if (behaviour !== 'echo' && !declared.has('control')) mustDeclare(behaviour, `behaviour:${behaviour}`);
      return driver.prompt(behaviour, text);
    },
    async script(turn) {
      return `script: ${await control().script({ turn })}\nGo on.`;
    },
    get control() {
      return control();
    },
    get clock() {
      mustDeclare('the clock', 'clock');
      return driver.clock ?? unmet('clock', 'the clock of the target cannot be moved');
    },
    async wait(ms) {
      const allowed = check.needs
        .filter((need) => need.startsWith('slow:'))
        .map((need) => Number(need.slice('slow:'.length, -1)) * 1000);
      must(
        declared.has('clock') || allowed.some((most) => ms <= most),
        `a wait of ${ms} ms`,
        `slow:${Math.ceil(ms / 1000)}s`,
      );
      if (driver.clock !== undefined) await driver.clock.advance(ms);
      else await host.sleep(ms, options.signal);
    },
    settle: () => driver.settle(),
    async daemon(path, init) {
      mustDeclare('the daemon', 'daemon');
      const url = /^https?:/.test(path) ? path : `${target.daemonOrigin}${path}`;
      return client.send({
        url,
        as: null,
        method: init.method ?? 'POST',
        ...(init.headers === undefined ? {} : { headers: init.headers }),
        ...(init.body === undefined ? {} : { body: init.body }),
      });
    },
    race: (n, start) => Promise.all(Array.from({ length: n }, (_, index) => start(index))),
    wrongKey: { bearer: 'sk-conformance-opens-nothing' },
    property: options.property,
    unmet,
    random: options.random,
  };
}
