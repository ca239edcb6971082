import { NO_ACTIONS, NO_OPTIONS } from '../arbitraries/answer.js';
import { Skipped } from '../model/skip.js';
import { isRecord } from '../probe/json.js';
import { type As, type CredentialName, internPath } from '../probe/request.js';
import { sha256 } from '../rules/proofs.js';
import type { Ctx } from '../run/context.js';
import { answerWith, heard } from './chat.js';
import { beginLife, near, readsOf, strangersOf } from './life.js';
import { DIGEST } from './operations.js';
import { unanswered } from './unanswered.js';
import { ANOTHER_VALUE, copy, list, ofIntern, put, remove, secretName, VALUE, WORKSPACE } from './vault.js';

/** Most pages that are followed if few interns are on each. */
const FEW = 8;

/** Follows the cursors of a list for `most` pages. Returns the number of interns on them. */
export async function pages(ctx: Ctx, query: string, most = 20): Promise<number> {
  let cursor: string | undefined;
  let met = 0;
  for (let page = 0; page < most; page++) {
    const after = cursor === undefined ? '' : `&starting_after=${encodeURIComponent(cursor)}`;
    const answer = await ctx.send({ path: `/interns?${query}${after}` }).catch(unanswered);
    const { data, has_more, next_cursor } = (answer?.json ?? {}) as Record<string, unknown>;
    met += Array.isArray(data) ? data.length : 0;
    if (has_more !== true || typeof next_cursor !== 'string') return met;
    cursor = next_cursor;
  }
  return met;
}

/** Sends creates that repeat each other, by key and by body. Returns a function that repeats the first ones later. */
async function retries(ctx: Ctx, has: (need: string) => boolean): Promise<() => Promise<unknown>> {
  const { interns, api } = ctx;
  const keyed = async (body: unknown, key: string) =>
    ctx.over() ? undefined : api.create(body, { headers: { 'idempotency-key': key } }).catch(unanswered);
  const bodies = [{}, { description: 'kept', provision: false }].map((more) => interns.body(more));
  for (const body of bodies) {
    const key = `retry-${body.name}`;
    await keyed(body, key);
    await keyed(body, key);
    await keyed(Object.fromEntries(Object.entries(body).reverse()), key);
    await keyed({ ...body, description: 'another' }, key);
    for (const change of [{ name: interns.name() }, { provision: true }, { instructions: 'Two' }])
      await keyed({ ...body, ...change }, key);
    await keyed(body, key);
    await keyed(body, `${key}-2`);
    await keyed({ ...body, instructions: 'of a third' }, `${key}-3`);
  }
  // A key belongs to its caller. Similar keys are different.
  const { foreignWorkspaceId } = ctx.target;
  if (has('foreign_api_key') && foreignWorkspaceId !== undefined) {
    const body = interns.body();
    const headers = { 'idempotency-key': `shared-${body.name}` };
    await api.create(body, { headers }).catch(unanswered);
    const there = { ...body, workspace_id: foreignWorkspaceId };
    await api.create(there, { headers, as: 'foreign_api_key' }).catch(unanswered);
  }
  const key = `Near-${interns.name()}`.padEnd(254, 'k');
  for (const near of [`${key}a`, `${key}b`, `${key}B`, `${key}a`.toUpperCase(), key.slice(0, -1)])
    await keyed(interns.body(), near);
  const boots = interns.body({ provision: true });
  await keyed(boots, `retry-${boots.name}`);
  return async () => {
    for (const body of bodies) await keyed(body, `retry-${body.name}`);
    // A retry after a suspend boots nothing.
    const { json } = (await keyed(boots, `retry-${boots.name}`)) ?? {};
    const id = isRecord(json) && typeof json.id === 'string' ? json.id : undefined;
    if (id === undefined || ctx.over()) return;
    // A boot that a suspend ends is unfinished work, which a retry resumes.
    const seen = await api.get(id).catch(unanswered);
    if (!isRecord(seen?.json) || seen.json.status !== 'running') return;
    if (((await api.suspend(id).catch(unanswered))?.status ?? 500) >= 300) return;
    await interns.untilSuspended(id);
    await keyed(boots, `retry-${boots.name}`);
    await api.get(id).catch(unanswered);
  };
}

