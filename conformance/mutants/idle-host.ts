// The calls of the control interface are loaded at the first of them: while they load, a host thinks that nothing goes on.
import type { ClockControl } from '../../emulator/clock/clock.js';
import { isStream, through } from '../../emulator/wire/streams.js';
import { type Host, sleepBy, systemHost } from '../probe/time.js';
import type { Handler } from './mutant.js';

import '../../emulator/agents/controlled.js';
import '../../emulator/daemon/lab.js';

/** So many turns of the event loop without anything going on, and nothing will go on by itself any more. */
const IDLE_TURNS = 500;

interface IdleHost extends Host {
  /** A handler whose requests and responses count as something going on. */
  watched(handler: Handler): Handler;
  /** A clock whose timers do. */
  watchedClock(clock: ClockControl): ClockControl;
}

interface Entry {
  readonly due: number;
  fire(): void;
}

/**
 * A host for a target in the same process, on a virtual clock: its time stands still while anything goes on, and jumps to
 * the next timer as soon as the event loop has had nothing to do for a while. A wait for an answer that never comes is
 * thus over at once, and never too early, however slow the machine is. Where the target pauses by the real time, `pauses`
 * is at least as long, in ms: before a jump nothing may have come for so long either.
 */
export function createIdleHost(pauses = 0): IdleHost {
  let now = 0;
  let idle = 0;
  /** A pause has passed since something came last. */
  let paused = false;
  let turning = false;
  const queue = new Set<Entry>();

  const came = () => {
    idle = 0;
    paused = false;
  };
  const next = (): Entry | undefined => {
    let first: Entry | undefined;
    for (const entry of queue) if (!first || entry.due < first.due) first = entry;
    return first;
  };
  const turn = () => {
    const entry = next();
    if (!entry) {
      turning = false;
      return;
    }
    if (++idle > IDLE_TURNS) {
      idle = 0;
      if (pauses > 0 && !paused) {
        paused = true;
        void systemHost.sleep(pauses).then(turn);
        return;
      }
      queue.delete(entry);
      now = Math.max(now, entry.due);
      entry.fire();
    }
    setImmediate(turn);
  };
  const later = (ms: number, fire: () => void) => {
    const entry: Entry = { due: now + ms, fire };
    queue.add(entry);
    idle = 0;
    if (!turning) {
      turning = true;
      setImmediate(turn);
    }
    return () => void queue.delete(entry);
  };
  return {
    now: () => now,
    later,
    sleep: sleepBy(later),
    turn: systemHost.turn,
    tag: systemHost.tag,
    watchedClock: (clock) => ({
      ...clock,
      get mode() {
        return clock.mode;
      },
      timer: (ms, fire) =>
        clock.timer(ms, () => {
          came();
          fire();
        }),
      async sleep(ms, signal) {
        await clock.sleep(ms, signal);
        came();
      },
    }),
    watched: (handler) => async (request) => {
      came();
      const response = await handler(request);
      came();
      if (response.body?.locked !== false || !isStream(response)) return response;
      return through(response, {
        sends(piece) {
          came();
          return piece;
        },
      });
    },
  };
}
