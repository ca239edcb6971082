import type { Progress } from '../../../conformance/explore/types.js';
import { systemHost } from '../../../conformance/probe/time.js';
import { counted } from '../../contract/counted.js';
import { visible } from '../../contract/visible.js';

/** How often progress is reported where a line cannot be overwritten, in ms. */
const EVERY = 30_000;
/** After which it is said how it takes less time, in ms. */
const LONG = 300_000;

const about = (ms: number): string =>
  ms < 90_000 ? `${Math.ceil(ms / 1_000)} s` : counted(Math.ceil(ms / 60_000), 'minute');

/** The output of progress. `live`: it is a terminal, whose line can be written over. */
export interface ProgressTo {
  err(text: string): void;
  readonly live: boolean;
  readonly width: number;
}

/** Says what was tried and found, and what is left; once, how less is left where that is long. */
export function progressTo(
  { err, live, width }: ProgressTo,
  now: () => number = systemHost.now,
): { show(progress: Progress): void; end(): void } {
  let [shown, warned, said] = [false, false, now()];
  return {
    show({ done, total, breaches, last, test, left }) {
      const broke = breaches === 0 ? '' : `, ${breaches} broke a law`;
      const text = `${test === undefined ? '' : `${test}: `}${done} of ${counted(total, 'schedule')} tried${broke}, about ${about(left)} left`;
      if (left > LONG && !warned) {
        warned = true;
        err(
          `${live && shown ? '\r\u001b[2K' : ''}It will take about ${about(left)}. --shard 1/2 tries half of it, --only final,transient leaves out what is harmless; --max-time 5m ends in time, with the most telling tried.\n`,
        );
      }
      if (live) err(`\r\u001b[2K${visible(`${text}  ${last}`).slice(0, width - 1)}`);
      else if (now() - said >= EVERY && done < total) {
        said = now();
        err(`${visible(text)}\n`);
      }
      shown = true;
    },
    end() {
      if (live && shown) err('\r\u001b[2K');
      shown = false;
    },
  };
}