/** Prompts in one session: a run that speaks, one that fails, one that asks and is answered, and an invoke. */
async function conversation({ chat, answer, api, interns, prompt }: Ctx): Promise<void> {
  const { id } = await interns.running();
  const { sessionId: session_id } = await (await chat(id, { prompt: prompt('echo') })).end();
  if (session_id === undefined) return;
  for (const said of ['echo', 'fails', 'echo'] as const)
    await (await chat(id, { prompt: prompt(said), session_id })).end();
  const asked = await (await chat(id, { prompt: prompt('ask-permission'), approval_mode: 'manual' })).end();
  await (await answer(id, asked, 'allow_once')).end();
  const twice = await (await chat(id, { prompt: prompt('ask-twice') })).end();
  await (await answer(id, twice, { action: 'decline' })).end();
  const { json } = await api.invoke(id, { input: prompt('echo') });
  if (isRecord(json)) await api.invoke(id, { input: prompt('echo'), session_id: json.session_id });
}

/** Settings in an order in which each one follows each other one. */
const BY_TURNS = ['name', 'description', 'name', 'instructions', 'description', 'instructions', 'name'] as const;

/** Updates single settings, by the members in turn, and two at once: none may undo another. */
async function updates({ api, interns, race }: Ctx, has: (need: string) => boolean): Promise<void> {
  const { id } = await interns.stopped();
  const members = (['api_key', 'peer_api_key'] as const).filter(has);
  for (const as of members) await api.get(id, { as }).catch(unanswered);
  for (const [at, key] of BY_TURNS.entries()) {
    const setting = { [key]: key === 'name' ? interns.name() : `turn ${at}` };
    await api.update(id, setting, { as: members[at % members.length] ?? 'api_key' }).catch(unanswered);
  }
  for (const said of ['one', 'two']) {
    const settings = [{ description: said }, { instructions: said }];
    await race(settings.length, (at) => api.update(id, settings[at]).catch(unanswered));
    await api.get(id).catch(unanswered);
  }
}

/** Prompts for questions, each with a valid answer and invalid ones. */
const QUESTIONS = [
  { behaviour: 'ask-permission', right: 'allow_once', wrong: NO_OPTIONS },
  { behaviour: 'ask-question', right: '{"action":"decline"}', wrong: NO_ACTIONS },
] as const;

/** Sessions that begin before the first one is continued. */
const BESIDE = 3;

/** Reads a running intern, and starts sessions. Returns a function that reads it again and continues the first session later. */
async function keeps(ctx: Ctx, has: (need: string) => boolean): Promise<() => Promise<void>> {
  const { api, interns, prompt } = ctx;
  const { id } = await interns.running({ description: 'kept', instructions: 'Be kept.' });
  const { json } = await api.invoke(id, { input: prompt('echo') });
  const session_id = isRecord(json) ? json.session_id : undefined;
  for (let at = 0; at < BESIDE; at++) await api.invoke(id, { input: prompt('echo') }).catch(unanswered);
  const look = async () => {
    for (const as of ['api_key', 'peer_api_key'] as const) if (has(as)) await api.get(id, { as }).catch(unanswered);
    for (const ask of readsOf(ctx, id, has)) await ask().catch(unanswered);
  };
  await look();
  return async () => {
    for (let times = 0; times < 2; times++) {
      await look();
      await api.invoke(id, { input: prompt('echo'), session_id });
    }
    await look();
  };
}

/**
 * One session, of the peer if it sees the intern: a question, answers with one mistake each, the right one, answers
 * that come too late, and a prompt. In between, strangers to the session try to answer.
 */
