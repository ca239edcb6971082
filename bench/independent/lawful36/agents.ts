import type { AskResult } from '../../../emulator/contract/interaction.js';
import type { Usage } from '../../../emulator/contract/run.js';
import type { BehaviourEvent, TurnGenerator } from '../../../emulator/scripts/behaviour.js';
import { isJson } from '../call.js';
import { turning } from '../lawful31/helpers.js';
import { passing } from '../lawful35/helpers.js';
import type { Way } from '../world.js';

const textOf = (say: string | readonly string[]) => (typeof say === 'string' ? say : say.join(''));

/** A turn, each event of which another generator has in its place; undefined is the end of a turn that just runs out. */
async function* replaced(
  inner: TurnGenerator,
  other: (
    event: BehaviourEvent | undefined,
  ) => AsyncGenerator<BehaviourEvent, AskResult | undefined, AskResult | undefined>,
): TurnGenerator {
  let result: AskResult | undefined;
  for (;;) {
    const { done, value } = await inner.next(result);
    result = yield* other(done === true ? undefined : value);
    if (done === true) return;
  }
}

export const atOnce: Way = {
  name: 'an intern says all it has to say at once, before it asks and when it ends',
  lawful: true,
  quote: 'nothing says otherwise',
  factories: (usual, hit) => ({
    createScriptRegistry: turning(usual, (inner) => {
      let held = '';
      return replaced(inner(), async function* (event) {
        if (event !== undefined && 'say' in event) {
          held += textOf(event.say);
          return undefined;
        }
        if (held !== '' && (event === undefined || 'ask' in event || 'end' in event)) {
          hit();
          yield { say: held };
          held = '';
        }
        return event === undefined ? undefined : yield event;
      });
    }),
  }),
};

export const wordwise: Way = {
  name: 'an intern says twenty words a second',
  lawful: true,
  quote: 'nothing says otherwise',
  factories: (usual, hit) => ({
    createScriptRegistry: turning(usual, (inner, _, { clock }) =>
      replaced(inner(), async function* (event) {
        if (event === undefined) return undefined;
        if (!('say' in event)) return yield event;
        for (const word of textOf(event.say).match(/\s*\S+\s*|\s+/g) ?? []) {
          hit();
          yield { say: word };
          await clock.sleep(50);
        }
        return undefined;
      }),
    ),
  }),
};

export const sums: Way = {
  name: 'an intern reports what its session has used so far, after each run',
  lawful: true,
  quote: 'The final chunk carries the `usage` that the intern reported for the run after `stop` or `error`.',
  factories(usual, hit) {
    const used = new Map<string, number>();
    return {
      createScriptRegistry: turning(usual, (inner, { session, prompt }) =>
        replaced(inner(), async function* (event) {
          if (event !== undefined && 'usage' in event) return undefined;
          if (event === undefined || 'end' in event) {
            hit();
            const total = (used.get(session.id) ?? 0) + 40 + prompt.length;
            used.set(session.id, total);
            const usage: Usage = { prompt_tokens: total - 12, completion_tokens: 12, total_tokens: total };
            yield { usage };
          }
          return event === undefined ? undefined : yield event;
        }),
      ),
    };
  },
};

export const yesOrNo: Way = {
  name: 'an intern asks for a permission with a question, to be answered with yes or no',
  lawful: true,
  unpublished: true,
  quote: 'The stream pauses with a tool call … when the intern needs permission or an answer from the caller.',
  factories: (usual, hit) => ({
    createScriptRegistry: turning(usual, (inner, { origin, approvalMode }) =>
      replaced(inner(), async function* (event) {
        if (event === undefined) return undefined;
        if (!('ask' in event) || event.ask.kind !== 'permission' || origin !== 'chat' || approvalMode !== 'manual')
          return yield event;
        hit();
        const answer = yield {
          ask: {
            kind: 'elicitation' as const,
            message: `May I use ${event.ask.operation}?`,
            fields: [{ name: 'approve', type: 'boolean' as const, required: true }],
          },
        };
        if (!isJson(answer) || answer.action === 'cancel') return 'cancel';
        const approved = answer.action === 'accept' && isJson(answer.content) && answer.content.approve === true;
        return event.ask.options.find((one) => one.startsWith('allow') === approved) ?? 'cancel';
      }),
    ),
  }),
};

export const agents: readonly Way[] = [
  atOnce,
  wordwise,
  sums,
  yesOrNo,
  {
    name: 'an intern heeds what is said meanwhile and says nothing of it',
    lawful: true,
    unpublished: true,
    quote: 'the prompt is delivered into that run, and the reported status is steered',
    factories: (usual, hit) => ({
      createScriptRegistry: turning(
        usual,
        (inner) => inner(),
        () => {
          hit();
          return '';
        },
      ),
    }),
  },
  {
    name: 'an intern thinks a third of a megabyte in one piece before it acts',
    lawful: true,
    quote: 'nothing says otherwise',
    factories: (usual, hit) => ({
      createScriptRegistry: turning(usual, async function* (inner) {
        hit();
        yield { reason: 'Let me see. '.repeat(28_000) };
        yield* inner();
      }),
    }),
  },
  {
    name: 'an intern begins with the time, a ticket of its own and a rule',
    lawful: true,
    quote: 'nothing says otherwise',
    factories: (usual, hit) => ({
      createScriptRegistry: turning(usual, async function* (inner, _, { clock, random }) {
        hit();
        yield { say: `${new Date(clock.now()).toISOString()} [T-${random.uuid().slice(0, 8)}]\n\n---\n\n` };
        yield* inner();
      }),
    }),
  },
  {
    name: 'an intern says how long each part of its answer is, and no more',
    lawful: true,
    quote: 'nothing says otherwise',
    factories: (usual, hit) => ({
      createScriptRegistry: turning(usual, (inner) =>
        replaced(inner(), async function* (event) {
          if (event === undefined) return undefined;
          if (!('say' in event)) return yield event;
          hit();
          return yield { say: `Here are ${textOf(event.say).length} characters. ` };
        }),
      ),
    }),
  },
  {
    name: 'an intern thinks aloud after each text, and once more before it ends',
    lawful: true,
    quote: 'nothing says otherwise',
    factories: (usual, hit) => ({
      createScriptRegistry: turning(usual, (inner) =>
        passing(inner(), (event) => {
          if (event !== undefined && !('say' in event)) return undefined;
          hit();
          return [{ reason: event === undefined ? 'That is all.' : 'Next.' }];
        }),
      ),
    }),
  },
];
