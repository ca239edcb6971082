import type { Chunk } from '../answers.js';
import type { Way } from '../world.js';
import { answerIn, finishOf, isFinal } from './service.js';

export const chats: readonly Way[] = [
  {
    name: 'chat-usage-of-the-run-before',
    quote: 'It carries `null` when the intern reported none.',
    wrong: (w) => {
      const last = new Map<string, unknown>();
      return w.stream((call) => {
        let finish: string | undefined;
        return (_, chunk) => {
          finish = finishOf(chunk) ?? finish;
          if (!isFinal(chunk)) return undefined;
          if (chunk.usage) last.set(call.id, chunk.usage);
          return chunk.usage === null && finish !== 'tool_calls' && last.has(call.id)
            ? { ...chunk, usage: last.get(call.id) }
            : undefined;
        };
      });
    },
  },
  {
    name: 'chat-usage-zero-while-question-open',
    quote: 'After `tool_calls` its `usage` is `null`, because the turn is not over.',
    wrong: (w) =>
      w.stream((call) => {
        let asked = false;
        return (_, chunk) => {
          asked ||= finishOf(chunk) === 'tool_calls';
          return asked && isFinal(chunk) && answerIn(call)
            ? { ...chunk, usage: { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 } }
            : undefined;
        };
      }),
  },
  {
    name: 'chat-session-in-the-first-stream-alone',
    quote:
      'After every response … one final chunk with empty `choices` that carries `session_id`, then `data: [DONE]`.',
    wrong: (w) =>
      w.stream((call) => (_, chunk) => {
        if (call.body.session_id === undefined || !isFinal(chunk)) return undefined;
        const { session_id: _known, ...rest } = chunk;
        return rest as Chunk;
      }),
  },
  {
    name: 'chat-one-keepalive-a-silence',
    quote: 'A comment line `: keepalive` is written whenever nothing else has been written for 30 seconds.',
    wrong: (w) =>
      w.stream(() => {
        let before = '';
        return (event) => {
          const again = event.startsWith(': keepalive') && before.startsWith(': keepalive');
          before = event;
          return again ? [] : undefined;
        };
      }),
  },
  {
    name: 'chat-no-keepalive-after-answer',
    quote: 'A comment line `: keepalive` is written whenever nothing else has been written for 30 seconds.',
    wrong: (w) => w.stream((call) => (event) => (answerIn(call) && event.startsWith(': keepalive') ? [] : undefined)),
  },
  {
    name: 'chat-line-breaks-become-blanks',
    quote: 'streams the reply as server-sent events in the common chat-completion chunk format',
    wrong: (w) =>
      w.stream(() => (_, chunk) => {
        const choice = chunk?.choices[0];
        const content = choice?.delta.content;
        return chunk && choice && typeof content === 'string' && content.includes('\n')
          ? { ...chunk, choices: [{ ...choice, delta: { ...choice.delta, content: content.replaceAll('\n', ' ') } }] }
          : undefined;
      }),
  },
  {
    name: 'chat-severed-said-to-be-ended',
    quote: 'This error reports only an ending that the intern confirmed.',
    wrong: (w) =>
      w.stream(() => (_, chunk) => {
        const error = chunk?.error;
        return chunk && error?.metadata?.reason === 'stream_severed'
          ? { ...chunk, error: { ...error, code: 410, metadata: { ...error.metadata, reason: 'run_ended' } } }
          : undefined;
      }),
  },
  {
    name: 'chat-many-chunks-end-with-length',
    quote: 'The run ends in one of three finish reasons: `stop`, `tool_calls`, `error`.',
    wrong: (w) =>
      w.stream(() => {
        let chunks = 0;
        return (_, chunk) => {
          chunks += 1;
          const choice = chunk?.choices[0];
          return chunk && choice?.finish_reason === 'stop' && chunks > 256
            ? { ...chunk, choices: [{ ...choice, finish_reason: 'length' }] }
            : undefined;
        };
      }),
  },
  {
    name: 'chat-wordless-run-finishes-after-final',
    quote: 'The chat stream … carries these elements in order',
    wrong: (w) =>
      w.stream(() => {
        let words = false;
        let finish: Chunk | undefined;
        return (_, chunk) => {
          words ||= Boolean(chunk?.choices[0]?.delta.content) || chunk?.choices[0]?.delta.tool_calls !== undefined;
          if (!words && chunk && finishOf(chunk) !== undefined) {
            finish = chunk;
            return [];
          }
          return finish && isFinal(chunk) ? [chunk, finish] : undefined;
        };
      }),
  },
];
