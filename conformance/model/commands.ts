import fc from 'fast-check';
import { equal, fail, ok } from '../framework/assert.js';
import type { Ctx } from '../framework/context.js';
import * as expect from '../framework/expect.js';
import type { Transcript } from '../probe/chunks.js';
import { exists, type Model, type ModelIntern, pick, stops } from './model.js';

/** The target, and what was heard from it that later commands need. */
export interface Real {
  readonly ctx: Ctx;
  /** Responses that ended with a question. */
  readonly asked: Transcript[];
  /** Judges statuses and reasons too, as the published API shows them. */
  readonly published: boolean;
  /** Leaves boots and teardowns to the `wait` command instead of waiting for them at once. */
  readonly inTime: boolean;
}

export type Command = fc.AsyncCommand<Model, Real>;

/** A command on one of the interns of the model that `when` holds for; not run where there is none. */
function on(
  name: string,
  which: number,
  when: (intern: ModelIntern) => boolean,
  run: (intern: ModelIntern, real: Real, model: Model) => Promise<void>,
): Command {
  return {
    check: (model) => pick(model, which, when) !== undefined,
    async run(model, real) {
      const intern = pick(model, which, when);
      if (intern !== undefined) await run(intern, real, model);
    },
    toString: () => name,
  };
}

const which = fc.nat({ max: 3 });
const note = fc.constantFrom('a', 'b', 'é', '', 'two words');

/** The record agrees with the model. */
function agrees(record: Record<string, unknown>, intern: ModelIntern, what: string): void {
  equal(record.id, intern.id, `id of ${what}`);
  for (const key of ['name', 'description', 'instructions', 'model'] as const) {
    equal(record[key] ?? null, intern.settings[key], `${key} of ${what}`);
  }
}

/** Published statuses by phase. */
const STATUS = { stopped: ['stopped'], booting: ['queued', 'provisioning', 'running'], running: ['running'] } as const;

async function read(intern: ModelIntern, { ctx, published }: Real): Promise<void> {
  const answer = await ctx.api.get(intern.id);
  if (intern.phase === 'gone') return expect.status(answer, 404, 'the read of an intern that is gone');
  if (intern.phase === 'deleting') return expect.status(answer, [200, 404], 'the read of an intern that is torn down');
  const record = expect.intern(answer, 200, 'the read of an intern that exists');
  agrees({ ...record }, intern, 'the intern read');
  if ('vault_id' in record) equal(record.vault_id, intern.vaultId, 'vault_id of the intern read');
  if (published) {
    const allowed: readonly string[] = STATUS[intern.phase];
    ok(allowed.includes(record.status), 'status of the intern read', allowed.join(' or '), record.status);
  }
}

const create = fc.record({ provision: fc.boolean(), description: fc.option(note, { nil: undefined }) }).map(
  ({ provision, description }): Command => ({
    check: (model) => model.interns.length < 4,
    async run(model, real) {
      const { ctx } = real;
      const body = ctx.interns.body({
        ...(provision ? { provision } : {}),
        ...(description === undefined ? {} : { description }),
      });
      const key = `model-${body.name}`;
      const answer = await ctx.api.create(body, { headers: { 'idempotency-key': key } });
      const record = expect.intern(answer, 201, 'a valid create');
      ok(
        !model.interns.some((known) => known.id === record.id),
        'id of a new intern',
        'one that no other has',
        record.id,
      );
      const intern: ModelIntern = {
        id: record.id,
        settings: { name: body.name, description: description ?? null, instructions: null, model: null },
        phase: provision ? 'booting' : 'stopped',
        created: { key, body },
        vaultId: record.vault_id,
        sessions: [],
        waiting: [],
      };
      agrees({ ...record }, intern, 'the intern created');
      model.interns.push(intern);
      if (provision) await boots(intern, real);
    },
    toString: () =>
      `create(${provision ? 'provision' : 'later'}${description === undefined ? '' : `, ${JSON.stringify(description)}`})`,
  }),
);

/** What a create or provision began is awaited, or left to the `wait` command. */
async function boots(intern: ModelIntern, real: Real): Promise<void> {
  if (real.inTime) return;
  await real.ctx.interns.until(intern.id, ['running']);
  intern.phase = 'running';
}

const retry = which.map((at) =>
  on(`retry(${at})`, at, exists, async (intern, { ctx }, model) => {
    const answer = await ctx.api.create(intern.created.body, { headers: { 'idempotency-key': intern.created.key } });
    const record = expect.intern(answer, [200, 201], 'a create that is sent again');
    equal(record.id, intern.id, `id of create ${model.interns.indexOf(intern) + 1} sent again`);
  }),
);

const get = which.map((at) => on(`get(${at})`, at, () => true, read));

