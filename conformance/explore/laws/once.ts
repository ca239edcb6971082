import type { RecordFields } from '../../model/intern.js';
import { jsonOf, recordOf } from '../../probe/json.js';
import { internIn } from '../moments.js';
import type { Seen, SeenRequest, Wrong } from '../types.js';

const parsed = (text: string): RecordFields => recordOf(jsonOf(text));

const succeeded = ({ acted }: SeenRequest): boolean => acted !== undefined && acted < 300;

/** The text of a prompt: that of the last message. */
export function promptOf({ operation, body }: SeenRequest): string {
  const json = parsed(body);
  if (operation === 'invoke') return JSON.stringify(json.input);
  const messages = json.messages;
  const last = Array.isArray(messages) ? (messages.at(-1) as RecordFields | undefined) : undefined;
  return JSON.stringify(last?.content);
}

export interface Effect {
  readonly kind: 'prompt' | 'answer' | 'invoke';
  /** The words of a reply: texts, arguments of a question. */
  readonly said: string;
}

/**
 * Interns that were the program's and alive at the same time: the most there ever were, failed ones apart. One that is
 * made in place of another is none too many.
 */
function mostInterns({ requests }: Seen): number {
  const alive = new Set<string>();
  let most = 0;
  for (const { operation, acted = 0, answer, madeId, path, disturbed } of requests) {
    const id = internIn(path) ?? '';
    if (operation === 'create' && acted === 201 && madeId !== undefined) alive.add(madeId);
    const gone = acted === 404 || (operation === 'delete' && acted < 300) || disturbed === 'deleted';
    if (gone || /"status":"(?:failed|destroying|destroy_failed)"/.test(answer)) alive.delete(id);
    most = Math.max(most, alive.size);
  }
  return most;
}

const madeBy = ({ requests }: Seen): number => new Set(requests.flatMap(({ madeId }) => madeId ?? [])).size;

/** The effects of a run. A request that was refused has none. */
export function effectsOf(seen: Seen): Effect[] {
  const turns = seen.requests.filter(succeeded).flatMap((request): Effect[] => {
    if (request.operation === 'chat') return [{ kind: 'prompt', said: promptOf(request) }];
    if (request.operation === 'invoke') return [{ kind: 'invoke', said: promptOf(request) }];
    return [];
  });
  const answers = seen.questions.flatMap(({ ask, answers, others = 0 }): Effect[] =>
    answers.slice(others).map(() => ({ kind: 'answer', said: JSON.stringify(ask) })),
  );
  return [...turns, ...answers];
}

const keyOf = ({ kind, said }: Effect) => `${kind} ${said}`;
const countsOf = (effects: readonly Effect[], key: (effect: Effect) => string) => {
  const counts = new Map<string, number>();
  for (const effect of effects) counts.set(key(effect), (counts.get(key(effect)) ?? 0) + 1);
  return counts;
};

/** The kinds whose texts differ between two undisturbed runs: they are counted without their texts. */
export function varyingKinds(first: Seen, second: Seen): ReadonlySet<string> {
  const [one, other] = [first, second].map((seen) => countsOf(effectsOf(seen), keyOf));
  const kinds = new Set<string>();
  for (const key of new Set([...(one?.keys() ?? []), ...(other?.keys() ?? [])]))
    if (one?.get(key) !== other?.get(key)) kinds.add(key.slice(0, key.indexOf(' ')));
  return kinds;
}

const REQUESTS = { prompt: 'chat', answer: 'answer', invoke: 'invoke' } as const;

/** The longest part of what was said that is shown, in characters. */
const SHOWN = 80;

/** The effect, as the beginning of a sentence: `the prompt "hello" took effect`, `"shell" was approved`. */
function effectText(kind: Effect['kind'], said: string, { questions }: Seen): string {
  if (kind !== 'answer') return `the ${kind} ${said.slice(0, SHOWN)} took effect`;
  const asked = questions.find(({ ask, answers }) => JSON.stringify(ask) === said && answers.length > 0);
  const ask = parsed(said);
  const what = JSON.stringify(ask.operation ?? ask.message ?? ask).slice(0, SHOWN);
  const allowed = /"allow/.test(JSON.stringify(asked?.answers.at(-1)) ?? '');
  return `${what} was ${ask.kind === 'permission' && allowed ? 'approved' : 'answered'}`;
}

const TIMES = ['never', 'once', 'twice'];
const times = (count: number) => TIMES[count] ?? `${count} times`;

/** Nothing takes effect more often than in the undisturbed run, because of a disturbance. */
export function brokenOnce(seen: Seen, straight: Seen, varying: ReadonlySet<string>): Wrong | undefined {
  const key = (effect: Effect) => (varying.has(effect.kind) ? `${effect.kind} ` : keyOf(effect));
  const allowed = countsOf(effectsOf(straight), key);
  const twice = [...countsOf(effectsOf(seen), key)].flatMap(([what, count]) => {
    const wanted = allowed.get(what);
    // Output that comes only now is its reply to the event.
    if (wanted === undefined || count <= wanted) return [];
    const kind = what.slice(0, what.indexOf(' ')) as Effect['kind'];
    const effect = effectText(kind, what.slice(kind.length + 1), seen);
    return [{ kind, text: `${effect} ${times(count)}, ${times(wanted)} in the undisturbed run` }];
  });
  // An approval that was given twice weighs more than the prompt that led to it.
  const worst = twice.find(({ kind }) => kind === 'answer') ?? twice[0];
  if (worst !== undefined) return { message: worst.text, request: REQUESTS[worst.kind], did: 'again' };
  // One that could not be deleted may stand beside the next: only one more than planned is too many.
  const [made, planned] = [madeBy(seen), madeBy(straight)];
  const [most, enough] = [mostInterns(seen), mostInterns(straight)];
  if (made > planned && most > enough)
    return {
      message: `${made} interns were made, ${planned} in the undisturbed run, and ${most} of them were there at once`,
      request: 'create',
      did: 'again',
    };
  return undefined;
}