async function replies(ctx: Ctx, has: (need: string) => boolean): Promise<void> {
  const { api, chat, interns, prompt } = ctx;
  const { id } = await interns.running();
  const { id: other } = await interns.running();
  const seen = has('peer_api_key') ? await api.get(id, { as: 'peer_api_key' }).catch(unanswered) : undefined;
  const by = seen?.status === 200 ? 'peer_api_key' : 'api_key';
  const reply = (parts: Parameters<typeof answerWith>[2], to = id, as: As = by) =>
    answerWith(ctx, to, parts, { as }).then(heard).catch(unanswered);
  let session: string | undefined;
  for (const { behaviour, right: content, wrong } of QUESTIONS) {
    if (!has(`behaviour:${behaviour}`) || ctx.over()) continue;
    const goesOn = session === undefined ? {} : { session_id: session };
    // The run of the previous question may still wait: then the prompt is delivered into it.
    const asked = await chat(id, { prompt: prompt(behaviour), approval_mode: 'manual', ...goesOn }, { as: by })
      .then((said) => said.end())
      .catch(unanswered);
    const call = asked?.toolCalls[0]?.id;
    session = asked?.sessionId;
    if (call === undefined || session === undefined) return;
    const right = { call, session, content };
    const strangers = strangersOf(ctx, has);
    const others = async (some: readonly As[]) => {
      for (const as of some) await reply(right, id, as);
      for (const as of ['api_key', 'peer_api_key'] as const)
        if (has(as)) await api.invoke(id, { input: prompt('echo'), session_id: session }, { as }).catch(unanswered);
    };
    await others(strangers);
    await reply(right, other);
    await reply({ call, content });
    for (const wrong of ctx.sample(near(call), 2)) await reply({ ...right, call: wrong });
    for (const wrong of ctx.sample(near(session), 2)) await reply({ ...right, session: wrong });
    for (const content of ctx.sample(wrong, 3)) await reply({ ...right, content });
    const tool = { role: 'tool', tool_call_id: call, content };
    for (const stream of [false, undefined, 'true'])
      await chat(id, { messages: [tool], session_id: session, extra: { stream } }, { as: by })
        .then(heard)
        .catch(unanswered);
    // A waiting run blocks no other prompt.
    if (behaviour === 'ask-permission')
      await chat(id, { prompt: prompt('echo') }, { as: by })
        .then(heard)
        .catch(unanswered);
    await reply(right);
    for (const late of [{}, { call: `${call}x` }, { content: NO_OPTIONS[0] }]) await reply({ ...right, ...late });
    await others(ctx.sample(strangers, 2));
    // The approval mode holds for one run only.
    const then = behaviour === 'ask-permission' ? behaviour : 'echo';
    await chat(id, { prompt: prompt(then), session_id: session }, { as: by })
      .then(heard)
      .catch(unanswered);
  }
}

/** Stores, replaces, reads, copies and deletes a secret, first in the vault of an intern, then in that of its workspace. */
async function secrets({ interns, send, over }: Ctx): Promise<void> {
  const { id } = await interns.stopped();
  const all = { send };
  for (const scope of [ofIntern(id), WORKSPACE]) {
    const name = secretName({ interns });
    const read = () => list(all, scope, { limit: 100 }).catch(unanswered);
    for (const [value, hosts] of [
      [VALUE, ['api.example.com']],
      [ANOTHER_VALUE, ['API.example.com', 'b.example.com']],
    ] as const) {
      await put(all, scope, name, { value, hosts }).catch(unanswered);
      await read();
    }
    if (scope === WORKSPACE) {
      // A secret of the workspace shows in the vault of an intern after a copy only.
      await list(all, ofIntern(id)).catch(unanswered);
      await copy(all, id, [name]).catch(unanswered);
    }
    for (let times = 0; times < 2; times++) await remove(all, scope, name).catch(unanswered);
    await read();
    if (over()) return;
  }
  await list(all, ofIntern(id)).catch(unanswered);
}

/** More secrets than some lists show. */
const MANY = 51;

/** Fills the vault of an intern with many secrets, and lists them, twice. */
export async function manySecrets({ interns, over, send }: Ctx): Promise<void> {
  const scope = ofIntern((await interns.stopped()).id);
  const name = secretName({ interns });
  for (let at = 0; at < MANY && !over(); at++)
    await put({ send }, scope, `${name}_${at}`, { value: VALUE, hosts: ['api.example.com'] }).catch(unanswered);
  for (let times = 0; times < 2; times++) await list({ send }, scope).catch(unanswered);
}

/** Reads a mapping again and again, between reads by other ids, by an unknown id, and without a credential. */
async function mappings({ interns, send, target }: Ctx): Promise<void> {
  const read = (id: unknown, as: 'management_key' | null = 'management_key') =>
    send({ path: `/scim/group-mappings/${encodeURIComponent(String(id))}`, as }).catch(unanswered);
  const id = target.scimMappingId;
  const answer = await read(id);
  const data = isRecord(answer?.json) && isRecord(answer.json.data) ? answer.json.data : {};
  for (const other of [data.scim_group_id, data.workspace_id, data.organization_id, interns.unknownId()]) {
    await read(other);
    await read(id);
  }
  await read(id, null);
  await read(interns.unknownId(), null);
  await read(id);
}

