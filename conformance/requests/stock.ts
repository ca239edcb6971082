import { findingOf } from '../model/finding.js';
import type { Ctx } from '../run/context.js';
import { unanswered } from './unanswered.js';
import type { State } from './value.js';

/** The intern is read after this many refused updates. */
const REFUSALS = 3;

/** ms after a read in which another one would tell nothing. Rules compare an answer with reads of the last ten seconds. */
const RECENT = 5_000;

/**
 * Keeps one intern in each state that rows ask for, until a row uses it up.
 *
 * @param has whether the target meets a need
 * @param lost states that no intern reached, and why. Stocks that share it do not wait again
 */
export function createStock(ctx: Ctx, has: (need: string) => boolean, lost = new Map<State, unknown>()) {
  const kept = new Map<State, Promise<string>>();
  const { interns, api } = ctx;
  /** Gives settings values, so that a lost one shows. */
  const set = async (id: string): Promise<string> => {
    await api.update(id, { description: 'kept', instructions: 'Be kept.', model: 'kept/slug' }).catch(() => undefined);
    return id;
  };
  const loses = (state: State) => (error: unknown) => {
    if (findingOf(error) !== undefined) lost.set(state, error);
    throw error;
  };
  const make: Readonly<Record<State, () => Promise<string>>> = {
    unknown: async () => interns.unknownId(),
    stopped: async () => set((await interns.stopped()).id),
    running: async () => set((await interns.running()).id),
    async suspended() {
      const { id } = await interns.running();
      await set(id);
      await api.suspend(id);
      await interns.untilSuspended(id).catch(loses('suspended'));
      return id;
    },
    async booting() {
      const { id } = await interns.stopped();
      await api.provision(id);
      return id;
    },
    async going() {
      const { id } = await interns.stopped();
      await api.remove(id);
      return id;
    },
    async gone() {
      const { id } = await interns.stopped();
      await api.remove(id);
      await interns.untilGone(id).catch(loses('gone'));
      return id;
    },
  };
  let reads = 0;
  /** When each intern was last read, unless a row wrote to it since. */
  const fresh = new Map<string, number>();
  const refusals = new Map<State | undefined, number>();
  /** Reads an intern, with the API key and the peer in turn. Returns whether it is gone. */
  const read = async (id: string): Promise<boolean> => {
    reads += 1;
    const peer = has('peer_api_key') && reads % 2 === 0;
    const seen = peer ? await api.get(id, { as: 'peer_api_key' }).catch(unanswered) : undefined;
    const answer = seen?.status === 200 ? seen : await api.get(id).catch(unanswered);
    if (answer?.status === 200) fresh.set(id, ctx.elapsed());
    return answer?.status === 404;
  };
  return {
    /** Notes a refused update. Returns whether it is time to read the intern. */
    refuses(state: State | undefined): boolean {
      const count = (refusals.get(state) ?? 0) + 1;
      refusals.set(state, count % REFUSALS);
      return count === REFUSALS;
    },
    read,
    /** Reads an intern, unless it was just read and no row wrote to it since. */
    async readBefore(id: string): Promise<void> {
      if (ctx.elapsed() - (fresh.get(id) ?? Number.NEGATIVE_INFINITY) > RECENT) await read(id);
    },
    /** Notes that a row writes to an intern. */
    writes: (id: string) => void fresh.delete(id),
    intern(state: State): Promise<string> {
      const before = kept.get(state);
      if (before !== undefined) return before;
      if (lost.has(state)) return Promise.reject(lost.get(state));
      const made = make[state]();
      // These states pass: each row gets a new intern.
      if (state === 'booting' || state === 'going') return made;
      kept.set(state, made);
      made.catch(() => kept.delete(state));
      return made;
    },
    /** Whether interns do not reach a state. The rules judged the reason already. */
    isLost: (state: State): boolean => lost.has(state),
    /** Drops the intern of a state, because a row may have changed it. */
    usedUp(state: State | undefined): void {
      if (state !== undefined) kept.delete(state);
    },
  };
}
export type Stock = ReturnType<typeof createStock>;
