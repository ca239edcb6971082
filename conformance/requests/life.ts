import type { Ctx } from '../framework/context.js';
import { Skipped } from '../framework/skip.js';
import { isRow } from '../model/intern.js';
import { unanswered } from './unanswered.js';

/** The stages of a life, each by what leads to it. */
const STAGES = ['create', 'provision', 'suspend', 'provision', 'suspend', 'provision', 'delete'] as const;

/** The stage in which it runs for the second time. */
const MIDDLE = 3;

/** One intern, and the sessions that it gave. */
interface Life {
  readonly id: string;
  invoked?: unknown;
  chatted?: string | undefined;
}

/** Leads an intern to its next stage. */
async function lead({ api, interns }: Ctx, { id }: Life, by: (typeof STAGES)[number]): Promise<void> {
  if (by === 'provision') {
    await api.provision(id);
    await interns.until(id, ['running']);
  }
  if (by === 'suspend') {
    await api.suspend(id);
    await interns.untilSuspended(id);
  }
  if (by === 'delete') await api.remove(id);
}

/** Each operation that names the intern, by those who may ask for it. */
function operations({ api, chat, prompt, send }: Ctx, life: Life, stage: number, has: (need: string) => boolean) {
  const { id } = life;
  const peer = has('peer_api_key') ? 'peer_api_key' : 'api_key';
  const session = () => (typeof life.invoked === 'string' ? { session_id: life.invoked } : {});
  const invoke = (as: 'api_key' | 'peer_api_key') => api.invoke(id, { input: prompt('echo'), ...session() }, { as });
  return [
    async () => {
      await api.update(id, { description: `stage ${stage}` }, { as: stage % 2 === 0 ? 'api_key' : peer });
      for (const as of ['api_key', peer] as const) await api.get(id, { as });
    },
    async () => {
      const { json } = await invoke('api_key');
      if (isRow(json)) life.invoked ??= json.session_id;
    },
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
 * behind shows in the next.
 */
export async function sendLife(ctx: Ctx, has: (need: string) => boolean): Promise<void> {
  const { api, interns } = ctx;
  const body = interns.body({ description: 'new', instructions: 'Be kept.' });
  const create = () => api.create(body, { headers: { 'idempotency-key': `life-${body.name}` } });
  const { json } = await create();
  if (!isRow(json) || typeof json.id !== 'string') return;
  const life: Life = { id: json.id };
  for (const [stage, by] of STAGES.entries()) {
    await lead(ctx, life, by);
    // Its create is repeated: nothing is left to be done.
    await create().catch(unanswered);
    await api.get(life.id).catch(unanswered);
    const drawn = operations(ctx, life, stage, has).map((ask) => ({ ask, at: ctx.random() }));
    for (const { ask } of drawn.toSorted((one, other) => one.at - other.at)) {
      if (ctx.over()) return;
      await ask().catch((error: unknown) => {
        // No more prompts: the other operations go on.
        if (!(error instanceof Skipped)) unanswered(error);
      });
    }
  }
}
