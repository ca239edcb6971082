import type { Call, Json } from '../call.js';
import { bearer, isMember, seen } from '../lawful30/helpers.js';
import type { World } from '../world.js';

/** The record of the intern that a member's call is about, as far as its sender sees it. */
export const asked = async (world: World, call: Call): Promise<Json | undefined> =>
  isMember(call.who) && !call.regional && call.id !== '' ? seen(world, call.id, bearer(call.request)) : undefined;

/** Times by the id of an intern, whatever its letters' case. */
export function timesById() {
  const times = new Map<string, number>();
  return {
    set: (id: string, at: number) => void times.set(id.toLowerCase(), at),
    delete: (id: string) => void times.delete(id.toLowerCase()),
    get: (id: string) => times.get(id.toLowerCase()) ?? 0,
  };
}
