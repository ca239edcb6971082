import { fail, gist } from '../../model/assert.js';
import { findingOf, noAnswerOf, type StreamGot } from '../../model/finding.js';
import type { Transcript } from '../../probe/chunks.js';
import { internPath } from '../../probe/request.js';
import type { Ctx } from '../../run/context.js';

/** A stream whose bytes all arrive within this many ms came at once. */
const AT_ONCE = 30;
/** A reply with fewer chunks proves nothing: the intern may have had no more to say. */
const SEVERAL = 4;
/** A late reply takes longer than an answer of the target by this factor, */
const LONGER = 1.3;
/** and longer than this many ms. */
const LEAST = 100;

const LONG_REPLY = 'Please tell me at length, in five sentences or more, what the sea looks like.';

/** The arrival of a long reply. */
export type Arrival =
  | { readonly how: 'streams' }
  /** It came at once, `wait` ms after the service had said that the run goes on. An answer takes `latency` ms. */
  | { readonly how: 'late'; readonly wait: number; readonly latency: number }
  /** It was too short to prove anything. */
  | { readonly how: 'short'; readonly t: Transcript }
  | { readonly how: 'unknown'; readonly why: string; readonly got?: unknown };

const arrivedAtOnce = ({ items }: Transcript): boolean => (items.at(-1)?.at ?? 0) - (items[0]?.at ?? 0) <= AT_ONCE;

/** Starts a long reply, and notes whether its answer has begun. */
function longReply(ctx: Ctx, id: string) {
  const opening = ctx.chat(id, LONG_REPLY);
  let opened = false;
  const seen = opening.then(
    () => {
      opened = true;
    },
    () => {},
  );
  return {
    opening,
    seen,
    isOpen: () => opened,
    /** Waits `ms`, or until the answer begins. */
    async pass(ms: number) {
      const began = ctx.elapsed();
      while (!opened && ctx.elapsed() - began < ms) await ctx.settle();
    },
  };
}

/** Most further prompts, which are refused while the run goes on. */
const ASKS = 4;
const SOON = 1_000;

/** The time when another prompt is refused as busy (409): the run goes on. Undefined if the answer begins first. */
async function refusedAsBusy(ctx: Ctx, id: string, reply: ReturnType<typeof longReply>): Promise<number | undefined> {
  for (let asks = 0; asks < ASKS && !reply.isOpen(); asks++) {
    const other = await ctx.open({
      method: 'POST',
      path: internPath(id, '/chat/completions'),
      json: { messages: [{ role: 'user', content: 'Hello.' }], stream: true },
      limited: true,
    });
    const saidBusy = !reply.isOpen() && other.status === 409 ? ctx.elapsed() : undefined;
    await other.close();
    if (saidBusy !== undefined) return saidBusy;
    // Retry-After may also be a date, which counts as a short wait.
    if (other.status === 429) await reply.pass(1_000 * Number(other.headers.get('retry-after')) || SOON);
  }
  return undefined;
}

/**
 * The arrival of a long reply. A reply that comes at once, long after another prompt was refused as busy, may have been held
 * back. An intern that thinks for long and then says everything looks the same.
 */
export async function arrival(ctx: Ctx, id: string): Promise<Arrival> {
  // `headAfter` does not count the time that the kit waits before sending.
  const read = await ctx.open({ path: internPath(id) });
  await read.whole();
  const latency = read.headAfter;
  const sent = longReply(ctx, id);
  const saidBusy = await refusedAsBusy(ctx, id, sent);
  const reply = await sent.opening;
  const head = ctx.elapsed();
  // The other prompt may have arrived first.
  if (reply.status >= 300) return { how: 'unknown', why: 'another prompt was taken before it' };
  const t = await reply.end();
  if (!arrivedAtOnce(t)) return { how: 'streams' };
  if (t.chunks.length < SEVERAL) return { how: 'short', t };
  if (saidBusy === undefined)
    return { how: 'unknown', why: 'a reply came all at once, and no other prompt was refused before' };
  const wait = head - saidBusy;
  if (wait > Math.max(LEAST, LONGER * latency)) return { how: 'late', wait, latency };
  const why = 'a reply came all at once, not long enough after another prompt was refused as busy';
  return { how: 'unknown', why, got: { after: Math.round(wait), latency: Math.round(latency) } };
}

/**
 * Suspends an intern `wait` ms into a run, and returns the number of chunks that come then: they were held back. An intern that
 * was still thinking has said nothing.
 */
async function saidBefore(ctx: Ctx, wait: number): Promise<number> {
  const { id } = await ctx.interns.running();
  // A newly booted intern may need a moment before it takes prompts.
  const first = await ctx.chat(id, 'Hello.');
  if (first.status >= 300) return 0;
  await first.end();
  const sent = longReply(ctx, id);
  await sent.pass(wait);
  const early = sent.isOpen();
  const { status } = await ctx.api.suspend(id);
  await sent.seen;
  const reply = await sent.opening;
  if (early || status >= 300 || reply.status >= 300) return 0;
  const t = await reply.end();
  if (t.error?.reason !== 'run_ended' || !arrivedAtOnce(t)) return 0;
  return t.chunks.filter((chunk) => /"(content|reasoning)":"[^"]/.test(JSON.stringify(chunk))).length;
}

/** Most runs that are cut short by a suspend. */
const CUTS = 4;
/** Held-back replies that make a finding. */
const SHOWN = 2;

/** Waits for a chunk that must come at once. If it does not, other checks wait for none. */
export async function atOnce<One>(ctx: Pick<Ctx, 'streamsAreHeldBack'>, awaited: Promise<One>): Promise<One> {
  try {
    return await awaited;
  } catch (error) {
    const found = findingOf(error)?.found;
    const silent = (found?.got as Partial<StreamGot> | undefined)?.silent !== undefined;
    if (silent || (found !== undefined && noAnswerOf(found)?.kind === 'timeout')) ctx.streamsAreHeldBack();
    throw error;
  }
}

/**
 * Finds out whether late replies were held back, or the intern was only thinking. It suspends interns at a time when a
 * streamed reply would have begun, and a held-back one would not. A finding if they were held back, else a skip.
 */
export async function heldBack(ctx: Ctx, late: readonly { wait: number; latency: number }[]): Promise<void> {
  const wait = Math.min(...late.map((one) => (one.wait + one.latency) / 2));
  let shown = 0;
  for (let cuts = 0; cuts < CUTS && shown < SHOWN; cuts++) {
    const chunks = await saidBefore(ctx, wait);
    if (chunks < 2 || ++shown < SHOWN) continue;
    ctx.streamsAreHeldBack();
    const words = 'what the intern says, while its run goes on';
    const got = gist('nothing until a suspend had ended the run, then all that was said before at once', { chunks });
    fail('arrival of a reply', words, got);
  }
  ctx.unmet('an intern that says one thing after another', 'its replies came late, and each all at once');
}
