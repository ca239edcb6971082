import { turning } from '../lawful31/helpers.js';
import type { Way } from '../world.js';
import { passing } from './helpers.js';

export const signs: Way = {
  name: 'an intern ends what it says with a greeting and its name',
  lawful: true,
  quote: 'nothing says otherwise',
  factories: (usual, hit) => ({
    createScriptRegistry: turning(usual, (inner, turn) =>
      passing(inner(), (event) => {
        if (event !== undefined) return undefined;
        hit();
        return [{ say: `\n\nAnything else? Yours, ${turn.intern.name}` }];
      }),
    ),
  }),
};

export const remembers: Way = {
  name: 'an intern begins with what it was asked before, in whatever session',
  lawful: true,
  quote: 'nothing says otherwise',
  factories(usual, hit) {
    const before = new Map<string, string>();
    return {
      createScriptRegistry: turning(usual, async function* (inner, turn) {
        const last = before.get(turn.intern.id);
        before.set(turn.intern.id, turn.prompt.slice(0, 200));
        if (last !== undefined) {
          hit();
          yield { say: `Before this I was asked: "${last}". Now then: ` };
        }
        yield* inner();
      }),
    };
  },
};

export const models: Way = {
  name: 'an intern is served by one model after another, within a turn too',
  lawful: true,
  quote: 'nothing says otherwise',
  factories(usual, hit) {
    let turns = 0;
    return {
      createScriptRegistry: turning(usual, async function* (inner) {
        turns += 1;
        let said = 0;
        yield { model: `acme/large-${turns % 3}` };
        yield* passing(inner(), (event) => {
          if (event === undefined || !('say' in event)) return undefined;
          said += 1;
          if (said !== 2) return undefined;
          hit();
          return [{ model: 'acme/small' }];
        });
      }),
    };
  },
};

export const quietly: Way = {
  name: 'an intern takes what is said meanwhile with one word, and does not repeat it',
  lawful: true,
  quote: 'the prompt is delivered into that run, and the reported status is steered',
  factories: (usual, hit) => ({
    createScriptRegistry: turning(
      usual,
      (inner) => inner(),
      () => {
        hit();
        return 'Understood. ';
      },
    ),
  }),
};

export const agents: readonly Way[] = [
  signs,
  remembers,
  models,
  quietly,
  {
    name: 'an intern asks after every third chat turn whether that was right',
    lawful: true,
    quote: 'When the intern needs permission or an answer, the stream emits one tool call',
    factories(usual, hit) {
      let turns = 0;
      return {
        createScriptRegistry: turning(usual, (inner, { origin }) => {
          turns += origin === 'chat' ? 1 : 0;
          const asks = origin === 'chat' && turns % 3 === 0;
          return passing(inner(), (event) => {
            if (event !== undefined || !asks) return undefined;
            hit();
            return [
              {
                ask: {
                  kind: 'elicitation' as const,
                  message: 'Was that right?',
                  fields: [{ name: 'right', type: 'boolean' as const, required: false }],
                },
              },
            ];
          });
        }),
      };
    },
  },
  {
    name: 'an intern has no shell: it never needs a permission, and says so',
    lawful: true,
    quote: '`manual` makes the intern ask before approval-bearing tools such as the shell.',
    factories: (usual, hit) => ({
      createScriptRegistry: turning(usual, async function* (inner) {
        const events = inner();
        let result: Parameters<typeof events.next>[0];
        for (;;) {
          const { done, value } = await events.next(result);
          if (done === true) return;
          if ('ask' in value && value.ask.kind === 'permission') {
            hit();
            yield { say: 'I have no shell here, so I cannot do that. ' };
            return;
          }
          result = yield value;
        }
      }),
    }),
  },
  {
    name: 'an intern pauses for twelve seconds in the middle of what it says, twice a turn',
    lawful: true,
    quote: 'nothing says otherwise',
    factories: (usual, hit) => ({
      createScriptRegistry: turning(usual, (inner, _, { clock }) => {
        let said = 0;
        return passing(inner(), async (event) => {
          if (event === undefined || !('say' in event)) return undefined;
          said += 1;
          if (said !== 2 && said !== 4) return undefined;
          hit();
          await clock.sleep(12_000);
          return undefined;
        });
      }),
    }),
  },
];
