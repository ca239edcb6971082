import type { Chunk } from '../answers.js';
import type { Way } from '../world.js';
import { way } from './tools.js';

const FINAL =
  'After every response, one final chunk with empty `choices` that carries `session_id`, then `data: [DONE]`.';
const USAGE = 'The final chunk carries the `usage` that the intern reported for the run after `stop` or `error`.';
const FINISH = 'The run ends in one of three finish reasons: `stop`, `tool_calls`, `error`.';
const QUESTION = 'the stream emits one tool call named `service.provide_input`';
const ENDED = 'a chunk with `finish_reason: error` that carries code 410 and reason `run_ended`';
const ALIVE = 'A comment line `: keepalive` is written whenever nothing else has been written for 30 seconds.';

const finish = (chunk: Chunk | undefined) => chunk?.choices[0]?.finish_reason ?? undefined;
const isFinal = (chunk: Chunk | undefined): chunk is Chunk =>
  chunk !== undefined && Array.isArray(chunk.choices) && chunk.choices.length === 0;
const content = (chunk: Chunk | undefined) => {
  const said = chunk?.choices[0]?.delta.content;
  return typeof said === 'string' && said !== '' ? said : undefined;
};
const calls = (chunk: Chunk | undefined): Record<string, unknown>[] => {
  const made = chunk?.choices[0]?.delta.tool_calls;
  return Array.isArray(made) ? made : [];
};