const list = fc.constant<Command>({
  check: () => true,
  async run(model, { ctx }) {
    const seen = new Map<string, Record<string, unknown>>();
    let query: Record<string, string | number> = {};
    for (let pages = 0; pages < 50; pages++) {
      const { data, next_cursor } = expect.page(await ctx.api.list(query), 'the list');
      for (const record of data) {
        ok(!seen.has(record.id), 'the list', 'every intern once', record.id);
        seen.set(record.id, { ...record });
      }
      if (typeof next_cursor !== 'string') break;
      query = { starting_after: next_cursor };
    }
    for (const intern of model.interns) {
      const record = seen.get(intern.id);
      if (intern.phase === 'gone') ok(record === undefined, 'the list', 'no intern that is gone', record?.id);
      if (!exists(intern)) continue;
      if (record === undefined) fail('the list', `every visible intern, ${intern.id} too`, [...seen.keys()]);
      agrees(record, intern, 'the intern listed');
    }
    // Newest first: those of this candidate stand in the reverse order of their creation.
    const made = model.interns.map((intern) => intern.id);
    const order = [...seen.keys()].filter((id) => made.includes(id));
    equal(
      order,
      [...made].reverse().filter((id) => order.includes(id)),
      'order of the list, newest first',
    );
  },
  toString: () => 'list()',
});

const update = fc
  .record({ at: which, key: fc.constantFrom('description', 'instructions', 'name'), text: note })
  .map(({ at, key, text }) =>
    on(`update(${at}, ${key})`, at, exists, async (intern, { ctx }) => {
      const value = key === 'name' ? ctx.interns.name() : text;
      const answer = await ctx.api.update(intern.id, { [key]: value });
      const record = expect.intern(answer, 200, `an update of ${key}`);
      intern.settings[key as 'name'] = value;
      agrees({ ...record }, intern, 'the intern updated');
    }),
  );

const provision = which.map((at) =>
  on(
    `provision(${at})`,
    at,
    (intern) => intern.phase === 'stopped' || intern.phase === 'running' || intern.phase === 'gone',
    async (intern, real) => {
      const answer = await real.ctx.api.provision(intern.id);
      if (intern.phase === 'gone') return expect.status(answer, 404, 'provision of an intern that is gone');
      if (intern.phase === 'running') {
        if (real.published) {
          expect.error(
            answer,
            { status: 409, reason: 'intern_busy', retryable: false },
            'provision of a running intern',
          );
        }
        return;
      }
      expect.status(answer, [200, 202], 'provision of a stopped intern');
      intern.phase = 'booting';
      await boots(intern, real);
    },
  ),
);

const suspend = which.map((at) =>
  on(
    `suspend(${at})`,
    at,
    (intern) => intern.phase === 'stopped' || intern.phase === 'running' || intern.phase === 'gone',
    async (intern, real) => {
      const answer = await real.ctx.api.suspend(intern.id);
      if (intern.phase === 'gone') return expect.status(answer, 404, 'suspend of an intern that is gone');
      if (intern.phase === 'stopped') {
        if (real.published) {
          expect.error(answer, { status: 409, reason: 'intern_busy', retryable: false }, 'suspend of a stopped intern');
        }
        return;
      }
      expect.status(answer, [200, 202], 'suspend of a running intern');
      intern.phase = 'stopped';
      const ended = intern.waiting;
      stops(intern);
      for (const index of ended) {
        const asked = real.asked[index];
        if (asked === undefined) continue;
        const reply = await (await real.ctx.answer(intern.id, asked, 'allow_once')).whole();
        expect.refused(reply, 'an answer to a run that suspend ended');
      }
    },
  ),
);

const remove = which.map((at) =>
  on(
    `delete(${at})`,
    at,
    (intern) => intern.phase !== 'deleting',
    async (intern, real) => {
      const answer = await real.ctx.api.remove(intern.id);
      if (intern.phase === 'gone') return expect.status(answer, 404, 'delete of an intern that is gone');
      expect.status(answer, [200, 202, 204], 'delete of an intern');
      intern.phase = 'deleting';
      stops(intern);
      if (real.inTime) return;
      await real.ctx.interns.untilGone(intern.id);
      intern.phase = 'gone';
    },
  ),
);

const chats = (intern: ModelIntern) => intern.phase !== 'booting' && intern.phase !== 'deleting';

