import { type Chunk, failed } from '../answers.js';
import { type Call, type Json, withBody } from '../call.js';
import type { Answer, World } from '../world.js';
import { finish, isFinal, isReply, messagesOf, OTHER_ID, type Part } from './parts.js';

const isPrompt = (call: Call) => call.op === 'chat' && !isReply(call);
const toolCalls = (chunk: Chunk | undefined): Json[] => {
  const calls = chunk?.choices?.[0]?.delta?.tool_calls;
  return Array.isArray(calls) ? (calls as Json[]) : [];
};
const contentOf = (chunk: Chunk | undefined): string => {
  const content = chunk?.choices?.[0]?.delta?.content;
  return typeof content === 'string' ? content : '';
};
/** Changes the final chunk of the streams that ended so. */
const atFinal =
  (ending: string, edit: (chunk: Chunk, call: Call) => Chunk | undefined) =>
  (w: World): Answer =>
    w.stream((call) => {
      let ended: string | null | undefined;
      return (_, chunk) => {
        ended = finish(chunk) ?? ended;
        return isFinal(chunk) && ended === ending ? (edit(chunk, call) ?? []) : undefined;
      };
    });
const without = (chunk: Chunk, field: string): Chunk => {
  const { [field]: _, ...rest } = chunk;
  return rest as Chunk;
};