export const streams: readonly Way[] = [
  way('a stream that ends in an error is not said to be done', FINAL, (w) =>
    w.stream(() => {
      let wrong = false;
      return (event, chunk) => {
        if (finish(chunk) === 'error') wrong = true;
        return wrong && event === 'data: [DONE]' ? [] : undefined;
      };
    }),
  ),
  way('the final chunk comes twice', FINAL, (w) =>
    w.stream(() => (_, chunk) => (isFinal(chunk) ? [chunk, chunk] : undefined)),
  ),
  way('the final chunk of a question comes behind the end', FINAL, (w) =>
    w.stream(() => {
      let held: Chunk | undefined;
      let asks = false;
      return (event, chunk) => {
        if (finish(chunk) === 'tool_calls') asks = true;
        if (asks && isFinal(chunk)) {
          held = chunk;
          return [];
        }
        return held !== undefined && event === 'data: [DONE]' ? [event, held] : undefined;
      };
    }),
  ),
  way('the final chunk has no choices at all', FINAL, (w) =>
    w.stream(() => (_, chunk) => {
      if (!isFinal(chunk)) return undefined;
      const { choices: _none, ...rest } = chunk;
      return `data: ${JSON.stringify(rest)}`;
    }),
  ),
  way('an error has no final chunk', FINAL, (w) =>
    w.stream(() => {
      let wrong = false;
      return (_, chunk) => {
        if (finish(chunk) === 'error') wrong = true;
        return wrong && isFinal(chunk) ? [] : undefined;
      };
    }),
  ),
  way(
    'a question has the usage so far',
    'After `tool_calls` its `usage` is `null`, because the turn is not over.',
    (w) =>
      w.stream(() => {
        let asks = false;
        return (_, chunk) => {
          if (finish(chunk) === 'tool_calls') asks = true;
          return asks && isFinal(chunk)
            ? { ...chunk, usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 } }
            : undefined;
        };
      }),
  ),
  way('a question has no word on usage', 'After `tool_calls` its `usage` is `null`', (w) =>
    w.stream(() => {
      let asks = false;
      return (_, chunk) => {
        if (finish(chunk) === 'tool_calls') asks = true;
        if (!asks || !isFinal(chunk)) return undefined;
        const { usage: _none, ...rest } = chunk;
        return { ...rest, choices: [] };
      };
    }),
  ),
  way('usage comes in the finish chunk', USAGE, (w) =>
    w.stream(() => {
      let held: Chunk | undefined;
      return (_, chunk) => {
        if (finish(chunk) === 'stop') {
          held = chunk;
          return [];
        }
        if (held === undefined || !isFinal(chunk)) return undefined;
        const { usage, ...rest } = chunk;
        return [
          { ...held, usage },
          { ...rest, choices: [] },
        ];
      };
    }),
  ),
  way('a long reply ends for its length', FINISH, (w) =>
    w.stream(() => {
      let length = 0;
      return (_, chunk) => {
        length += content(chunk)?.length ?? 0;
        const [choice] = chunk?.choices ?? [];
        return chunk !== undefined && choice?.finish_reason === 'stop' && length > 40
          ? { ...chunk, choices: [{ ...choice, finish_reason: 'length' }] }
          : undefined;
      };
    }),
  ),
  way('the reply to a later prompt of a session is plain text', 'streams the reply as server-sent events', (w) =>
    w.head('chat', (headers, call, response) => {
      if (response.status === 200 && 'session_id' in call.body)
        headers.set('content-type', 'text/plain; charset=utf-8');
    }),
  ),
  way('a question is not named for its service', QUESTION, (w) =>
    w.stream(
      () => (event) =>
        event.startsWith('data: {')
          ? event.replace(/"name":"[a-z]+\.provide_input"/g, '"name":"provide_input"')
          : undefined,
    ),
  ),
  way('a question comes as two tool calls', QUESTION, (w) =>
    w.stream(() => (_, chunk) => {
      const [choice] = chunk?.choices ?? [];
      const made = calls(chunk);
      if (chunk === undefined || choice === undefined || made.length === 0) return undefined;
      const others = made.map((call) => ({ ...call, index: 1, ...(call.id ? { id: `${String(call.id)}-2` } : {}) }));
      return { ...chunk, choices: [{ ...choice, delta: { ...choice.delta, tool_calls: [...made, ...others] } }] };
    }),
  ),
  way('a question finishes with stop', 'and finishes with `finish_reason: tool_calls`', (w) =>
    w.stream((call) => (_, chunk) => {
      const [choice] = chunk?.choices ?? [];
      return chunk !== undefined && choice?.finish_reason === 'tool_calls' && call.body.approval_mode === 'manual'
        ? { ...chunk, choices: [{ ...choice, finish_reason: 'stop' }] }
        : undefined;
    }),
  ),
  way('a run that ended has its code as text', ENDED, (w) =>
    w.stream(
      () => (event, chunk) => (finish(chunk) === 'error' ? event.replaceAll('"code":410', '"code":"410"') : undefined),
    ),
  ),
  way('a run that ended is said to be severed', ENDED, (w) =>
    w.stream(
      () => (event, chunk) =>
        finish(chunk) === 'error' ? event.replaceAll('"run_ended"', '"stream_severed"') : undefined,
    ),
  ),
  way('a run that ended simply stops', ENDED, (w) =>
    w.stream(() => (_, chunk) => {
      const [choice] = chunk?.choices ?? [];
      if (chunk === undefined || choice?.finish_reason !== 'error') return undefined;
      const { error: _none, ...rest } = chunk;
      return { ...rest, choices: [{ ...choice, finish_reason: 'stop' }] };
    }),
  ),
  way('of the keepalives every second is written', ALIVE, (w) =>
    w.stream(() => {
      let count = 0;
      return (event) => {
        if (event !== ': keepalive') return undefined;
        count += 1;
        return count % 2 === 1 ? [] : undefined;
      };
    }),
  ),
  way('a keepalive is an event', ALIVE, (w) =>
    w.stream(() => (event) => (event === ': keepalive' ? 'event: keepalive\ndata: {}' : undefined)),
  ),
  way('after the fourth keepalive there is none', ALIVE, (w) =>
    w.stream(() => {
      let count = 0;
      return (event) => {
        if (event === ': keepalive') count += 1;
        return count > 4 && event === ': keepalive' ? [] : undefined;
      };
    }),
  ),
  way('a stream that continues after an answer has no keepalives', ALIVE, (w) =>
    w.stream((call) => {
      const answers = JSON.stringify(call.body.messages ?? []).includes('"tool_call_id"');
      return (event) => (answers && event === ': keepalive' ? [] : undefined);
    }),
  ),
];