/** Frees names, by a rename and a delete, and takes them again, also as another member. */
async function names({ api, interns }: Ctx, has: (need: string) => boolean): Promise<void> {
  const [first, second] = [interns.name(), interns.name()];
  const made = await interns.running({ name: first }).catch((error: unknown) => {
    if (!(error instanceof Skipped) || error.skip.kind === 'stopped') throw error;
  });
  if (made === undefined) return;
  let times = 0;
  // A create of an equal body would be a retry.
  const create = (name: string, as: 'api_key' | 'peer_api_key' = 'api_key') =>
    api.create(interns.body({ name, description: `time ${times++}` }), { as }).catch(unanswered);
  await create(first);
  for (const name of [second, first, second]) await api.update(made.id, { name }).catch(unanswered);
  for (const as of ['api_key', 'foreign_api_key'] as const)
    if (has(as)) await api.get(made.id, { as }).catch(unanswered);
  await create(second);
  const { json } = (await create(first)) ?? {};
  if (has('peer_api_key')) await create(second, 'peer_api_key');
  if (!isRecord(json) || typeof json.id !== 'string') return;
  // The first name is taken. An intern may be renamed to its own.
  const taken = { name: second, description: 'not to be kept' };
  for (const as of ['api_key', 'peer_api_key'] as const)
    if (has(as)) await api.update(json.id, taken, { as }).catch(unanswered);
  await api.update(json.id, { name: first }).catch(unanswered);
  await api.get(json.id).catch(unanswered);
  await api.remove(made.id).catch(unanswered);
  await interns.untilGone(made.id).catch(unanswered);
  await create(second);
  // A name finds no intern.
  for (const other of [second, first]) await api.get(other).catch(unanswered);
}

/**
 * Deletes an intern whose teardown fails. Returns a function that later lists it and deletes it again, at last with its loss
 * acknowledged. The instructions make the teardown fail on an emulator. On any other target the intern is simply deleted.
 */
async function teardown(
  { api, interns, send, wait }: Ctx,
  has: (need: string) => boolean,
): Promise<() => Promise<void>> {
  // A service may refuse a text for its characters.
  const { json } = (await api.create(interns.body({ instructions: 'script: teardown-fails' })).catch(unanswered)) ?? {};
  const id = isRecord(json) && typeof json.id === 'string' ? json.id : (await interns.stopped()).id;
  const peer = has('peer_api_key') ? 'peer_api_key' : 'api_key';
  /** Reads the intern until its teardown has ended. Returns whether it has failed. */
  const hasFailed = async (): Promise<boolean> => {
    for (let looks = 0; looks < 4; looks++) {
      const { json, status } = (await api.get(id, { as: looks % 2 === 0 ? 'api_key' : peer }).catch(unanswered)) ?? {};
      if (status === 404) return false;
      if (isRecord(json) && json.status !== 'destroying') return true;
      await wait(1_000);
    }
    return false;
  };
  const remove = async (body?: unknown, as: 'api_key' | 'peer_api_key' = 'api_key') => {
    await api.remove(id, body, { as }).catch(unanswered);
    return hasFailed();
  };
  const isThere = await remove();
  return async () => {
    if (!isThere) return;
    for (const as of ['api_key', peer] as const)
      for (const query of ['limit=500', 'limit=500&status=destroy_failed'])
        await send({ path: `/interns?${query}`, as }).catch(unanswered);
    for (const ask of [() => api.provision(id), () => api.suspend(id), () => api.update(id, { description: 'kept' })])
      await ask().catch(unanswered);
    for (const body of [{}, { acknowledge_workspace_loss: false }]) if (!(await remove(body, peer))) return;
    await remove({ acknowledge_workspace_loss: true });
  };
}

/** Credentials that cannot sign. */
const NO_SIGNERS = ['oauth_interns_only_token', 'api_key', 'peer_api_key'] as const;

/**
 * Signs by the operation and its alias: for one route, and for two bodies at once. Credentials that cannot sign try it, too. All
 * proofs must have the same layout, and nonces of their own.
 */
async function proofs({ interns, race, random, send }: Ctx, has: (need: string) => boolean): Promise<void> {
  const { id } = await interns.stopped();
  const route = { method: 'POST', path: '/api/invoke' };
  const another = has('peer_oauth_token') ? 'peer_oauth_token' : 'oauth_token';
  for (const [path, signer] of [
    ['daemon/sign', 'oauth_token'],
    ['daemon-access/sign', 'oauth_token'],
    ['daemon/sign', another],
    ['daemon-access/sign', another],
  ] as const) {
    const sign = (as: CredentialName, json: unknown) =>
      send({ method: 'POST', path: internPath(id, `/${path}`), as, json }).catch(unanswered);
    const bodies = [0, 1].map(() => ({ bodySha256: sha256(String(random())) }));
    await race(bodies.length, (at) => sign(signer, bodies[at]));
    await sign(signer, { bodySha256: DIGEST, route });
    for (const as of signer === 'oauth_token' ? NO_SIGNERS.filter(has) : [])
      for (const more of [{}, { route }]) await sign(as, { bodySha256: DIGEST, ...more });
  }
}

