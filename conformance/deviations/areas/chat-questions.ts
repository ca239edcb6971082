import { answersItself } from '../combinators/behaviours.js';
import type { Json } from '../combinators/exchange.js';
import { showsRuns, withEnd } from '../combinators/runs.js';
import {
  choiceOf,
  chunkOf,
  DONE,
  rewriteCalls,
  rewriteChoices,
  rewriteChunks,
  rewriteFrames,
} from '../combinators/streams.js';
import { defineDeviations } from '../mutant.js';

export const CHAT_QUESTIONS = defineDeviations({
  // The tool call comes in two chunks, under two ids.
  'question-called-twice': rewriteChunks(() => (chunk) => {
    const text = JSON.stringify(chunk);
    return choiceOf(chunk)?.delta.tool_calls
      ? [chunk, JSON.parse(text.replace('"id":"call_', '"id":"again_')) as typeof chunk]
      : chunk;
  }),
  // A response that asks finishes with stop.
  'question-ends-with-stop': rewriteChoices((choice) =>
    choice.finish_reason === 'tool_calls' ? { ...choice, finish_reason: 'stop' } : choice,
  ),
  // Outside manual a question is answered by its fallback.
  'question-answers-itself': answersItself((ask, turn) =>
    ask.kind === 'elicitation' && turn.approvalMode !== 'manual' ? (ask.fallback ?? { action: 'decline' }) : undefined,
  ),
  'question-in-pieces': rewriteChunks(() => (chunk) => {
    const choice = choiceOf(chunk);
    const call = (choice?.delta.tool_calls as { function: { name: string; arguments: string } }[] | undefined)?.[0];
    if (!choice || !call) return chunk;
    const piece = (entry: unknown) => ({ ...chunk, choices: [{ ...choice, delta: { tool_calls: [entry] } }] });
    return [
      piece({ ...call, function: { name: call.function.name, arguments: '' } }),
      piece({ index: 0, function: { arguments: call.function.arguments } }),
    ];
  }),
  // A permission always offers all four options.
  'permission-with-all-options': rewriteCalls((call) => {
    const asked = JSON.parse(call.function.arguments) as Record<string, unknown>;
    if (asked.kind !== 'permission') return call;
    const options = ['allow_once', 'allow_always', 'reject_once', 'reject_always'];
    return { ...call, function: { ...call.function, arguments: JSON.stringify({ ...asked, options }) } };
  }),
  'question-shows-its-fallback': rewriteCalls((call) => {
    const asked = JSON.parse(call.function.arguments) as Json;
    const shown = asked.kind === 'permission' ? asked : { ...asked, fallback: { action: 'decline' } };
    return { ...call, function: { ...call.function, arguments: JSON.stringify(shown) } };
  }),
  // The control interface shows questions under ids of its own.
  'question-shown-under-another-id': showsRuns((run) =>
    run.question ? { ...run, question: { ...run.question, id: `q_${run.id}` } } : run,
  ),
  // The text before a question is lost.
  'question-swallows-what-was-said': rewriteFrames(() => {
    let held = '';
    return (frame) => {
      const choice = choiceOf(chunkOf(frame) ?? {});
      if (choice?.delta.content && choice.finish_reason === null) {
        held += frame;
        return ': \n\n';
      }
      const before = choice?.delta.tool_calls ? '' : held;
      held = '';
      return before + frame;
    };
  }),
  // A run that asks is over.
  'question-ends-the-run': withEnd((end) =>
    rewriteFrames(({ internId }) => {
      let asked = false;
      return (frame) => {
        asked ||= choiceOf(chunkOf(frame) ?? {})?.finish_reason === 'tool_calls';
        if (asked && frame === DONE) end(internId, 'reset');
        return frame;
      };
    }),
  ),
});
