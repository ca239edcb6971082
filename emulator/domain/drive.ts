import type { ErrorKey } from '../contract/errors.js';
import type { Ask, AskResult } from '../contract/interaction.js';
import type { RunEnded, RunEvent } from '../contract/run.js';
import type { Ending } from '../scripts/behaviour.js';
import { text, validateEvent } from './behaviour-events.js';
import type { Run } from './run.js';
import { HELD_LIMIT, sizeOfText } from './run-log.js';

/** Texts that a behaviour says together are one event, up to about this many bytes. */
const TOGETHER = 64 * 1024;
/** After this many events without a wait, a behaviour gives others a turn. */
const BURST = 1_024;
/**
 * An advance of the clock waits for this many bursts in a row. A behaviour that never waits must not hold it forever.
 */
const HELD_BURSTS = 1_000;

/** The end of a run, by its script or from outside. */
export interface End {
  readonly ended: RunEnded;
  readonly retryable?: boolean;
  readonly message?: string;
  /** The refusal of a prompt that was not accepted yet. After that, the stream reports the end. */
  readonly refusal?: ErrorKey;
}

/** The receiver of a behaviour's events. */
export interface DriverDeps {
  append(run: Run, event: Exclude<RunEvent, { type: 'end' }>): void;
  /** The answer that the run gives by itself, or undefined to ask. */
  answer(run: Run, ask: Ask): AskResult | undefined;
  ask(run: Run, ask: Ask): void;
  end(run: Run, end: End): void;
  /** The behaviour threw an error, or yielded an invalid event. */
  failed(run: Run, error: unknown): void;
  /** Gives others a turn. With `hold`, an advance of the clock waits for it. */
  letOthersRun(run: Run, hold: boolean): Promise<void>;
  /** ms between two words of a text; 0 says it at once. */
  pace(): number;
  /** Waits until the reader has taken enough events. A reader that takes nothing ends the run. */
  waitForReader(run: Run): Promise<void>;
  /** Rejects when the run ends. */
  sleep(run: Run, ms: number): Promise<void>;
}

const REFUSED_AS: Partial<Record<RunEnded, ErrorKey>> = { severed: 'intern_unreachable', failed: 'turn_failed' };

/** The end that a behaviour yielded. As its first event, it may refuse the prompt (CHAT-16). */
function endOf(event: Ending & { retryable?: boolean; message?: string }, first: boolean): End {
  const refusal = first ? REFUSED_AS[event.end] : undefined;
  return {
    ended: event.end,
    retryable: event.retryable === true,
    ...(event.message === undefined ? {} : { message: event.message }),
    ...(refusal && { refusal }),
  };
}

/** Drives the generator of a run's behaviour: takes event after event until it asks or ends. */
export function createDriver(deps: DriverDeps) {
  const { append } = deps;

  const reportModel = (run: Run, model: string) => {
    run.model = model;
    append(run, { type: 'model', model });
  };

  /** Appends a text, or several. Returns their number. */
  const say = (run: Run, said: string | readonly string[]): number => {
    if (!Array.isArray(said)) {
      append(run, { type: 'content', texts: [text(said, 'say')] });
      return 1;
    }
    // A copy, since a behaviour may change its own list later.
    const texts: readonly unknown[] = [...said];
    let from = 0;
    let size = 0;
    const appendUpTo = (end: number) => {
      const all = from === 0 && end === texts.length;
      if (end > from) append(run, { type: 'content', texts: (all ? texts : texts.slice(from, end)) as string[] });
      from = end;
      size = 0;
    };
    texts.forEach((piece, at) => {
      // `text` throws for an invalid piece: the valid ones before it were said.
      if (typeof piece !== 'string') appendUpTo(at);
      size += sizeOfText(text(piece, 'say'));
      if (size >= TOGETHER) appendUpTo(at + 1);
    });
    appendUpTo(texts.length);
    return texts.length;
  };

  /** Says a text word by word, as a model does (WEB-2). */
  const sayPaced = async (run: Run, said: string, pace: number) => {
    const [first = '', ...words] = said.match(/\s*\S+\s*/g) ?? [said];
    append(run, { type: 'content', texts: [first] });
    for (const word of words) {
      await deps.sleep(run, pace);
      append(run, { type: 'content', texts: [word] });
    }
  };

  /** Runs until the behaviour asks or ends. `input` is the value of its last `yield`. */
  return async (run: Run, bootedModel: string | null, input?: AskResult): Promise<void> => {
    const { generator } = run;
    if (!generator) return;
    let next: AskResult | undefined = input;
    let bursts = 0;
    let sinceTurn = 0;
    try {
      while (run.status === 'running') {
        const step = await generator.next(next);
        next = undefined;
        // The run was ended from outside, which also closed the generator.
        if (run.generator !== generator) return;
        if (step.done) return deps.end(run, { ended: 'stop' });
        const event = validateEvent(step.value);
        const first = run.events === 0;
        // An intern reports its model with its first event.
        if (first && bootedModel !== null && !('model' in event)) reportModel(run, bootedModel);
        const pace = deps.pace();
        if ('say' in event && pace > 0 && typeof event.say === 'string') await sayPaced(run, event.say, pace);
        else if ('say' in event) sinceTurn += say(run, event.say) - 1;
        else if ('reason' in event) append(run, { type: 'reasoning', text: event.reason });
        else if ('ask' in event) {
          next = deps.answer(run, event.ask);
          if (next === undefined) return deps.ask(run, event.ask);
        } else if ('usage' in event) run.usage = event.usage;
        else if ('model' in event) reportModel(run, event.model);
        else return deps.end(run, endOf(event, first));
        run.events++;
        if (run.held > HELD_LIMIT) await deps.waitForReader(run);
        if (++sinceTurn >= BURST) {
          sinceTurn = 0;
          await deps.letOthersRun(run, ++bursts <= HELD_BURSTS);
        }
      }
    } catch (error) {
      deps.failed(run, error);
    }
  };
}
