import type { TurnGenerator } from '../../../emulator/scripts/behaviour.js';
import { everyNth } from '../lawful30/helpers.js';
import { turning } from '../lawful31/helpers.js';
import type { Way } from '../world.js';

const PARAGRAPH = `${'The quick brown fox jumps over the lazy dog. '.repeat(40)}\n\n`;

/** The events of a turn, then a failure in place of its end. */
async function* failing(inner: TurnGenerator, hit: () => void): TurnGenerator {
  try {
    for (let step = await inner.next(); step.done !== true; ) {
      if ('end' in step.value) break;
      step = await inner.next(yield step.value);
    }
    hit();
    yield { end: 'failed', retryable: true, message: 'The model provider returned an error' };
  } finally {
    await inner.return();
  }
}

export const agents: readonly Way[] = [
  {
    // How much an intern says is its own affair.
    name: 'an intern writes a long preface before it acts',
    lawful: true,
    quote: 'streams completions from one intern',
    factories: (usual, hit) => ({
      createScriptRegistry: turning(usual, async function* (inner) {
        hit();
        yield { reason: PARAGRAPH };
        yield { say: Array.from({ length: 60 }, () => PARAGRAPH) };
        yield* inner();
      }),
    }),
  },
  {
    // The intern says everything, and then its provider fails: neither an ending by the intern, nor a broken connection.
    name: 'every fourth turn ends in an error of the provider after all was said',
    lawful: true,
    quote: 'The run ends in one of three finish reasons: `stop`, `tool_calls`, `error`.',
    factories: (usual, hit) => {
      const due = everyNth(4);
      return {
        createScriptRegistry: turning(usual, async function* (inner, turn) {
          if (turn.origin === 'chat' && due()) {
            yield { say: 'One moment. ' };
            yield* failing(inner(), hit);
          } else yield* inner();
        }),
      };
    },
  },
];
