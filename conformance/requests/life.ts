import { LATE } from '../model/options.js';
import { Skipped } from '../model/skip.js';
import { isRecord } from '../probe/json.js';
import { type As, internPath } from '../probe/request.js';
import { sha256 } from '../rules/proofs.js';
import type { Ctx } from '../run/context.js';
import { ON_INTERN, request } from './operations.js';
import { unanswered } from './unanswered.js';
import { ofIntern, put, secretName, VALUE } from './vault.js';

type Member = 'api_key' | 'peer_api_key';

/** A stage of a life. */
interface Stage {
  /** The operation that leads to it. */
  readonly by: 'create' | 'provision' | 'suspend' | 'delete';
  /** The peer's part: it leads the intern to the stage, or updates it there. The API key does the rest, or all without a peer. */
  readonly peer?: 'leads' | 'updates' | 'leads and updates';
  /** The intern runs for the second time. A second session begins beside the first. */
  readonly isAgain?: true;
  /** No prompt is sent, because it may wake the intern. The next provision has to. */
  readonly rests?: true;
}

/** The stages of a life, in two halves. */
const FIRST: readonly Stage[] = [
  { by: 'create' },
  { by: 'provision', peer: 'updates' },
  { by: 'suspend', peer: 'leads' },
];
const THEN: readonly Stage[] = [
  { by: 'provision', peer: 'leads and updates', isAgain: true },
  { by: 'suspend', rests: true },
  { by: 'provision', peer: 'updates' },
  { by: 'delete', peer: 'leads' },
];

/** An intern, and its sessions. */
interface Life {
  readonly id: string;
  invoked?: unknown;
  chatted?: string | undefined;
}

/** The member that leads an intern to a stage. */
const leaderOf = ({ peer }: Stage, has: (need: string) => boolean): Member =>
  peer?.includes('leads') === true ? otherOf(has) : 'api_key';

/** Leaves a run behind that waits for an answer: the next call of the lifecycle must end it. */
const leaveAsked = ({ api, chat, prompt }: Ctx, id: string): Promise<unknown> =>
  chat(id, { prompt: prompt('ask-permission'), approval_mode: 'manual' })
    .then((reply) => reply.end())
    .then(() => api.get(id))
    .catch((error: unknown) => (error instanceof Skipped ? undefined : unanswered(error)));

/** Leads an intern to a stage. `look` runs as soon as the request is accepted. */
async function lead(
  ctx: Ctx,
  { id }: Life,
  stage: Stage,
  { has, look }: { readonly has: (need: string) => boolean; look(): Promise<void> },
): Promise<void> {
  const { api, interns } = ctx;
  const { by } = stage;
  const as = leaderOf(stage, has);
  if (by === 'create') return;
  const ask = (member: Member) =>
    by === 'delete' ? api.remove(id, undefined, { as: member }) : api[by](id, { as: member });
  if (by === 'delete') await leaveAsked(ctx, id);
  // Some services hide the interns of other members.
  let { status } = await ask(as);
  if (status >= 300 && as !== 'api_key') ({ status } = await ask('api_key'));
  if (status >= 300) return;
  await look();
  if (by === 'provision') {
    // A booting intern must refuse its daemon access.
    for (const access of accesses(ctx, id, has)) {
      await access().catch(unanswered);
      await api.get(id).catch(unanswered);
    }
    await interns.until(id, ['running']);
  }
  if (by === 'suspend') await interns.untilSuspended(id);
}

/** The interns made just before and just after that of a life. They show whether a stage reaches the wrong intern. */
function neighbours({ api, interns }: Ctx, [before, id, after]: readonly [string, string, string]) {
  /** Whether the call succeeds, by this member or else by the API key. */
  const does = async (name: 'provision' | 'suspend', as: Member): Promise<boolean> =>
    (await api[name](after, { as })).status < 300 || (as !== 'api_key' && (await api[name](after)).status < 300);
  return {
    async look(): Promise<void> {
      for (const one of [after, before, id]) await api.get(one).catch(unanswered);
    },
    /** Makes the later intern run before a suspend, and rest before a provision, by the same member. */
    async prepare({ by }: Stage, as: Member): Promise<void> {
      const { json } = await api.get(after);
      const runs = isRecord(json) && json.status === 'running';
      if (by === 'suspend') {
        if (!runs && !(await does('provision', as))) return;
        await interns.until(after, ['running']);
      }
      if (by === 'provision' && runs && (await does('suspend', as))) await interns.untilSuspended(after);
    },
  };
}

