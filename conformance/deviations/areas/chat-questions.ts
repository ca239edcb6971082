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
    caughtBy: ['chat-questions/one-tool-call', 'chat-questions/question-in-self-drive'],
  },
  'question-ends-with-stop': {
    description: 'A response that asks finishes with stop.',
    mutant: rewriteChoices((choice) =>
      choice.finish_reason === 'tool_calls' ? { ...choice, finish_reason: 'stop' } : choice,
    ),
    caughtBy: [
      'chat-questions/one-tool-call',
      'chat/tool-call-pauses-and-continues',
      'chat-modes/consents-when-omitted',
    ],
  },
  'question-answers-itself': {
    description: 'Outside manual a question is answered by its fallback.',
    mutant: answersItself((ask, turn) =>
      ask.kind === 'elicitation' && turn.approvalMode !== 'manual'
        ? (ask.fallback ?? { action: 'decline' })
        : undefined,
    ),
    caughtBy: ['chat-questions/question-in-self-drive', 'scripts/asks-of-a-question', 'shipped-scripts/shipped-asks'],
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
    caughtBy: ['chat-questions/whole-call'],
  },
  'permission-with-all-options': {
    description: 'A permission always offers all four options.',
    mutant: rewriteCalls((call) => {
      const asked = JSON.parse(call.function.arguments) as Record<string, unknown>;
      if (asked.kind !== 'permission') return call;
      const options = ['allow_once', 'allow_always', 'reject_once', 'reject_always'];
      return { ...call, function: { ...call.function, arguments: JSON.stringify({ ...asked, options }) } };
    }),
    caughtBy: ['chat-questions/permission-arguments', 'chat-answers/any-turn'],
  },
  'question-shows-its-fallback': {
    description: 'The arguments of a question carry its fallback.',
    mutant: rewriteCalls((call) => {
      const asked = JSON.parse(call.function.arguments) as Json;
      const shown = asked.kind === 'permission' ? asked : { ...asked, fallback: { action: 'decline' } };
      return { ...call, function: { ...call.function, arguments: JSON.stringify(shown) } };
    }),
    caughtBy: ['chat-questions/whole-call', 'chat-questions/elicitation-arguments'],
  },
  'question-shown-under-another-id': {
    description: 'The control interface shows questions under ids of its own.',
    mutant: showsRuns((run) => (run.question ? { ...run, question: { ...run.question, id: `q_${run.id}` } } : run)),
    caughtBy: ['chat-questions/call-id-is-the-interaction'],
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
    caughtBy: ['chat-questions/pause-keeps-content', 'chat-answers/any-turn'],
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
    caughtBy: [
      'chat-questions/pause-keeps-content',
      'chat/tool-call-pauses-and-continues',
      'disconnect/after-done',
      'disconnect/cancel-after-done',
      'disconnect/after-each-done',
      'chat-deadlines/open-until',
      'model/conversations',
    ],
  },
});