const chat = fc.record({ at: which, asks: fc.boolean(), again: fc.boolean() }).map(({ at, asks, again }) =>
  on(`chat(${at}${asks ? ', asks' : ''}${again ? ', same session' : ''})`, at, chats, async (intern, real) => {
    const { ctx } = real;
    // A session whose run waits would take the prompt into that run.
    const busy = new Set(intern.waiting.map((index) => real.asked[index]?.sessionId));
    const session = again ? intern.sessions.find((known) => known.origin === 'chat' && !busy.has(known.id)) : undefined;
    const reply = await ctx.chat(intern.id, {
      prompt: asks ? ctx.prompt('ask-permission') : ctx.prompt('echo', 'Say hello.'),
      ...(asks ? { approval_mode: 'manual' } : {}),
      ...(session === undefined ? {} : { session_id: session.id }),
    });
    if (intern.phase !== 'running') {
      const answer = await reply.whole();
      if (intern.phase === 'gone') return expect.status(answer, 404, 'chat with an intern that is gone');
      if (real.published) {
        return expect.error(
          answer,
          { status: 409, reason: 'intern_not_ready', retryable: true },
          'chat with a stopped intern',
        );
      }
      return expect.refused(answer, 'chat with a stopped intern');
    }
    const t = await reply.end();
    expect.finish(t, asks ? 'tool_calls' : 'stop', asks ? 'a prompt that makes the intern ask' : 'a prompt');
    expect.grammar(t, real.published ? 'P' : 'S');
    if (t.sessionId === undefined) fail('session_id of the final chunk', 'a string', t.final);
    if (session !== undefined) equal(t.sessionId, session.id, 'session_id of a continued session');
    else intern.sessions.push({ id: t.sessionId, origin: 'chat' });
    if (asks) intern.waiting.push(real.asked.push(t) - 1);
  }),
);

const answer = which.map((at) =>
  on(
    `answer(${at})`,
    at,
    (intern) => intern.phase === 'running' && intern.waiting.length > 0,
    async (intern, real) => {
      const asked = real.asked[intern.waiting.shift() ?? 0];
      if (asked === undefined) return;
      const t = await (await real.ctx.answer(intern.id, asked, 'allow_once')).end();
      expect.finish(t, 'stop', 'the answered run');
      expect.grammar(t, real.published ? 'P' : 'S');
      equal(t.sessionId, asked.sessionId, 'session_id of the answered run');
    },
  ),
);

const invoke = fc.record({ at: which, session: fc.constantFrom('new', 'own', 'chat') }).map(({ at, session }) =>
  on(`invoke(${at}, ${session})`, at, chats, async (intern, { ctx, published }) => {
    const origin = session === 'own' ? 'invoke' : 'chat';
    const known = session === 'new' ? undefined : intern.sessions.find((one) => one.origin === origin);
    const body = { input: ctx.prompt('echo', 'Say hello.'), ...(known === undefined ? {} : { session_id: known.id }) };
    const reply = await ctx.api.invoke(intern.id, body);
    if (intern.phase === 'gone') return expect.status(reply, 404, 'invoke of an intern that is gone');
    if (intern.phase !== 'running') {
      if (known?.origin === 'chat') return expect.refused(reply, 'invoke of a stopped intern');
      if (published) {
        return expect.error(reply, { status: 409, reason: 'intern_not_ready' }, 'invoke of a stopped intern');
      }
      return expect.refused(reply, 'invoke of a stopped intern');
    }
    if (known?.origin === 'chat') return expect.status(reply, 404, 'invoke with a session of chat');
    expect.status(reply, 202, 'invoke of a running intern');
    const { session_id: id } = (reply.json ?? {}) as { session_id?: unknown };
    if (typeof id !== 'string') fail('session_id of invoke', 'a string', expect.shown(reply));
    if (known === undefined) intern.sessions.push({ id, origin: 'invoke' });
    else equal(id, known.id, 'session_id of a continued session');
  }),
);

const sign = which.map((at) =>
  on(`sign(${at})`, at, chats, async (intern, { ctx }) => {
    const reply = await ctx.api.sign(intern.id, { bodySha256: '0'.repeat(64) }, { as: 'oauth_token' });
    if (intern.phase === 'gone') return expect.status(reply, 404, 'signing for an intern that is gone');
    expect.status(reply, 200, 'signing for an intern');
    const proof = (reply.json ?? {}) as Record<string, unknown>;
    for (const header of [ctx.proof.signature, ctx.proof.timestamp, ctx.proof.user]) {
      ok(typeof proof[header] === 'string', `${header} of the proof`, 'a string', proof[header]);
    }
  }),
);

/** Lets boots and teardowns come to their end. */
const wait = fc.constant<Command>({
  check: (model) => model.interns.some((intern) => intern.phase === 'booting' || intern.phase === 'deleting'),
  async run(model, { ctx }) {
    for (const intern of model.interns) {
      if (intern.phase === 'booting') {
        await ctx.interns.until(intern.id, ['running']);
        intern.phase = 'running';
      } else if (intern.phase === 'deleting') {
        await ctx.interns.untilGone(intern.id);
        intern.phase = 'gone';
      }
    }
  },
  toString: () => 'wait()',
});

export const COMMANDS = {
  create,
  retry,
  get,
  list,
  update,
  provision,
  suspend,
  delete: remove,
  chat,
  answer,
  invoke,
  sign,
  wait,
};
export type CommandName = keyof typeof COMMANDS;

/** Sequences of the named commands; the first one creates, so that the others have something to work on. */
export function commands(names: readonly CommandName[], most: number): fc.Arbitrary<Command[]> {
  return fc
    .tuple(create, fc.array(fc.oneof(...names.map((name) => COMMANDS[name])), { maxLength: most, size: 'max' }))
    .map(([first, rest]) => [first, ...rest]);
}
