import type { ApprovalMode } from '../../../emulator/contract/run.js';
import { chunkOf, DONE } from '../../../emulator/wire/chunks.js';
import { type Json, valueAt } from '../../../emulator/wire/json.js';
import { defineMutants } from '../mutant.js';
import { answersItself, hesitates } from '../operators/behaviours.js';
import { wrap } from '../operators/parts.js';
import { sends, sentPrompts, texts } from '../operators/requests.js';
import { showsRuns, withEnd } from '../operators/runs.js';
import { choiceOf, chunk, chunks, frames, heldBack, questions } from '../operators/streams.js';

const CALL = 'choices.[].delta.tool_calls.[]';

/** Questions, and the approval modes that have them asked (CHAT-5, CHAT-8). */
export const CHAT_QUESTIONS = defineMutants({
  // The tool call comes in two chunks, under two ids.
  'question-called-twice': chunks(() => (one) => {
    const text = JSON.stringify(one);
    return choiceOf(one)?.delta.tool_calls
      ? [one, JSON.parse(text.replace('"id":"call_', '"id":"again_')) as Json]
      : one;
  }),
  'question-ends-with-stop': chunk('choices.[].finish_reason', (finish) => (finish === 'tool_calls' ? 'stop' : finish)),
  // Outside manual a question is answered by its fallback.
  'question-answers-itself': answersItself((ask, turn) =>
    ask.kind === 'elicitation' && turn.approvalMode !== 'manual' ? (ask.fallback ?? { action: 'decline' }) : undefined,
  ),
  // The arguments of the call come in a chunk of their own.
  'question-in-pieces': chunks(() => (one) => {
    const choice = choiceOf(one);
    const call = valueAt(one, CALL) as { function: { name: string; arguments: string } } | undefined;
    if (!choice || !call) return one;
    const piece = (entry: unknown) => ({ ...one, choices: [{ ...choice, delta: { tool_calls: [entry] } }] });
    return [
      piece({ ...call, function: { name: call.function.name, arguments: '' } }),
      piece({ index: 0, function: { arguments: call.function.arguments } }),
    ];
  }),
  // A permission always offers all four options.
  'permission-with-all-options': questions((asked) =>
    asked.kind === 'permission'
      ? { ...asked, options: ['allow_once', 'allow_always', 'reject_once', 'reject_always'] }
      : asked,
  ),
  'question-shows-its-fallback': questions((asked) =>
    asked.kind === 'permission' ? asked : { ...asked, fallback: { action: 'decline' } },
  ),
  // The control interface shows questions under ids of its own.
  'question-shown-under-another-id': showsRuns((run) =>
    run.question ? { ...run, question: { ...run.question, id: `q_${run.id}` } } : run,
  ),
  // The text before a question is lost.
  'question-swallows-what-was-said': heldBack(
    () => (one) => Boolean(choiceOf(one)?.delta.content) && choiceOf(one)?.finish_reason === null,
    (held, frame, one) => (choiceOf(one)?.delta.tool_calls ? frame : held + frame),
  ),
  // A run that asks is over.
  'question-ends-the-run': withEnd((end) =>
    frames(({ internId }) => {
      let asked = false;
      return (frame) => {
        asked ||= choiceOf(chunkOf(frame))?.finish_reason === 'tool_calls';
        if (asked && frame === DONE) end(internId);
        return frame;
      };
    }),
  ),
  'mode-manual-by-default': sentPrompts((body) => ({ approval_mode: 'manual', ...body })),
  'mode-not-looked-at': sentPrompts(({ approval_mode: _, ...body }) => body),
  'mode-self-drive-asks': sends('chat', 'approval_mode', (mode) => (mode === 'self-drive' ? 'manual' : mode)),
  'mode-self-drive-waits-for-a-consent': hesitates(
    600_000,
    (ask, { approvalMode, origin }) => ask.kind === 'permission' && approvalMode !== 'manual' && origin === 'chat',
  ),
  // A run that is not asked rejects what needs permission.
  'mode-refuses-by-itself': answersItself((ask, turn) =>
    ask.kind === 'permission' && (turn.approvalMode !== 'manual' || turn.origin === 'invoke')
      ? ask.options.at(-1)
      : undefined,
  ),
  'mode-that-is-none-is-ignored': sends('chat', 'approval_mode', (mode) =>
    ['manual', 'self-drive'].includes(mode) ? mode : undefined,
  ),
  'mode-in-any-case': texts('chat', 'approval_mode', (mode) => mode.toLowerCase()),
  // A session keeps the mode it was started with.
  'mode-of-the-session': wrap({
    createRuns: (usual) => {
      const modes = new Map<string, ApprovalMode>();
      return {
        async prompt(request) {
          const known = request.sessionId === undefined ? undefined : modes.get(request.sessionId);
          const result = await usual.prompt({ ...request, approvalMode: request.approvalMode ?? known });
          const session = 'reader' in result ? result.reader.sessionId : result.steered;
          if (request.approvalMode) modes.set(session, request.approvalMode);
          return result;
        },
      };
    },
  }),
  // A reply without a mode lets the run go on by itself.
  'mode-of-the-reply': answersItself((ask, _turn, asked) =>
    asked > 0 && ask.kind === 'permission' ? ask.options[0] : undefined,
  ),
});
