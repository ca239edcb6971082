import type { Intern } from '../../../emulator/contract/intern.js';
import { equal, fail, gist, isObject, ok } from '../../model/assert.js';
import type { Need } from '../../model/target.js';
import { type Answer, isStream } from '../../probe/answer.js';
import type { Transcript } from '../../probe/chunks.js';
import type { As, CredentialName } from '../../probe/request.js';
import * as chat from '../../requests/chat.js';
import { plain, read } from '../../requests/chat.js';
import type { Check } from '../../run/check.js';
import type { Ctx, SendOptions } from '../../run/context.js';
import * as expect from '../../run/expect.js';
import type { ChatReply } from '../../run/reply.js';

/** Starts a run by invoke, or continues a session. */
export const invoke = (ctx: Ctx, id: string, input: string, session_id?: string, options?: SendOptions) =>
  ctx.api.invoke(id, { input, ...(session_id === undefined ? {} : { session_id }) }, options);

/** The session_id of an accepted invoke. `INVOKE-1/status-word` checks its status. */
export function session(answer: Answer, what: string): string {
  expect.status(answer, [200, 201, 202], what);
  isObject(answer.json, `body of ${what}`);
  const { session_id } = answer.json;
  ok(typeof session_id === 'string' && session_id !== '', `session_id of ${what}`, 'a session_id', session_id);
  return session_id;
}

const DELIVERED = { breaks: { requirement: 'CHAT-14', level: 'S' } } as const;

