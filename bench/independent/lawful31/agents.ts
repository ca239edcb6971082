import type { Ask, AskResult, PermissionOption, QuestionField } from '../../../emulator/contract/interaction.js';
import type { BehaviourEvent, Turn, TurnGenerator } from '../../../emulator/scripts/behaviour.js';
import { everyNth } from '../lawful30/helpers.js';
import type { Way } from '../world.js';
import { turning } from './helpers.js';

type Answered = AskResult | undefined;

/** Whether the caller is asked: what a run answers by itself, nobody sees. */
const isShown = ({ kind }: Ask, { origin, approvalMode }: Turn) =>
  origin === 'chat' && (kind === 'elicitation' || approvalMode === 'manual');
type Other = (event: BehaviourEvent) => AsyncGenerator<BehaviourEvent, Answered | 'over', Answered>;

/** The events of a turn, each as another generator has it; `over` ends the turn. */
async function* through(inner: TurnGenerator, other: Other): TurnGenerator {
  try {
    for (let step = await inner.next(); step.done !== true; ) {
      const result = yield* other(step.value);
      if (result === 'over') return;
      step = await inner.next(result);
    }
  } finally {
    await inner.return();
  }
}

const refuses = (result: Answered) =>
  typeof result === 'string' ? !result.startsWith('allow_') : result?.action !== 'accept';

const sure = (ask: Ask): Ask =>
  ask.kind === 'permission'
    ? { ...ask, operation: `${ask.operation} (please confirm)` }
    : { ...ask, message: `Just to be sure, once more: ${ask.message}` };

const FURTHER: readonly QuestionField[] = [
  { name: 'priority', type: 'integer', required: true, options: [1, 2, 3], label: 'How urgent is it?' },
  { name: 'notify', type: 'boolean', required: true },
];
const ALWAYS: PermissionOption[] = ['reject_always', 'allow_always'];

function fuller(ask: Ask): Ask {
  if (ask.kind === 'permission') return { ...ask, options: ALWAYS };
  const { fallback } = ask;
  const fields = [...ask.fields, ...FURTHER];
  if (fallback?.action !== 'accept') return { ...ask, fields };
  return { ...ask, fields, fallback: { ...fallback, content: { ...fallback.content, priority: 2, notify: false } } };
}
/** An answer as the turn expects it, which offered other options. */
function meant(ask: Ask, result: Answered): Answered {
  if (ask.kind !== 'permission' || result === undefined) return result;
  const offered: readonly string[] = ask.options;
  if (result === 'allow_always' && offered.includes('allow_once')) return 'allow_once';
  if (result === 'reject_always' && offered.includes('reject_once')) return 'reject_once';
  return result;
}

export const agents: readonly Way[] = [
  {
    // An intern asks when it needs an answer, and may need it twice.
    name: 'an intern asks everything twice before it is sure',
    lawful: true,
    quote: 'When the intern needs permission or an answer, the stream emits one tool call',
    factories: (usual, hit) => ({
      createScriptRegistry: turning(usual, (inner, turn) =>
        through(inner(), async function* (event) {
          const first = yield event;
          if (!('ask' in event) || !isShown(event.ask, turn) || refuses(first)) return first;
          hit();
          return yield { ask: sure(event.ask) };
        }),
      ),
    }),
  },
  {
    // Which options and fields an intern offers and requires is its own affair.
    name: 'an intern offers the lasting options only, and its questions have further required fields',
    lawful: true,
    quote:
      'options of `allow_once` `allow_always` `reject_once` `reject_always` … `{name, type?, required?, options?, label?}`',
    factories: (usual, hit) => ({
      createScriptRegistry: turning(usual, (inner, turn) =>
        through(inner(), async function* (event) {
          if (!('ask' in event)) return yield event;
          if (isShown(event.ask, turn)) hit();
          return meant(event.ask, yield { ask: fuller(event.ask) });
        }),
      ),
    }),
  },
  {
    // Nothing says how soon an intern speaks, nor that it reports its use of tokens.
    name: 'an intern thinks for 45 seconds before it acts, and never reports usage',
    lawful: true,
    quote: 'It carries `null` when the intern reported none.',
    factories: (usual, hit) => ({
      createScriptRegistry: turning(usual, async function* (inner, _turn, { clock }) {
        yield { reason: 'Hmm. Let me see.' };
        await clock.sleep(45_000);
        hit();
        yield* through(inner(), async function* (event) {
          return 'usage' in event ? undefined : yield event;
        });
      }),
    }),
  },
  {
    // Runs end in other ways than `stop`, each with its sentence; how often is nowhere said.
    name: 'every fifth turn is cut off in the middle: cancelled by the intern, or severed',
    lawful: true,
    quote:
      'When the intern ends the run while the client is still connected, by cancellation or by a deadline … stream_severed',
    factories: (usual, hit) => {
      const due = everyNth(5);
      const alternate = everyNth(2);
      return {
        createScriptRegistry: turning(usual, (inner, turn) => {
          if (turn.origin !== 'chat' || !due()) return inner();
          return through(inner(), async function* (event) {
            const result = yield event;
            if (!('say' in event)) return result;
            hit();
            yield { end: alternate() ? 'severed' : 'cancelled' };
            return 'over';
          });
        }),
      };
    },
  },
  {
    // An intern says what it likes, in any language, or nothing; the same holds for a steered prompt.
    name: 'an intern answers in other scripts and in a code block, or not at all',
    lawful: true,
    quote: 'C: a steered prompt shows by default as content `(steered: TEXT)`',
    factories: (usual, hit) => {
      const silent = everyNth(4);
      return {
        createScriptRegistry: turning(
          usual,
          async function* (inner, turn, { clock }) {
            hit();
            if (turn.origin === 'chat' && silent()) {
              await clock.sleep(500);
              return;
            }
            yield { model: 'acme/polyglot-2:fast' };
            yield { say: ['承知しました。', '\n```text\n'] };
            yield* inner();
            yield { say: ['\n```\n', '— \u202bשלום\u202c 👩‍👩‍👧‍👦\u00a0✅'] };
          },
          () => 'Понял, учту.',
        ),
      };
    },
  },
];