/** The other member of the workspace, where there is one. */
const otherOf = (has: (need: string) => boolean): Member => (has('peer_api_key') ? 'peer_api_key' : 'api_key');

/** Callers who may read the daemon access, and who may sign. */
const ATTACHERS = ['oauth_token', 'oauth_interns_only_token', 'peer_oauth_token'] as const;
const SIGNERS = ['oauth_token', 'peer_oauth_token'] as const;
const ROUTE = { method: 'POST', path: '/api/invoke' };

/** At most one of the items, at random. */
const oneOf = <T>({ random }: Ctx, some: readonly T[]): readonly T[] => {
  const at = Math.floor(random() * some.length);
  return some.slice(at, at + 1);
};

/** Slight changes of an id. They name nothing. */
export const near = (text: string): readonly string[] =>
  [`${text}x`, text.slice(0, -1), text.toUpperCase(), ` ${text}`, `${text} `].filter((one) => one !== text);

/** Reads of what belongs to an intern: its daemon access, by either path, and its vault. */
export const readsOf = (ctx: Ctx, id: string, has: (need: string) => boolean) => [
  async () => {
    for (const ask of accessAgain(ctx, id, has)) await ask().catch(unanswered);
  },
  () => ctx.send({ path: `/vault${internPath(id, '/secrets')}` }),
];

/** Callers who must not reach an intern of the members. */
export const strangersOf = ({ wrongKey }: Ctx, has: (need: string) => boolean): readonly As[] => [
  ...(['foreign_api_key', 'outsider_api_key', 'management_key', 'own_key'] as const).filter(has),
  wrongKey,
  null,
];

/** Reads of the daemon access by either path, by one caller. */
const accesses = (ctx: Ctx, id: string, has: (need: string) => boolean) =>
  oneOf(ctx, ATTACHERS.filter(has)).flatMap((as) =>
    ['daemon', 'daemon-access'].map((below) => () => ctx.send({ path: internPath(id, `/${below}`), as })),
  );

/** The daemon access by the operation, twice, by its alias, and by the operation again. */
const accessAgain = (ctx: Ctx, id: string, has: (need: string) => boolean) =>
  accesses(ctx, id, has).flatMap((ask, at, [operation = ask]) => (at === 0 ? [ask, ask] : [ask, operation]));

/** The operations that name the intern, by callers who may use them, and some by others. */
function operations(ctx: Ctx, life: Life, stage: Stage, has: (need: string) => boolean) {
  const { api, chat, prompt, random, sample, send } = ctx;
  const { id } = life;
  const peer = otherOf(has);
  const session = () => (typeof life.invoked === 'string' ? { session_id: life.invoked } : {});
  const invoke = (as: Member) => api.invoke(id, { input: prompt('echo'), ...session() }, { as });
  if (stage.rests === true) return [() => api.get(id), () => api.get(id, { as: peer })];
  return [
    async () => {
      const description = `stage ${[...FIRST, ...THEN].indexOf(stage)}`;
      const texts = { description, instructions: `Be at ${description}.` };
      await api.update(id, texts, { as: stage.peer?.includes('updates') === true ? peer : 'api_key' });
      for (const as of ['api_key', peer] as const) await api.get(id, { as });
    },
    async () => {
      const { json } = await invoke('api_key');
      if (isRecord(json)) life.invoked ??= json.session_id;
    },
    // A session of its own, beside the one that goes on.
    async () => {
      if (stage.isAgain !== true) return;
      const { json } = await api.invoke(id, { input: prompt('echo') }, { as: peer });
      if (isRecord(json)) await api.invoke(id, { input: prompt('echo'), session_id: json.session_id }, { as: peer });
    },
    async () => (life.invoked === undefined || peer === 'api_key' ? undefined : invoke(peer)),
    // A session id that is nearly right names no session.
    async () =>
      Promise.all(
        (typeof life.invoked === 'string' ? sample(near(life.invoked), 1) : []).map((session_id) =>
          api.invoke(id, { input: prompt('echo'), session_id }),
        ),
      ),
    async () => {
      // Prompts are dear: two are enough.
      if (stage.isAgain === true) return;
      const session_id = life.chatted === undefined ? {} : { session_id: life.chatted };
      const { sessionId } = await (await chat(id, { prompt: prompt('echo'), ...session_id })).end();
      life.chatted ??= sessionId;
    },
    ...readsOf(ctx, id, has),
    // Strangers are refused every operation, and API keys the daemon access.
    ...sample(strangersOf(ctx, has), 3).flatMap((as) =>
      oneOf(ctx, ON_INTERN).map((asked) => () => send(request(ctx, asked, id, { as }))),
    ),
    () => send({ path: internPath(id, '/daemon'), as: 'api_key' }),
    ...oneOf(ctx, SIGNERS.filter(has)).map((as) => () => {
      const json = { bodySha256: sha256(String(random())), ...(random() < 0.5 ? {} : { route: ROUTE }) };
      const path = internPath(id, `/${random() < 0.5 ? 'daemon' : 'daemon-access'}/sign`);
      return send({ method: 'POST', path, as, json });
    }),
  ];
}