/** A sequence of requests. `turn`: the limiter of turns may delay it. */
export interface RowSequence {
  readonly turn: boolean;
  /** Whether it comes first even in a short run, as its outcome is looked at later, or after everything else. */
  readonly place?: 'first' | 'last';
  send(): Promise<void>;
}

/**
 * Sequences for rules that no single request can break: the life of an intern, repeated creates, a secret from its store
 * to its end, proofs side by side, pages of a list, and a conversation. A sequence in which a rule broke is sent once more,
 * with fresh interns. At a deployment the scenarios of chat have the conversations.
 */
export function sequences(
  ctx: Ctx,
  { has, broken, over }: { has(need: string): boolean; broken(): number; over(): boolean },
): readonly RowSequence[] {
  /** Sends a sequence. Returns whether it showed a new kind of breach. */
  const breaks = async (sequence: () => Promise<unknown>): Promise<boolean> => {
    const before = broken();
    await sequence();
    return broken() > before;
  };
  const inTwos = (turn: boolean, sequence: () => Promise<unknown>): RowSequence => ({
    turn,
    async send() {
      if ((await breaks(sequence)) && !over()) await sequence();
    },
  });
  const first = (turn: boolean, sequence: () => Promise<unknown>): RowSequence => ({
    ...inTwos(turn, sequence),
    place: 'first',
  });
  const begin = () => beginLife(ctx, { broken, has }).catch(unanswered);
  let life: Awaited<ReturnType<typeof begin>>;
  let early = false;
  let again: (() => Promise<unknown>) | undefined;
  let kept: (() => Promise<unknown>) | undefined;
  let fails: (() => Promise<unknown>) | undefined;
  return [
    {
      turn: true,
      place: 'first',
      async send() {
        life = await begin();
      },
    },
    first(false, async () => {
      again = await retries(ctx, has);
    }),
    inTwos(false, () => updates(ctx, has)),
    inTwos(false, () => secrets(ctx)),
    first(false, async () => {
      fails = await teardown(ctx, has);
    }),
    ...(has('management_key') && has('scim_mapping') ? [inTwos(false, () => mappings(ctx))] : []),
    first(true, async () => {
      kept = await keeps(ctx, has);
    }),
    ...(has('oauth_token') ? [inTwos(true, () => proofs(ctx, has))] : []),
    {
      turn: false,
      async send() {
        for (const query of ['limit=1', 'limit=2', 'limit=1&status=stopped', 'limit=3&status=stopped,running'])
          await pages(ctx, query, FEW);
        await sendLists(ctx);
      },
    },
    ...(has('behaviour:ask-permission') ? [inTwos(true, () => replies(ctx, has))] : []),
    // By then it is known whether reads are late.
    {
      turn: true,
      async send() {
        early = await breaks(async () => life?.first());
      },
    },
    ...(has('control') ? [inTwos(true, () => conversation(ctx))] : []),
    {
      turn: true,
      async send() {
        const late = await breaks(async () => life?.rest());
        if ((!early && !late) || over()) return;
        const second = await begin();
        await second?.first();
        await second?.rest(false);
      },
    },
    { turn: false, place: 'last', send: async () => void (await again?.()) },
    { turn: true, place: 'last', send: async () => void (await kept?.().catch(unanswered)) },
    // By then it is known whether reads are late.
    { ...inTwos(false, () => names(ctx, has)), place: 'last' },
    {
      turn: false,
      place: 'last',
      async send() {
        if ((await breaks(async () => fails?.())) && !over()) await (await teardown(ctx, has))();
      },
    },
  ];
}

/** Statuses before a delete. */
const STANDING = 'status=queued,provisioning,running,failed,stopped';

/** Reads whole lists, at once and in pages. */
export async function sendLists(ctx: Ctx): Promise<void> {
  const all = await pages(ctx, `limit=100&workspace_id=${encodeURIComponent(ctx.target.workspaceId)}`);
  const limit = `limit=${Math.max(2, Math.ceil(all / 4))}`;
  for (const filter of ['', STANDING, 'status=stopped', 'status=running']) {
    await pages(ctx, `${limit}&${filter}`);
    if (filter !== '') await pages(ctx, filter);
  }
}