/** Whether an answer may report a steered prompt. Its form is not stated, so a chunk of a stream may have the status. */
const isReported = (answer: Answer): boolean =>
  !isStream(answer) || /^data: ?\{.*"status": ?"steered"/m.test(answer.text);

/** The prompt was accepted. The delivery into a run is stated, but the answer that says so is only published. */
export function accepted(answer: Answer, what: string): void {
  const delivered = answer.status < 300 && isReported(answer);
  expect.status(answer, 202, what, delivered ? {} : DELIVERED);
}

/** The answer says that the prompt was delivered into a run of that session. */
export function steered(answer: Answer, id: string | undefined, what: string): void {
  expect.success(answer, what, DELIVERED);
  if (!isReported(answer))
    fail(
      what,
      'delivered into the run that goes on, with status steered',
      gist('answered with a stream of its own'),
      DELIVERED,
    );
  if (isStream(answer)) return;
  isObject(answer.json, `body of ${what}`);
  equal(answer.json.status, 'steered', `status in the body of ${what}`);
  if ('session_id' in answer.json) equal(answer.json.session_id, id, `session_id of ${what}`);
}

/** ms that the network may add to the 30 s within which a disconnect is noticed (CHAT-10). */
const ON_THE_WAY = 3_000;

/** Sends a prompt 31 s after a client left the intern's stream: that run is cancelled, and the intern takes the prompt. */
export async function onceFree(ctx: Ctx, prompt: () => Promise<ChatReply>): Promise<Transcript> {
  const free = ({ status }: ChatReply) => status !== 409 && status !== 202;
  const reply = await ctx.eventually(prompt, free, ON_THE_WAY);
  if (free(reply)) return read(reply);
  const goesOn = reply.status === 202 ? 'still taking the next prompt of its session' : 'still keeping its intern busy';
  return fail(
    'the run whose client left its stream 31 s ago',
    'cancelled: a disconnect is noticed within 30 s',
    gist(goesOn, expect.seen(await reply.whole())),
  );
}

/** Statuses of an intern that a prompt has woken. */
const WOKEN = ['queued', 'provisioning', 'running'];

/**
 * Needs an intern that still sleeps after a prompt. The refusal is published (CHAT-16). A service may boot the intern instead, and
 * then shows a status of a boot. A reply of an intern that still does not run is a finding.
 */
export async function asleep(
  ctx: Pick<Ctx, 'api' | 'assume'>,
  id: string,
  answer: Answer,
  what: string,
): Promise<void> {
  const { status } = answer;
  if ((status >= 400 && status < 500) || status === 503) return;
  if (status < 300) {
    const now = expect.intern(await ctx.api.get(id), 200, 'the read of an intern that answers').status;
    ctx.assume(!WOKEN.includes(now), SLEEPS, 'a prompt has woken one that did not run');
  }
  expect.answered(answer, 'refusal', what);
}
const SLEEPS = 'an intern that sleeps until it is provisioned';

/**
 * Provisions an intern that refused a prompt because it did not run. A service may refuse the prompt and boot the intern anyway.
 * Then its status shows a boot, and no provision is needed. `before` is its status before the prompt.
 */
export async function provisioned(
  ctx: Pick<Ctx, 'api' | 'assume'>,
  { id, status: before }: Pick<Intern, 'id' | 'status'>,
): Promise<void> {
  const answer = await ctx.api.provision(id);
  if (answer.status === 409) {
    const { status } = expect.intern(await ctx.api.get(id), 200, 'the read of an intern that is not provisioned');
    const woken = status !== before && WOKEN.includes(status);
    ctx.assume(!woken, SLEEPS, 'a prompt that was refused has woken one that did not run', status);
  }
  expect.done(answer, 'the provision');
}

/** The answer to a question that is closed for the reason `why` was refused. */
export function closed(answer: Answer, why: 'answered' | 'suspended'): void {
  const note = { answered: 'answered before', suspended: 'its run ended with the suspend of its intern' }[why];
  expect.refused(answer, CLOSED, { because: { kind: 'note', note } });
}
export const CLOSED = 'an answer to a question that is not open any more';

/** Needs a peer who sees the intern. The service decides which interns a key sees (AUTH-2). */
export async function seenByPeer(ctx: Ctx, id: string, as: CredentialName = 'peer_api_key'): Promise<void> {
  const { status } = await ctx.api.get(id, { as });
  const note = '404 for an intern of the API key';
  ctx.assume(status !== 404, 'a peer that sees the interns of others', note, as);
}

/** The refusal of a turn over the limit. */
export const LIMITED = { status: 429, reason: 'rate_limited', retryable: true } as const;

/** Sends a prompt without the wait after a 429. Returns the whole answer of a refusal. */
export async function prompt(ctx: Ctx, id: string, as: As = 'api_key', said = 'Hello.'): Promise<Answer> {
  const reply = await ctx.chat(id, said, { as, limited: true });
  if (reply.status !== 200) return reply.whole();
  await reply.end();
  return plain(ctx, reply);
}

/** Sends a prompt that is accepted, and counts as a turn. */
export async function taken(ctx: Ctx, id: string, what: string, as?: As): Promise<void> {
  expect.status(await prompt(ctx, id, as), 200, what);
}

/** Sends a prompt over the limit. */
export async function over(ctx: Ctx, id: string, what: string, as?: As): Promise<Answer> {
  const answer = await prompt(ctx, id, as);
  expect.error(answer, LIMITED, what);
  return answer;
}

/** An intern for checks: its record, and functions to talk to it. */
export type Partner = Intern & ReturnType<typeof conversation>;

/** Functions to talk to an intern, and to ask about its runs. */
function conversation(ctx: Ctx, id: string) {
  const with_ =
    <Given extends unknown[], Gives>(does: (ctx: Ctx, id: string, ...given: Given) => Gives) =>
    (...given: Given): Gives =>
      does(ctx, id, ...given);
  return {
    chat: with_((_, ...given: Parameters<Ctx['chat']>) => ctx.chat(...given)),
    answer: with_((_, ...given: Parameters<Ctx['answer']>) => ctx.answer(...given)),
    talk: with_(chat.talk),
    unstreamed: with_(chat.unstreamed),
    streaming: with_(chat.streaming),
    held: with_(chat.held),
    resumed: with_(chat.resumed),
    asked: with_(chat.asked),
    answered: with_(chat.answered),
    badAnswer: with_(chat.badAnswer),
    stillOpen: with_(chat.stillOpen),
    newest: with_(chat.newest),
    fate: with_(chat.fate),
    invoke: with_(invoke),
  };
}

/** Adds the functions to a record. They are not enumerable, so that records can be compared. */
export function talkingTo(ctx: Ctx, intern: Intern): Partner {
  const all = Object.entries(conversation(ctx, intern.id)).map(([name, value]) => [name, { value }] as const);
  return Object.defineProperties({ ...intern }, Object.fromEntries(all)) as Partner;
}

type Make = (ctx: Ctx, overrides?: Record<string, unknown>) => Promise<Partner>;

/** A running intern of its own. */
export const runningOne: Make = async (ctx, over) => talkingTo(ctx, await ctx.interns.running(over));
export const sharedOne: Make = async (ctx) => talkingTo(ctx, await ctx.interns.shared());
export const stoppedOne: Make = async (ctx, over) => talkingTo(ctx, await ctx.interns.stopped(over));

type Does = (ctx: Ctx, intern: Partner) => Promise<void>;

/** A check of such an intern. `running` implies `write`. */
const on =
  (need: Need, intern: Make) =>
  (needs: readonly Need[], does: Does): Pick<Check, 'needs' | 'run'> => ({
    needs: needs.some((one) => one === 'write' || one === 'running') ? needs : [need, ...needs],
    run: async (ctx) => does(ctx, await intern(ctx)),
  });

/** A check of a running intern, with its further needs: `...onRunning(['control'], async (ctx, intern) => {`. */
export const onRunning = on('running', runningOne);
export const onShared = on('running', sharedOne);
export const onStopped = on('write', stoppedOne);