/**
 * Sends one intern through its life, and at each stage every operation that names it, in random order. Effects of one stage
 * show in the next. The life has two halves: other requests fill the time between them, for which reads may be late.
 */
export async function beginLife(ctx: Ctx, { broken, has }: { broken(): number; has(need: string): boolean }) {
  const { api, interns } = ctx;
  const body = interns.body({ description: 'new', instructions: 'Be kept.' });
  const create = () => api.create(body, { headers: { 'idempotency-key': `life-${body.name}` } });
  const before = (await interns.stopped()).id;
  const { json } = await create();
  // The later neighbour has a name that begins as that of the intern, where the service takes one so long.
  const after = (await interns.stopped({ name: `${body.name}-a` }).catch(() => interns.stopped())).id;
  // An emulator is never late.
  const aged = has('control') ? Promise.resolve() : ctx.wait(LATE).catch(() => {});
  const life: Life | undefined = isRecord(json) && typeof json.id === 'string' ? { id: json.id } : undefined;
  const secret = { value: VALUE, hosts: ['api.example.com'] };
  const others = neighbours(ctx, [before, life?.id ?? before, after]);
  const go = async (known: Life, stage: Stage) => {
    if (stage.by !== 'create') {
      await others.prepare(stage, leaderOf(stage, has)).catch(unanswered);
      await others.look();
      await lead(ctx, known, stage, { has, look: others.look });
    }
    // The create is retried: no work is left to resume.
    await create().catch(unanswered);
    await api.get(known.id).catch(unanswered);
    await asks(known, stage);
  };
  const once = (ask: () => Promise<unknown>) =>
    ask().catch((error: unknown) => {
      // No more prompts: the other operations go on.
      if (!(error instanceof Skipped)) unanswered(error);
    });
  const asks = async (known: Life, stage: Stage) => {
    const drawn = operations(ctx, known, stage, has).map((ask) => ({ ask, at: ctx.random() }));
    for (const { ask } of drawn.toSorted((one, other) => one.at - other.at)) {
      if (ctx.over()) return;
      const before = broken();
      await once(ask);
      // A breach may show in this state only.
      if (broken() > before && !ctx.over()) await once(ask);
    }
  };
  const through = async (stages: readonly Stage[]) => {
    for (const stage of stages) if (life !== undefined && !ctx.over()) await go(life, stage);
  };
  const end = async (waits: boolean) => {
    await aged;
    await through(THEN);
    if (life === undefined || !waits || ctx.over()) return;
    await interns.untilGone(life.id);
    await asks(life, { by: 'delete' });
    // Its name is free again.
    await api.create({ ...body, description: 'another' });
  };
  const first = async () => {
    if (life !== undefined) await put(ctx, ofIntern(life.id), secretName(ctx), secret).catch(unanswered);
    await through(FIRST);
  };
  return { first: () => first().catch(unanswered), rest: (waits = true) => end(waits).catch(unanswered) };
}
