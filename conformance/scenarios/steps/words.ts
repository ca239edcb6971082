import { fail, gist } from '../../model/assert.js';
import type { Transcript } from '../../probe/chunks.js';
import { jsonOf, recordOf } from '../../probe/json.js';
import type { Ctx } from '../../run/context.js';

/** A word that an intern says only when it is asked to. */
export const codeWord = ({ random }: Pick<Ctx, 'random'>): string =>
  `q${Array.from({ length: 9 }, () => 'bcdfghjklmnpqrstvwxz'[Math.floor(random() * 20)]).join('')}`;

const ONCE = 'do not say that sentence again';
const sentenceWith = (word: string) =>
  `Before you ask for anything, say in one long sentence of your own what you are going to do, with the word ${word} in it, and ${ONCE}.`;

/** The shortest sentence, in characters, that no intern repeats by chance. */
const LONG = 60;

/**
 * Whether an intern said one long sentence of its own before its question, as it was asked to: the code word is in it, and it
 * does not echo the prompt.
 */
const unique = ({ content }: Transcript, word: string): boolean =>
  content.length >= LONG && content.includes(word) && !content.includes(ONCE);

/**
 * The stream after an answer does not repeat what was said before it. An intern may say the same twice ("One moment."), so a
 * finding takes two runs, each of which said a sentence of its own and repeated all of it.
 *
 * @param go does one run, with `saying` in its prompt, and returns the streams before and after the answer
 */
export async function notRepeated(
  ctx: Pick<Ctx, 'internDid' | 'random'>,
  go: (saying: string) => Promise<{ readonly before: Transcript; readonly after: Transcript }>,
): Promise<void> {
  for (let run = 1; ; run++) {
    const word = codeWord(ctx);
    const { before, after } = await go(sentenceWith(word));
    if (before.content === '' || !after.content.startsWith(before.content)) return;
    const actual = gist('all that was said before the answer, again', after.content);
    ctx.internDid(unique(before, word), { did: 'say anything new after the answer', said: after.content });
    if (run === 2) fail('the stream after an answer', 'only what comes after it', actual);
  }
}

/** The stream after an answer does not repeat all before it, including the answered call. A new question has another id. */
export function notFromTheBeginning(before: Transcript, after: Transcript): void {
  const [answered] = before.toolCalls;
  const [call] = after.toolCalls;
  if (answered === undefined || answered.id !== call?.id || answered.arguments !== call?.arguments) return;
  if (!after.content.startsWith(before.content)) return;
  const actual = gist('all that came before the answer, again, with the call that was answered', after.content);
  fail('the stream after an answer', 'only what comes after it', actual);
}

const asksNothing = (got: unknown) =>
  fail('a run without approval_mode', 'one that consents by itself', got, {
    breaks: { requirement: 'CHAT-8', level: 'S' },
  });

/**
 * A run without a mode consents by itself (CHAT-8). A request for permission comes from the service, so it is a finding on any
 * intern. Other questions are the intern's own.
 */
export function consents({ content, finish, toolCalls }: Transcript, what: string): void {
  // The words of a script that ships with an emulator: no real intern says just these.
  if (finish === 'stop' && /^\s*I would like to use the shell\.\s+(Rejected|Cancelled)\b/.test(content))
    asksNothing(gist(`one that does not, ${what}`, content));
  if (finish !== 'tool_calls') return;
  const [call] = toolCalls;
  if (recordOf(jsonOf(call?.arguments ?? '')).kind === 'permission')
    asksNothing(gist(`one that asks, ${what}`, call?.arguments));
}
