import type { Ask, PermissionOption, QuestionField } from '../../../emulator/contract/interaction.js';
import type { Factories } from '../../../emulator/factories.js';
import type { Behaviour, BehaviourEvent, Turn, TurnGenerator } from '../../../emulator/scripts/behaviour.js';
import type { Way } from '../world.js';
import { everyNth } from './helpers.js';

type Inner = () => TurnGenerator;

/** Interns whose turns go another way than their scripts alone would have it. */
const turning =
  (usual: Factories, other: (inner: Inner, turn: Turn) => TurnGenerator): Factories['createScriptRegistry'] =>
  (deps) => {
    const registry = usual.createScriptRegistry(deps);
    return {
      ...registry,
      resolveTurn(intern, given) {
        const chosen = registry.resolveTurn(intern, given);
        const { behaviour } = chosen;
        const changed: Behaviour = {
          name: behaviour.name,
          turn: (turn, context) => other(() => behaviour.turn(turn, context), turn),
          ...(behaviour.steered ? { steered: (text) => behaviour.steered?.(text) ?? text } : {}),
        };
        return { ...chosen, behaviour: changed };
      },
    };
  };

const TONE: Ask = {
  kind: 'elicitation',
  message: 'Before I begin: in which tone would you like the result?',
  fields: [
    { name: 'tone', type: 'string', required: true, options: ['plain', 'formal'], label: 'Tone' },
    { name: 'short', type: 'boolean', required: false, label: 'Keep it short' },
  ],
  fallback: { action: 'accept', content: { tone: 'plain' } },
};

const NOTE: QuestionField = { name: 'remark', type: 'string', required: false, label: 'Anything else?' };

/** The same question in other words. */
function reworded(ask: Ask): Ask {
  if (ask.kind === 'elicitation')
    return {
      ...ask,
      message: `${ask.message}\nPlease choose, then I will go on — take your time.`,
      fields: [...ask.fields, NOTE],
    };
  const once: PermissionOption[] = ['reject_once', 'allow_once'];
  const offered = once.every((option) => ask.options.includes(option)) ? once : ask.options;
  return { ...ask, operation: `${ask.operation}: needs your approval`, options: offered };
}

export const agents: readonly Way[] = [
  {
    // An intern may ask whenever it wants an answer; then it does what it was asked to.
    name: 'an intern asks something first in every third turn',
    lawful: true,
    quote: 'When the intern needs permission or an answer, the stream emits one tool call',
    factories: (usual, hit) => {
      const due = everyNth(3);
      return {
        createScriptRegistry: turning(usual, async function* (inner, turn) {
          if (turn.origin === 'chat' && due()) {
            hit();
            yield { ask: TONE };
          }
          yield* inner();
        }),
      };
    },
  },
  {
    // No sentence says that an intern does what a prompt tells it.
    name: 'an intern ignores every second prompt',
    lawful: true,
    quote: 'Sends a prompt to one intern and streams the reply',
    factories: (usual, hit) => {
      const due = everyNth(2);
      return {
        createScriptRegistry: turning(usual, async function* (inner) {
          if (!due()) return yield* inner();
          hit();
          yield { say: ['Let me think about ', 'that later. ', 'Is there anything else?'] };
          yield { usage: { prompt_tokens: 12, completion_tokens: 9, total_tokens: 21, cost: 0.0004 } };
        }),
      };
    },
  },
  {
    // An intern may speak and think before it asks; a question has the published form and words of its own.
    name: 'an intern speaks before it acts, and asks in other words',
    lawful: true,
    quote:
      'permission `{kind:"permission", operation, options[]}` with options of … question `{kind:"elicitation", message, fields[]}`',
    factories: (usual, hit) => ({
      createScriptRegistry: turning(usual, async function* (inner) {
        yield { reason: 'They would like me to do something.' };
        yield { say: ['Sure, ', 'one moment.\n'] };
        const turn = inner();
        try {
          for (let step = await turn.next(); step.done !== true; ) {
            const event: BehaviourEvent = step.value;
            if ('ask' in event) {
              hit();
              step = await turn.next(yield { ask: reworded(event.ask) });
            } else step = await turn.next(yield event);
          }
        } finally {
          await turn.return();
        }
      }),
    }),
  },
];
