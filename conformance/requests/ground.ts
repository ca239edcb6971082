import type { Ctx } from '../framework/context.js';
import { findingOf } from '../framework/finding.js';
import type { State } from './rows.js';
import { unanswered } from './unanswered.js';

/** Refused updates of an intern by which it is read. */
const UNREAD = 3;

/**
 * Interns in the states that rows ask for: one of each, until a row has used it up.
 *
 * @param has whether the target has what a value needs
 * @param lost why an intern did not come to a state: shelves that share it do not wait for it again
 */
export function createShelf(ctx: Ctx, has: (need: string) => boolean, lost = new Map<State, unknown>()) {
  const kept = new Map<State, Promise<string>>();
  const { interns, api } = ctx;
  /** Its settings have values, so that it shows when one is lost. */
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
  const refusals = new Map<State | undefined, number>();
  return {
    /** One more call was refused. Answers whether it is time to read the intern. */
    refuses(state: State | undefined): boolean {
      const count = (refusals.get(state) ?? 0) + 1;
      refusals.set(state, count % UNREAD);
      return count === UNREAD;
    },
    /** Reads an intern, by each of the members who see it in turn. Answers whether it is not there. */
    async read(id: string): Promise<boolean> {
      reads += 1;
      const peer = has('peer_api_key') && reads % 2 === 0;
      const answer = peer ? await api.get(id, { as: 'peer_api_key' }).catch(unanswered) : undefined;
      return answer?.status !== 200 && (await api.get(id).catch(unanswered))?.status === 404;
    },
    intern(state: State): Promise<string> {
      const before = kept.get(state);
      if (before !== undefined) return before;
      if (lost.has(state)) return Promise.reject(lost.get(state));
      const made = make[state]();
      // These do not stay as they are.
      if (state === 'booting' || state === 'going') return made;
      kept.set(state, made);
      made.catch(() => kept.delete(state));
      return made;
    },
    /** Whether no intern comes to a state. The rules have seen why. */
    isLost: (state: State): boolean => lost.has(state),
    /** The row may have changed the intern: the next row gets another. */
    usedUp(state: State | undefined): void {
      if (state !== undefined) kept.delete(state);
    },
  };
}
export type Shelf = ReturnType<typeof createShelf>;
