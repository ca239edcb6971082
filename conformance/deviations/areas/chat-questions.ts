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
  'question-called-twice': {
    description: 'The tool call comes in two chunks, under two ids.',
    mutant: rewriteChunks(() => (chunk) => {
      const text = JSON.stringify(chunk);
      return choiceOf(chunk)?.delta.tool_calls
        ? [chunk, JSON.parse(text.replace('"id":"call_', '"id":"again_')) as typeof chunk]
        : chunk;
    }),
  },
  'question-ends-with-stop': {
    description: 'A response that asks finishes with stop.',
    mutant: rewriteChoices((choice) =>
      choice.finish_reason === 'tool_calls' ? { ...choice, finish_reason: 'stop' } : choice,
    ),
  },
  'question-answers-itself': {
    description: 'Outside manual a question is answered by its fallback.',
    mutant: answersItself((ask, turn) =>
      ask.kind === 'elicitation' && turn.approvalMode !== 'manual'
        ? (ask.fallback ?? { action: 'decline' })
        : undefined,
    ),
  },
  'question-in-pieces': {
    description: 'The arguments of the call come in a chunk of their own.',
    mutant: rewriteChunks(() => (chunk) => {
      const choice = choiceOf(chunk);
      const call = (choice?.delta.tool_calls as { function: { name: string; arguments: string } }[] | undefined)?.[0];
      if (!choice || !call) return chunk;
      const piece = (entry: unknown) => ({ ...chunk, choices: [{ ...choice, delta: { tool_calls: [entry] } }] });
      return [
        piece({ ...call, function: { name: call.function.name, arguments: '' } }),
        piece({ index: 0, function: { arguments: call.function.arguments } }),
      ];
    }),
  },
  'permission-with-all-options': {
    description: 'A permission always offers all four options.',
    mutant: rewriteCalls((call) => {
      const asked = JSON.parse(call.function.arguments) as Record<string, unknown>;
      if (asked.kind !== 'permission') return call;
      const options = ['allow_once', 'allow_always', 'reject_once', 'reject_always'];
      return { ...call, function: { ...call.function, arguments: JSON.stringify({ ...asked, options }) } };
    }),
  },
  'question-shows-its-fallback': {
    description: 'The arguments of a question carry its fallback.',
    mutant: rewriteCalls((call) => {
      const asked = JSON.parse(call.function.arguments) as Json;
      const shown = asked.kind === 'permission' ? asked : { ...asked, fallback: { action: 'decline' } };
      return { ...call, function: { ...call.function, arguments: JSON.stringify(shown) } };
    }),
  },
  'question-shown-under-another-id': {
    description: 'The control interface shows questions under ids of its own.',
    mutant: showsRuns((run) => (run.question ? { ...run, question: { ...run.question, id: `q_${run.id}` } } : run)),
  },
  'question-swallows-what-was-said': {
    description: 'What was said before a question is lost.',
    mutant: rewriteFrames(() => {
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
  },
  'question-ends-the-run': {
    description: 'A run that asks is over.',
    mutant: withEnd((end) =>
      rewriteFrames(({ internId }) => {
        let asked = false;
        return (frame) => {
          asked ||= choiceOf(chunkOf(frame) ?? {})?.finish_reason === 'tool_calls';
          if (asked && frame === DONE) end(internId, 'reset');
          return frame;
        };
      }),
    ),
  },
});
