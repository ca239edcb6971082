import type { Ctx } from '../framework/context.js';
import { Skipped } from '../framework/skip.js';
import { isRow } from '../model/intern.js';
import { LATE } from '../model/model.js';
import { unanswered } from './unanswered.js';

/** The stages of a life, each by what leads to it. */
const STAGES = ['create', 'provision', 'suspend', 'provision', 'suspend', 'provision', 'delete'] as const;

/** The stage in which it runs for the second time, and that in which it rests for the second time. */
const MIDDLE = 3;
const REST = 4;

type Member = 'api_key' | 'peer_api_key';

/** One intern, and the sessions that it gave. */
interface Life {
  readonly id: string;
  invoked?: unknown;
  chatted?: string | undefined;
}

/** Leads an intern to its next stage. Members who see it do so in turn. */
async function lead(
  { api, interns }: Ctx,
  { id }: Life,
  { by, as }: { readonly by: (typeof STAGES)[number]; readonly as: Member },
): Promise<void> {
  if (by === 'create') return;
  const ask = (member: Member) =>
    by === 'delete' ? api.remove(id, undefined, { as: member }) : api[by](id, { as: member });
  // Not every service shows members the interns of each other.
  let { status } = await ask(as);
  if (status >= 300 && as !== 'api_key') ({ status } = await ask('api_key'));
  if (status >= 300) return;
  if (by === 'provision') await interns.until(id, ['running']);
  if (by === 'suspend') await interns.untilSuspended(id);
}

/** The other member of the workspace, where there is one. */
const otherOf = (has: (need: string) => boolean): Member => (has('peer_api_key') ? 'peer_api_key' : 'api_key');

/** Each operation that names the intern, by those who may ask for it. */
function operations({ api, chat, prompt, send }: Ctx, life: Life, stage: number, has: (need: string) => boolean) {
  const { id } = life;
  const peer = otherOf(has);
  const session = () => (typeof life.invoked === 'string' ? { session_id: life.invoked } : {});
  const invoke = (as: Member) => api.invoke(id, { input: prompt('echo'), ...session() }, { as });
  // A prompt may wake an intern that rests: after a rest without one a provision has to.
  if (stage === REST) return [() => api.get(id), () => api.get(id, { as: peer })];
  return [
    async () => {
      await api.update(id, { description: `stage ${stage}` }, { as: stage % 2 === 0 ? 'api_key' : peer });
      for (const as of ['api_key', peer] as const) await api.get(id, { as });
    },
    async () => {
      const { json } = await invoke('api_key');
      if (isRow(json)) life.invoked ??= json.session_id;
    },
    // A session of its own, beside the one that goes on.
    async () => (stage === MIDDLE ? api.invoke(id, { input: prompt('echo') }) : undefined),
    async () => (life.invoked === undefined || peer === 'api_key' ? undefined : invoke(peer)),
    async () => {
      // Prompts are dear: two are enough.
      if (stage === MIDDLE) return;
      const session_id = life.chatted === undefined ? {} : { session_id: life.chatted };
      const { sessionId } = await (await chat(id, { prompt: prompt('echo'), ...session_id })).end();
      life.chatted ??= sessionId;
    },
    ...(has('oauth_token')
      ? [
          () => send({ path: `/interns/${id}/daemon`, as: 'oauth_token' }),
          () => send({ path: `/interns/${id}/daemon-access`, as: 'oauth_token' }),
        ]
      : []),
  ];
}

/**
 * One intern through its whole life, and at each stage every operation that names it, in a drawn order: what one stage leaves
 * behind shows in the next. It is led in halves, so that other requests fill the time that a read may be late.
 */
export async function beginLife(ctx: Ctx, has: (need: string) => boolean) {
  const { api, interns } = ctx;
  const body = interns.body({ description: 'new', instructions: 'Be kept.' });
  const create = () => api.create(body, { headers: { 'idempotency-key': `life-${body.name}` } });
  const { json } = await create();
  // An emulator is never late.
  const aged = has('control') ? Promise.resolve() : ctx.wait(LATE).catch(() => {});
  const life: Life | undefined = isRow(json) && typeof json.id === 'string' ? { id: json.id } : undefined;
  const stage = async (known: Life, at: number, by: (typeof STAGES)[number]) => {
    await lead(ctx, known, { by, as: at % 4 < 2 ? 'api_key' : otherOf(has) });
    // Its create is repeated: nothing is left to be done.
    await create().catch(unanswered);
    await api.get(known.id).catch(unanswered);
    const drawn = operations(ctx, known, at, has).map((ask) => ({ ask, at: ctx.random() }));
    for (const { ask } of drawn.toSorted((one, other) => one.at - other.at)) {
      if (ctx.over()) return;
      await ask().catch((error: unknown) => {
        // No more prompts: the other operations go on.
        if (!(error instanceof Skipped)) unanswered(error);
      });
    }
  };
  const until = async (from: number, to: number) => {
    for (const [at, by] of STAGES.entries()) if (life !== undefined && at >= from && at < to) await stage(life, at, by);
  };
  const end = async (waits: boolean) => {
    await aged;
    await until(MIDDLE, STAGES.length);
    if (life === undefined || !waits || ctx.over()) return;
    await interns.untilGone(life.id);
    // Its name is free again.
    await api.create({ ...body, description: 'another' });
  };
  return { first: () => until(0, MIDDLE).catch(unanswered), rest: (waits = true) => end(waits).catch(unanswered) };
}
