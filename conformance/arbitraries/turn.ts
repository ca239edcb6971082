import fc from 'fast-check';
import { ALL_OPTIONS, permission, when } from '../helpers/chat.js';
import { fields } from './answer.js';
import { said } from './prompt.js';

/** The content of one response, according to the script. */
export interface Expected {
  readonly content: string;
  readonly reasoning: string;
  /** The question at its end, without the parts that only the script knows; undefined if the run ends. */
  readonly ask?: Record<string, unknown>;
}

/** A turn, the answers to its questions in order, and what each of its responses must say. */
export interface Turn {
  readonly steps: readonly Record<string, unknown>[];
  readonly answers: readonly unknown[];
  readonly responses: readonly Expected[];
  readonly end: 'stop' | 'cancelled' | 'deadline' | 'severed' | 'failed';
  readonly usage: Record<string, number> | null;
}

type Piece =
  | { kind: 'say'; text: string; chunks: number }
  | { kind: 'reason'; text: string }
  | { kind: 'usage'; tokens: number }
  | { kind: 'permission'; options: string[]; choice: number; yes: string; no: string }
  | { kind: 'elicitation'; message: string; fields: Record<string, unknown>[]; action: 'decline' | 'cancel' };

const piece = (): fc.Arbitrary<Piece> =>
  fc.oneof(
    {
      arbitrary: fc.record({ kind: fc.constant('say' as const), text: said(), chunks: fc.integer({ min: 1, max: 4 }) }),
      weight: 4,
    },
    { arbitrary: fc.record({ kind: fc.constant('reason' as const), text: said() }), weight: 2 },
    { arbitrary: fc.record({ kind: fc.constant('usage' as const), tokens: fc.nat({ max: 10_000 }) }), weight: 1 },
    {
      arbitrary: fc.record({
        kind: fc.constant('permission' as const),
        options: fc.subarray([...ALL_OPTIONS], { minLength: 1 }),
        choice: fc.nat({ max: 3 }),
        yes: said(12),
        no: said(12),
      }),
      weight: 2,
    },
    {
      arbitrary: fc.record({
        kind: fc.constant('elicitation' as const),
        message: fc.string({ minLength: 1, maxLength: 30 }),
        fields: fields() as unknown as fc.Arbitrary<Record<string, unknown>[]>,
        action: fc.constantFrom('decline' as const, 'cancel' as const),
      }),
      weight: 1,
    },
  );

/** Turns of a few steps with questions among them, and their expected results. No step waits. */
export const turn = (): fc.Arbitrary<Turn> =>
  fc
    .tuple(
      fc.array(piece(), { minLength: 1, maxLength: 7 }),
      fc.constantFrom(
        'stop' as const,
        'stop' as const,
        'cancelled' as const,
        'deadline' as const,
        'severed' as const,
        'failed' as const,
      ),
      fc.boolean(),
    )
    .map(([pieces, end, runsOut]) => lead(pieces, end, runsOut));

/** The pieces as steps, and their results. */
function lead(pieces: readonly Piece[], end: Turn['end'], runsOut: boolean): Turn {
  // A turn that begins with its end may be refused as a whole: this one says something first.
  const steps: Record<string, unknown>[] = [{ say: '1' }];
  const responses: Expected[] = [];
  const answers: unknown[] = [];
  let content = '1';
  let reasoning = '';
  let usage: Record<string, number> | null = null;
  const pause = (ask: Record<string, unknown>) => {
    responses.push({ content, reasoning, ask });
    content = '';
    reasoning = '';
  };
  for (const [at, one] of pieces.entries()) {
    const as = `v${at}`;
    if (one.kind === 'say') {
      steps.push({ say: one.text, chunks: one.chunks });
      content += one.text;
    } else if (one.kind === 'reason') {
      steps.push({ reason: one.text });
      reasoning += one.text;
    } else if (one.kind === 'usage') {
      usage = { prompt_tokens: one.tokens, completion_tokens: 3, total_tokens: one.tokens + 3 };
      steps.push({ usage });
    } else if (one.kind === 'permission') {
      const chosen = one.options[one.choice % one.options.length] ?? 'cancel';
      const first = one.options[0] ?? '';
      steps.push(
        permission(as, one.options, `tool ${at}`),
        when({ [as]: first }, [{ say: one.yes }], [{ say: one.no }]),
      );
      pause({ kind: 'permission', operation: `tool ${at}`, options: one.options });
      answers.push(chosen);
      content += chosen === first ? one.yes : one.no;
    } else {
      const ask = { kind: 'elicitation', message: one.message, fields: one.fields };
      steps.push({ ask, as }, when({ [as]: one.action }, [{ say: 'as said' }], [{ say: 'otherwise' }]));
      pause(ask);
      answers.push({ action: one.action });
      content += 'as said';
    }
  }
  if (end !== 'stop' || !runsOut) steps.push({ end });
  responses.push({ content, reasoning });
  return { steps, answers, responses, end, usage };
}
