import { createRandom, hash } from '../../conformance/probe/time.js';
import type { Ask, Behaviour } from '../../emulator/index.js';

/** Its intern always has much to say: bit by bit, or all at once when it has thought. */
export type Talks = 'at length' | 'at once' | undefined;

const WORDS = 'well let me see the sea is blue and a ship went by before noon so that is all there was to it'.split(
  ' ',
);

/** The words of an intern that does as it likes: a few words, many, a question now and then, an error once in a while. */
export function whims(seed: string, talks: Talks): Behaviour[] {
  const random = createRandom(hash(`${seed} whims`));
  const words = (n: number) => Array.from({ length: n }, () => WORDS[Math.floor(random() * WORDS.length)]).join(' ');
  const asks: Ask = {
    kind: 'elicitation',
    message: 'Which colour?',
    fields: [{ name: 'answer', type: 'string' }],
  };
  return [
    {
      name: 'whim',
      async *turn(_, { clock }) {
        if (talks === 'at once') {
          await clock.sleep(2_000 + Math.floor(random() * 2_000));
          for (let at = 0; at < 10; at++) yield { say: `${words(1)} ` };
          return;
        }
        const kind = talks === undefined ? random() : 0.6;
        if (kind < 0.1) await clock.sleep(900);
        yield { say: words(2) };
        if (kind > 0.5) {
          for (let at = 0; at < 12; at++) {
            await clock.sleep(60 + Math.floor(random() * 400));
            yield { say: ` ${words(1)}` };
          }
        }
        if (kind > 0.3 && kind < 0.36) yield { ask: asks };
        if (random() < 0.5) yield { usage: { prompt_tokens: 3, completion_tokens: 5, total_tokens: 8 } };
        if (kind > 0.26 && kind <= 0.3) yield { end: 'failed', retryable: true };
      },
    },
  ];
}

/** The words that a prompt asks for after a permission was granted or refused. */
const after = (prompt: string, granted: boolean): string | undefined =>
  (granted ? /say exactly this line[^:]*: ([\w ]+)\./ : /If I refuse it,[^.]* say only the word (\w+)/).exec(
    prompt,
  )?.[1];

/** An intern that asks for permission, and says before what its prompt asks for, or its prompt, and that again after. */
const asker = (name: string, again: boolean): Behaviour => ({
  name,
  async *turn({ prompt }, { random }) {
    const word = /with the word (\w+) in it/.exec(prompt)?.[1];
    const prompted = `I am going to look at ${Math.floor(random.float() * 1e9)} things in the shell, and ${word} is the word for it. `;
    const opening = again ? `You said: ${prompt} ` : word === undefined ? 'Just a moment. ' : prompted;
    yield { say: opening };
    const got = yield { ask: { kind: 'permission', operation: 'shell', options: ['allow_once', 'reject_once'] } };
    const done = after(prompt, got === 'allow_once') ?? 'Done.';
    yield { say: again ? `${opening}${done}` : done };
  },
});

/** An intern that asks a question first, whatever its prompt says. */
const asksFirst: Behaviour = {
  name: 'asks-first',
  async *turn() {
    yield { ask: { kind: 'elicitation', message: 'How thorough?', fields: [{ name: 'answer', type: 'string' }] } };
    yield { ask: { kind: 'permission', operation: 'shell', options: ['allow_once', 'reject_once'] } };
    yield { say: 'Done.' };
  },
};
export const ASKERS = {
  'as prompted': asker('asks-as-prompted', false),
  'over again': asker('asks-over-again', true),
  'a question first': asksFirst,
};

const LARGE = 500_000;

/** The text of the last user message, where it is a plain one. */
export function disobey(text: string, random: () => number, obeys: number): string {
  // A body of such a size is not about what it says.
  if (text.length > LARGE) return text;
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    return text;
  }
  const record = body as { messages?: { role?: unknown; content?: unknown }[]; input?: unknown } | null;
  const another = (said: unknown) => typeof said === 'string' && said !== '' && said.length < 1_000;
  if (random() < obeys) return text;
  const last = Array.isArray(record?.messages) ? record.messages.at(-1) : undefined;
  if (last?.role === 'user' && another(last.content)) {
    last.content = `script: whim\n${last.content}`;
    return JSON.stringify(body);
  }
  if (another(record?.input)) {
    (record as { input: string }).input = `script: whim\n${record?.input}`;
    return JSON.stringify(body);
  }
  return text;
}
