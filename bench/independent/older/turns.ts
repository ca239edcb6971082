import { rewritten } from '../../../emulator/wire/answer.js';
import type { Json } from '../../../emulator/wire/json.js';
import { events, finish, isFinal, isReply, jsonOf, type Older, on, opOf, withBody } from './wire.js';

export const turns: Older = {
  'error-final-no-choices': {
    quote: 'final chunk with empty choices',
    wrong: on('chat', async ({ request, next, w }) => {
      let bad = false;
      return events(await next(request), (d) => {
        if (finish(d) === 'error') bad = true;
        if (bad && isFinal(d)) {
          w.hit(0);
          const { choices: _, ...rest } = d;
          return rest;
        }
        return d;
      });
    }),
  },
  'error-no-done': {
    quote: 'then data: [DONE]',
    wrong: on('chat', async ({ request, next, w }) => {
      let bad = false;
      return events(await next(request), (d, raw) => {
        if (finish(d) === 'error') bad = true;
        if (bad && raw.startsWith('data: [DONE]')) {
          w.hit(0);
          return undefined;
        }
        return d;
      });
    }),
  },
  'done-twice-after-tools': {
    quote: 'one final chunk, then [DONE]',
    wrong: on('chat', async ({ request, next, w }) => {
      let tools = false;
      return events(await next(request), (d, raw) => {
        if (finish(d) === 'tool_calls') tools = true;
        if (tools && raw.startsWith('data: [DONE]')) {
          w.hit(0);
          return `${raw}\n\n${raw}`;
        }
        return d;
      });
    }),
  },
  'content-finish-null-missing-two-finishes': {
    quote: 'The run ends in one of three finish reasons',
    wrong: on('chat', async ({ request, next, w }) => {
      return events(await next(request), (d, raw) => {
        if (finish(d) === 'stop') {
          w.hit(0);
          return `${raw}\n\n${raw}`;
        }
        return d;
      });
    }),
  },
  'suspended-run-severed': {
    quote: 'ends the run → code 410, run_ended',
    wrong: on('chat', async ({ request, next, w }) =>
      events(await next(request), (d) => {
        const e = d.error as Json | undefined;
        if (e && (e.metadata as Json | undefined)?.reason === 'run_ended') {
          w.hit(0);
          return { ...d, error: { ...e, code: 502, metadata: { ...(e.metadata as Json), reason: 'stream_severed' } } };
        }
        return d;
      }),
    ),
  },
  'suspended-run-stop': {
    quote: 'finish_reason error … 410 run_ended',
    wrong: on('chat', async ({ request, next, w }) =>
      events(await next(request), (d) => {
        const e = d.error as Json | undefined;
        if (e && (e.metadata as Json | undefined)?.reason === 'run_ended') {
          w.hit(0);
          const { error: _, ...rest } = d;
          return { ...rest, choices: [{ ...(d.choices as Json[])[0], finish_reason: 'stop' }] };
        }
        return d;
      }),
    ),
  },
  'run-ended-code-string': {
    quote: 'carries code 410',
    wrong: on('chat', async ({ request, next, w }) =>
      events(await next(request), (d) => {
        const e = d.error as Json | undefined;
        if (e && (e.metadata as Json | undefined)?.reason === 'run_ended') {
          w.hit(0);
          return { ...d, error: { ...e, code: '410' } };
        }
        return d;
      }),
    ),
  },
  'disconnect-ignored': {
    quote: 'Disconnecting while a response is still streaming cancels the run',
    wrong: on('chat', async ({ request, next, w }) =>
      rewritten(await next(request), {
        heard: () => {},
        left: () => {
          w.hit(0);
        },
      }),
    ),
  },
  'reply-type-text': {
    quote: 'Content-Type of a server-sent event stream',
    wrong: on('chat', async ({ request, next, w }) => {
      const j = await jsonOf(request);
      const r = await next(request);
      return isReply(j) && r.ok && /event-stream/.test(r.headers.get('content-type') ?? '')
        ? w.hit(new Response(r.body, { status: 200, headers: { 'content-type': 'text/plain; charset=utf-8' } }))
        : r;
    }),
  },
  'elicitation-tool-name': {
    quote: 'one tool call named service.provide_input',
    wrong: on('chat', async ({ request, next, w }) =>
      events(await next(request), (d, raw) => {
        if (/elicitation/.test(raw) && /provide_input/.test(raw)) {
          w.hit(0);
          return raw.replace(/"[a-z]+\.provide_input"/, '"provide_input"');
        }
        return d;
      }),
    ),
  },
  'wrong-call-id-taken': {
    quote: 'tool_call_id is the id of that tool call',
    wrong: (next, w) => {
      const last = new Map<string, string>();
      return async (request) => {
        const { op } = opOf(request);
        if (op !== 'chat') return next(request);
        const j = await jsonOf(request);
        let asked = request;
        if (j && isReply(j)) {
          const id = last.get(String(j.session_id));
          const m = (j.messages as Json[]).at(-1) ?? {};
          if (id && m.tool_call_id !== id) {
            w.hit(0);
            asked = withBody(request, {
              ...j,
              messages: [...(j.messages as Json[]).slice(0, -1), { ...m, tool_call_id: id }],
            });
          }
        }
        let call = '';
        return events(await next(asked), (d, raw) => {
          const c = /"tool_calls":\[\{[^\]]*?"id":"([^"]+)"/.exec(raw);
          call = c?.[1] ?? call;
          if (isFinal(d) && call) last.set(String(d.session_id), call);
          return d;
        });
      };
    },
  },
  'keepalive-named-ping': {
    quote: 'A comment line `: keepalive`',
    wrong: on('chat', async ({ request, next, w }) =>
      events(await next(request), (d, raw) => {
        if (raw.startsWith(': keepalive')) {
          w.hit(0);
          return ': ping';
        }
        return d;
      }),
    ),
  },
  'question-call-in-two-finish-first': {
    quote: 'emits one tool call and finishes with tool_calls',
    wrong: on('chat', async ({ request, next, w }) =>
      events(await next(request), (d) => {
        if (finish(d) === 'tool_calls') {
          w.hit(0);
          return { ...d, choices: [{ ...(d.choices as Json[])[0], finish_reason: 'stop' }] };
        }
        return d;
      }),
    ),
  },
};