export const chat: Part = {
  'stop-no-done': {
    quote: 'ending with `data: [DONE]`',
    wrong: (w) =>
      w.stream(() => {
        let stopped = false;
        return (event, chunk) => {
          if (finish(chunk) === 'stop') stopped = true;
          return stopped && event.startsWith('data: [DONE]') ? [] : undefined;
        };
      }),
  },
  'done-in-quotes': {
    quote: 'then `data: [DONE]`',
    wrong: (w) => w.stream(() => (event) => (event.startsWith('data: [DONE]') ? 'data: "[DONE]"' : undefined)),
  },
  'done-before-final': {
    quote: 'so the client reads through `[DONE]`.',
    // After a question the final chunk comes too late.
    wrong: (w) =>
      w.stream(() => {
        let asked = false;
        let final: Chunk | undefined;
        return (event, chunk) => {
          if (finish(chunk) === 'tool_calls') asked = true;
          if (asked && isFinal(chunk)) {
            final = chunk;
            return [];
          }
          return final !== undefined && event.startsWith('data: [DONE]') ? [event, final] : undefined;
        };
      }),
  },
  'final-before-finish': {
    quote: 'After every response, whether it ends with `stop`, `tool_calls` or `error`, one final chunk',
    wrong: (w) =>
      w.stream(() => {
        let held: Chunk | undefined;
        return (_, chunk) => {
          if (finish(chunk) === 'stop') {
            held = chunk;
            return [];
          }
          return isFinal(chunk) && held !== undefined ? [chunk, held] : undefined;
        };
      }),
  },
  'final-twice-after-error': {
    quote: 'one final chunk with empty `choices` that carries `session_id`',
    wrong: (w) =>
      w.stream(() => {
        let failedSo = false;
        return (_, chunk) => {
          if (finish(chunk) === 'error') failedSo = true;
          return failedSo && isFinal(chunk) ? [chunk, chunk] : undefined;
        };
      }),
  },
  'stop-final-no-session': {
    quote: 'one final chunk with empty `choices` that carries `session_id`',
    wrong: atFinal('stop', (chunk) => without(chunk, 'session_id')),
  },
  'question-final-no-session': {
    quote: 'The `session_id` needed to reply arrives after the `tool_calls` finish chunk',
    // It comes in the finish chunk instead.
    wrong: (w) =>
      w.stream(() => {
        let held: Chunk | undefined;
        return (_, chunk) => {
          if (finish(chunk) === 'tool_calls') {
            held = chunk;
            return [];
          }
          return held !== undefined && isFinal(chunk)
            ? [{ ...held, session_id: chunk.session_id }, without(chunk, 'session_id')]
            : undefined;
        };
      }),
  },
  'question-final-with-choice': {
    quote: 'one final chunk with empty `choices`',
    wrong: atFinal('tool_calls', (chunk) => ({
      ...chunk,
      choices: [{ index: 0, delta: {}, finish_reason: null } as Chunk['choices'][number]],
    })),
  },
  'new-session-of-the-intern': {
    quote: 'one final chunk with empty `choices` that carries `session_id`',
    // Every new session of an intern gets the first one's id.
    wrong: (w) => {
      const first = new Map<string, unknown>();
      return w.stream((call) => (_, chunk) => {
        if (!isFinal(chunk) || call.body.session_id !== undefined) return undefined;
        const key = `${call.who} ${call.id}`;
        if (!first.has(key)) first.set(key, chunk.session_id);
        return { ...chunk, session_id: first.get(key) };
      });
    },
  },
  'usage-null-after-stop': {
    quote: 'The final chunk carries the `usage` that the intern reported for the run after `stop` or `error`.',
    wrong: atFinal('stop', (chunk) => ({ ...chunk, usage: null })),
  },
  'usage-null-after-error': {
    quote: 'The final chunk carries the `usage` that the intern reported for the run after `stop` or `error`.',
    wrong: atFinal('error', (chunk) => ({ ...chunk, usage: null })),
  },
  'usage-zeros-when-none': {
    quote: 'It carries `null` when the intern reported none.',
    wrong: atFinal('stop', (chunk) =>
      chunk.usage === null ? { ...chunk, usage: { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 } } : chunk,
    ),
  },
  'usage-of-the-run-before': {
    quote: 'The final chunk carries the `usage` that the intern reported for the run',
    wrong: (w) => {
      const last = new Map<string, unknown>();
      return w.stream((call) => {
        let ended: string | null | undefined;
        return (_, chunk) => {
          ended = finish(chunk) ?? ended;
          if (!isFinal(chunk) || ended === 'tool_calls') return undefined;
          const before = last.get(call.id);
          last.set(call.id, chunk.usage);
          return before === undefined ? undefined : { ...chunk, usage: before };
        };
      });
    },
  },
  'finish-end-turn': {
    quote: 'The run ends in one of three finish reasons: `stop`, `tool_calls`, `error`.',
    wrong: (w) =>
      w.stream(() => (_, chunk) => {
        const [choice] = chunk?.choices ?? [];
        return chunk !== undefined && choice?.finish_reason === 'stop'
          ? { ...chunk, choices: [{ ...choice, finish_reason: 'end_turn' }] }
          : undefined;
      }),
  },
  'finish-length-of-long-answers': {
    quote: 'The run ends in one of three finish reasons: `stop`, `tool_calls`, `error`.',
    wrong: (w) =>
      w.stream(() => {
        let length = 0;
        return (_, chunk) => {
          length += contentOf(chunk).length;
          const [choice] = chunk?.choices ?? [];
          return chunk !== undefined && choice?.finish_reason === 'stop' && length > 200
            ? { ...chunk, choices: [{ ...choice, finish_reason: 'length' }] }
            : undefined;
        };
      }),
  },
  'finish-stop-on-error': {
    quote: 'The run ends in one of three finish reasons: `stop`, `tool_calls`, `error`.',
    // A failed run looks finished where it had said something.
    wrong: (w) =>
      w.stream(() => {
        let said = false;
        return (_, chunk) => {
          if (contentOf(chunk) !== '') said = true;
          const [choice] = chunk?.choices ?? [];
          return said && chunk !== undefined && choice?.finish_reason === 'error'
            ? { ...without(chunk, 'error'), choices: [{ ...choice, finish_reason: 'stop' }] }
            : undefined;
        };
      }),
  },
  'content-after-finish': {
    quote: 'carries these elements in order',
    // The last piece of text follows the finish chunk.
    wrong: (w) =>
      w.stream(() => {
        let held: Chunk | undefined;
        return (_, chunk) => {
          if (contentOf(chunk) !== '') {
            const before = held;
            held = chunk;
            return before ?? [];
          }
          if (chunk === undefined || held === undefined) return undefined;
          const last = held;
          held = undefined;
          return finish(chunk) === 'stop' ? [chunk, last] : [last, chunk];
        };
      }),
  },
  'message-in-place-of-delta': {
    quote: 'in the common chat-completion chunk format (`choices`, `finish_reason`)',
    wrong: (w) =>
      w.stream(() => (_, chunk) => {
        const [choice] = chunk?.choices ?? [];
        if (chunk === undefined || choice === undefined || contentOf(chunk) === '') return undefined;
        const { delta, ...rest } = choice;
        return { ...chunk, choices: [{ ...rest, message: delta }] } as unknown as Chunk;
      }),
  },
  'stream-all-at-once': {
    quote: 'streams the reply as server-sent events',
    // A proxy holds everything until the end.
    wrong: (w) =>
      w.stream(() => {
        const held: (string | Chunk)[] = [];
        return (event, chunk) => {
          if (event.startsWith(':')) return [];
          held.push(chunk ?? event);
          return event.startsWith('data: [DONE]') ? held : [];
        };
      }),
  },
  'stream-as-octets': {
    quote: '`Content-Type` of a server-sent event stream',
    wrong: (w) =>
      w.head('chat', (headers) => {
        if (/event-stream/.test(headers.get('content-type') ?? ''))
          headers.set('content-type', 'application/octet-stream');
      }),
  },
  'keepalive-once': {
    quote: 'A comment line `: keepalive` is written whenever nothing else has been written for 30 seconds.',
    wrong: (w) =>
      w.stream(() => {
        let written = false;
        return (event) => {
          if (!event.startsWith(': keepalive')) return undefined;
          const again = written;
          written = true;
          return again ? [] : undefined;
        };
      }),
  },
  'keepalive-not-for-replies': {
    quote: 'A comment line `: keepalive` is written whenever nothing else has been written for 30 seconds.',
    wrong: (w) => w.stream((call) => (event) => (isReply(call) && event.startsWith(': keepalive') ? [] : undefined)),
  },
  'keepalive-as-chunk': {
    quote: 'A comment line `: keepalive` is written',
    wrong: (w) => w.stream(() => (event) => (event.startsWith(': keepalive') ? 'data: {"choices":[]}' : undefined)),
  },
  'question-of-two-calls': {
    quote: 'the stream emits one tool call named `service.provide_input`',
    wrong: (w) =>
      w.stream(() => (_, chunk) => {
        const [choice] = chunk?.choices ?? [];
        const calls = toolCalls(chunk);
        const [first] = calls;
        if (chunk === undefined || choice === undefined || first === undefined) return undefined;
        const delta = { ...choice.delta, tool_calls: [...calls, { ...first, index: 1, id: OTHER_ID }] };
        return { ...chunk, choices: [{ ...choice, delta }] };
      }),
  },
  'approval-other-name': {
    quote: 'the stream emits one tool call named `service.provide_input`',
    // Approvals have a name of their own.
    wrong: (w) =>
      w.stream(
        (call) => (event, chunk) =>
          call.body.approval_mode === 'manual' && toolCalls(chunk).length > 0
            ? event.replace(/\.provide_input"/, '.request_approval"')
            : undefined,
      ),
  },
  'question-call-without-id': {
    quote: 'Its `tool_call_id` is the id of that tool call, and its `content` is the answer.',
    wrong: (w) =>
      w.stream(() => (_, chunk) => {
        const [choice] = chunk?.choices ?? [];
        const calls = toolCalls(chunk);
        if (chunk === undefined || choice === undefined || calls.length === 0) return undefined;
        const delta = { ...choice.delta, tool_calls: calls.map(({ id: _id, ...call }) => call) };
        return { ...chunk, choices: [{ ...choice, delta }] };
      }),
  },
  'answer-by-any-session': {
    quote: 'To answer a question: send a second request with the same `session_id`',
    // The question is found by its call alone.
    wrong: (w) => {
      const asked = new Map<string, string>();
      const spoilt = w.stream(() => {
        let id = '';
        return (_, chunk) => {
          id = String(toolCalls(chunk)[0]?.id ?? id);
          if (isFinal(chunk) && id !== '') asked.set(id, String(chunk.session_id));
          return undefined;
        };
      });
      return async (call, next) => {
        const session = asked.get(String(messagesOf(call).at(-1)?.tool_call_id));
        if (!isReply(call) || session === undefined || session === call.body.session_id) return spoilt(call, next);
        w.hit();
        return next(withBody(call, { ...call.body, session_id: session }));
      };
    },
  },
  'answer-first-line-only': {
    quote: 'Its `tool_call_id` is the id of that tool call, and its `content` is the answer.',
    wrong: (w) =>
      w.asked('chat', (call) => {
        const messages = messagesOf(call);
        const last = messages.at(-1);
        return isReply(call) && typeof last?.content === 'string' && last.content.includes('\n')
          ? { ...call.body, messages: [...messages.slice(0, -1), { ...last, content: last.content.split('\n')[0] }] }
          : undefined;
      }),
  },
  'answer-always-yes': {
    quote: 'The answer is delivered to the run that asked',
    wrong: (w) =>
      w.asked('chat', (call) => {
        const messages = messagesOf(call);
        const last = messages.at(-1);
        return isReply(call) && typeof last?.content === 'string'
          ? { ...call.body, messages: [...messages.slice(0, -1), { ...last, content: 'yes' }] }
          : undefined;
      }),
  },
  'answer-replays-the-start': {
    quote: 'the stream continues from where it paused.',
    // The text before the question is streamed again.
    wrong: (w) => {
      const before = new Map<string, readonly Chunk[]>();
      return w.stream((call) => {
        const said: Chunk[] = [];
        let begun = !isReply(call);
        return (_, chunk) => {
          if (contentOf(chunk) !== '' && chunk !== undefined) said.push(chunk);
          if (isFinal(chunk)) before.set(String(chunk.session_id), said);
          if (begun || chunk === undefined) return undefined;
          begun = true;
          return [...(before.get(String(call.body.session_id)) ?? []), chunk];
        };
      });
    },
  },
  'second-question-unanswerable': {
    quote: 'The answer is delivered to the run that asked, and the stream continues from where it paused.',
    wrong: (w) => {
      const answered = new Set<string>();
      return async (call, next) => {
        if (!isReply(call)) return next();
        const session = String(call.body.session_id);
        if (answered.has(session)) {
          w.hit();
          return failed(409, 'No question is open', 'no_open_question');
        }
        const response = await next();
        if (response.ok) answered.add(session);
        return response;
      };
    },
  },
  'rejected-answer-closes': {
    quote: 'Rejected replies do not extend the deadline.',
    // A rejected reply ends the question, though its deadline has not passed.
    wrong: (w) => {
      const rejected = new Set<string>();
      return async (call, next) => {
        if (!isReply(call)) return next();
        const session = String(call.body.session_id);
        const response = await next();
        if (!response.ok) {
          rejected.add(session);
          return response;
        }
        if (!rejected.has(session)) return response;
        w.hit();
        return failed(409, 'No question is open', 'no_open_question');
      };
    },
  },
  'late-answer-taken': {
    quote: 'When the deadline passes the run is cancelled.',
    // A reply after five minutes starts the run anew.
    wrong: (w) => {
      const asked = new Map<string, number>();
      const noting = w.stream(() => {
        let question = false;
        return (_, chunk) => {
          if (finish(chunk) === 'tool_calls') question = true;
          if (question && isFinal(chunk)) asked.set(String(chunk.session_id), w.setting.host.now());
          return undefined;
        };
      });
      return async (call, next) => {
        const response = await noting(call, next);
        const at = asked.get(String(call.body.session_id));
        if (!isReply(call) || response.ok || at === undefined || w.setting.host.now() - at < 300_000) return response;
        w.hit();
        const { session_id: _, ...rest } = call.body;
        return next(withBody(call, { ...rest, messages: [{ role: 'user', content: 'continue' }] }));
      };
    },
  },
  'question-dies-with-connection': {
    quote: 'Closing the connection after the `[DONE]` that follows `finish_reason: tool_calls` keeps the run alive.',
    wrong: (w) =>
      w.later('chat', (response, call) =>
        isReply(call) && response.ok ? failed(410, 'The run has ended', 'run_ended') : undefined,
      ),
  },
  'mode-always-manual': {
    quote: 'When omitted the run self-drives and consents on the caller',
    wrong: (w) =>
      w.asked('chat', (call) =>
        isPrompt(call) && call.body.approval_mode === undefined && call.body.session_id === undefined
          ? { ...call.body, approval_mode: 'manual' }
          : undefined,
      ),
  },
  'mode-of-the-last-prompt-anywhere': {
    quote: 'The mode belongs to the run started by that prompt and must be repeated on later prompts.',
    // A worker keeps the mode of its last prompt for the next one of anybody.
    wrong: (w) => {
      let last: unknown;
      return w.asked('chat', (call) => {
        if (!isPrompt(call)) return undefined;
        const before = last;
        last = call.body.approval_mode;
        return last === undefined && before === 'manual' ? { ...call.body, approval_mode: 'manual' } : undefined;
      });
    },
  },
  'mode-manual-not-by-own-key': {
    quote: '`manual` makes the intern ask before approval-bearing tools such as the shell.',
    wrong: (w) =>
      w.asked('chat', (call) => {
        if (call.who !== 'own_key' || call.body.approval_mode !== 'manual') return undefined;
        const { approval_mode: _, ...rest } = call.body;
        return rest;
      }),
  },
  'error-always-run-ended': {
    quote: 'This error reports only an ending that the intern confirmed.',
    wrong: (w) =>
      w.stream(
        () => (_, chunk) =>
          chunk !== undefined && finish(chunk) === 'error'
            ? {
                ...chunk,
                error: { ...chunk.error, code: 410, metadata: { ...chunk.error?.metadata, reason: 'run_ended' } },
              }
            : undefined,
      ),
  },
  'run-ended-code-499': {
    quote: 'a chunk with `finish_reason: error` that carries code 410 and reason `run_ended`',
    wrong: (w) =>
      w.stream(
        () => (_, chunk) =>
          chunk?.error?.metadata?.reason === 'run_ended'
            ? { ...chunk, error: { ...chunk.error, code: 499 } }
            : undefined,
      ),
  },
  'run-ended-no-reason': {
    quote: 'a chunk with `finish_reason: error` that carries code 410 and reason `run_ended`',
    wrong: (w) =>
      w.stream(() => (_, chunk) => {
        if (chunk?.error?.metadata?.reason !== 'run_ended') return undefined;
        const { metadata: _metadata, ...error } = chunk.error;
        return { ...chunk, error };
      }),
  },
  'run-ended-then-silence': {
    quote: 'then the final empty-choices chunk and `[DONE]`.',
    wrong: (w) =>
      w.stream(() => {
        let ended = false;
        return (_, chunk) => {
          if (ended) return [];
          if (chunk?.error?.metadata?.reason === 'run_ended') ended = true;
          return undefined;
        };
      }),
  },
  'severed-other-reason': {
    quote: 'A connection that breaks without that confirmation ends with reason `stream_severed`.',
    wrong: (w) =>
      w.stream(
        () => (_, chunk) =>
          chunk?.error?.metadata?.reason === 'stream_severed'
            ? { ...chunk, error: { ...chunk.error, metadata: { ...chunk.error.metadata, reason: 'upstream_error' } } }
            : undefined,
      ),
  },
  'prompt-to-running-session-409': {
    quote: 'When a prompt is sent to a session that already has a run going, the prompt is delivered into that run',
    // A prompt to a running session is refused while it streams.
    wrong: (w) =>
      w.later('chat', (response, call) =>
        response.status === 202 && isPrompt(call) && call.body.session_id !== undefined
          ? failed(409, 'A run is going', 'session_busy', true)
          : undefined,
      ),
  },
};
