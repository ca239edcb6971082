import { expect, test } from 'vitest';
import { systemHost } from '../probe/time.js';
import { createSlots, type Slot } from './slots.js';

/** How many of `runs` have a place after a while. */
const begun = async (places: readonly Slot[]): Promise<number> => {
  await systemHost.turn();
  return places.length;
};

test('no more work at once than there are places; those that only wait make room, up to four times as many', async () => {
  const slots = createSlots(2);
  const places: Slot[] = [];
  for (let run = 0; run < 20; run++) void slots.take().then((place) => places.push(place));
  expect(await begun(places)).toBe(2);
  places[0]?.waits(true);
  expect(await begun(places)).toBe(3);
  // A process that wakes up works again: the next has to wait for two to leave.
  places[0]?.waits(false);
  places[1]?.leave();
  places[1]?.leave();
  expect(await begun(places)).toBe(3);
  places[0]?.leave();
  expect(await begun(places)).toBe(4);
  for (let at = 0; at < places.length; at++) {
    places[at]?.waits(true);
    await systemHost.turn();
  }
  expect(await begun(places)).toBe(10);
  expect(places.slice(2)).toHaveLength(8);
});
