import type { Chunk } from '../answers.js';
import { type Call, isJson, type Json, parsed, withBody } from '../call.js';
import type { Answer, Way } from '../world.js';
import { record, suspended, way } from './tools.js';

const CONTINUES = 'The answer is delivered to the run that asked, and the stream continues from where it paused.';
const MODE = 'The mode belongs to the run started by that prompt and must be repeated on later prompts.';
const MANUAL = '`manual` makes the intern ask before approval-bearing tools such as the shell.';
const OMITTED = "When omitted the run self-drives and consents on the caller's behalf.";
const OPEN = 'A question stays open for its interaction deadline, 5 minutes by default.';
const SESSION = 'Sent on a second request to answer a paused run.';
const CANCELS = 'Disconnecting while a response is still streaming cancels the run.';

const messages = ({ body }: Call): Json[] => (Array.isArray(body.messages) ? body.messages.filter(isJson) : []);
const isAnswer = (call: Call) => call.op === 'chat' && messages(call).at(-1)?.role === 'tool';
const delta = (chunk: Chunk | undefined): Json => chunk?.choices?.[0]?.delta ?? {};
const finish = (chunk: Chunk | undefined) => chunk?.choices?.[0]?.finish_reason ?? undefined;
const session = ({ body }: Call) => (typeof body.session_id === 'string' ? body.session_id : '');

/** The same messages with the answer changed. */
const answered = (call: Call, edit: (answer: Json) => Json): Json => ({
  ...call.body,
  messages: messages(call).map((message) => (message.role === 'tool' ? edit(message) : message)),
});

const asId = (chunk: Chunk | undefined): string | undefined => {
  const made = delta(chunk).tool_calls;
  const [first] = Array.isArray(made) ? made : [];
  return isJson(first) && typeof first.id === 'string' && first.id !== '' ? first.id : undefined;
};

const event = (chunk: unknown) => `data: ${typeof chunk === 'string' ? chunk : JSON.stringify(chunk)}\n\n`;
const error410 = {
  code: 410,
  message: 'The intern ended the run',
  metadata: { reason: 'run_ended', retryable: false },
};

/** A stream that ends at once. */
const ending = (id: string, how: Json): Response => {
  const same = { id: 'chatcmpl-0', object: 'chat.completion.chunk', created: 0, model: 'intern' };
  const chunks = [
    { ...same, ...how },
    { ...same, choices: [], session_id: id, usage: null },
  ];
  return new Response([...chunks, '[DONE]'].map(event).join(''), {
    headers: { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' },
  });
};
const gone = (id: string) =>
  ending(id, { choices: [{ index: 0, delta: {}, finish_reason: 'error' }], error: error410 });
const went = (id: string) =>
  ending(id, { choices: [{ index: 0, delta: { role: 'assistant', content: 'Done.' }, finish_reason: 'stop' }] });

/** First looks at the stream, and then changes what is asked. */
const both =
  (asked: Answer, watching: Answer): Answer =>
  (call, next) =>
    asked(call, (changed) => watching(call, () => next(changed)));

export const questions: readonly Way[] = [
  way('after an answer the stream begins again with what was said before', CONTINUES, (w) => {
    const said = new Map<string, Chunk[]>();
    return w.stream((call) => {
      const now: Chunk[] = [];
      let before = isAnswer(call) ? (said.get(session(call)) ?? []) : [];
      return (_, chunk) => {
        if (typeof chunk?.session_id === 'string') said.set(chunk.session_id, now);
        if (chunk === undefined || typeof delta(chunk).content !== 'string' || delta(chunk).content === '')
          return undefined;
        now.push(chunk);
        const again = before;
        before = [];
        return again.length > 0 ? [...again, chunk] : undefined;
      };
    });
  }),
  way('a session stays manual', MODE, (w) => {
    const manual = new Set<string>();
    return both(
      w.asked('chat', (call) =>
        !isAnswer(call) && manual.has(session(call)) && !('approval_mode' in call.body)
          ? { ...call.body, approval_mode: 'manual' }
          : undefined,
      ),
      w.stream((call) => (_, chunk) => {
        if (call.body.approval_mode === 'manual' && typeof chunk?.session_id === 'string') manual.add(chunk.session_id);
        return undefined;
      }),
    );
  }),
  way('a later prompt of a session is never manual', MANUAL, (w) =>
    w.asked('chat', (call) => {
      if (isAnswer(call) || session(call) === '' || call.body.approval_mode !== 'manual') return undefined;
      const { approval_mode: _none, ...rest } = call.body;
      return rest;
    }),
  ),
  way('a run is manual when nothing is said', OMITTED, (w) =>
    w.asked('chat', (call) =>
      !isAnswer(call) && !('approval_mode' in call.body) ? { ...call.body, approval_mode: 'manual' } : undefined,
    ),
  ),
  way('an answer counts for whatever call it names', 'Its `tool_call_id` is the id of that tool call', (w) => {
    const asks = new Map<string, string>();
    return both(
      w.asked('chat', (call) => {
        const id = isAnswer(call) ? asks.get(session(call)) : undefined;
        if (id === undefined || messages(call).at(-1)?.tool_call_id === id) return undefined;
        return answered(call, (answer) => ({ ...answer, tool_call_id: id }));
      }),
      w.stream(() => {
        let asked: string | undefined;
        return (_, chunk) => {
          asked = asId(chunk) ?? asked;
          if (asked !== undefined && typeof chunk?.session_id === 'string') asks.set(chunk.session_id, asked);
          return undefined;
        };
      }),
    );
  }),
  way('whatever is chosen, the first choice is delivered', 'its `content` is the answer', (w) => {
    const firsts = new Map<string, string>();
    return both(
      w.asked('chat', (call) => {
        const first = isAnswer(call) ? firsts.get(session(call)) : undefined;
        const content = parsed(String(messages(call).at(-1)?.content));
        if (first === undefined || !isJson(content) || !isJson(content.content)) return undefined;
        const chosen = Object.fromEntries(Object.keys(content.content).map((name) => [name, first]));
        if (JSON.stringify(chosen) === JSON.stringify(content.content)) return undefined;
        return answered(call, (answer) => ({ ...answer, content: JSON.stringify({ ...content, content: chosen }) }));
      }),
      w.stream(() => {
        let first: string | undefined;
        return (event, chunk) => {
          if (asId(chunk) !== undefined) first = /\\"options\\":\[\\"(\w+)\\"/.exec(event)?.[1];
          if (first !== undefined && typeof chunk?.session_id === 'string') firsts.set(chunk.session_id, first);
          return undefined;
        };
      }),
    );
  }),
  way('an answer that refuses is delivered as consent', 'its `content` is the answer', (w) => {
    const consents = new Map<unknown, string>([
      ['reject_once', 'allow_once'],
      ['reject_always', 'allow_always'],
    ]);
    return w.asked('chat', (call) => {
      const content = isAnswer(call) ? messages(call).at(-1)?.content : undefined;
      const other = consents.get(content);
      return other === undefined ? undefined : answered(call, (answer) => ({ ...answer, content: other }));
    });
  }),
  way('a question stays open for two minutes', OPEN, (w) => {
    const since = new Map<string, number>();
    return both(
      w.instead('chat', (call) => {
        const asked = isAnswer(call) ? since.get(session(call)) : undefined;
        return asked === undefined || w.setting.host.now() - asked < 120_000 ? undefined : gone(session(call));
      }),
      w.stream(() => {
        let asks = false;
        return (_, chunk) => {
          asks ||= finish(chunk) === 'tool_calls';
          if (asks && typeof chunk?.session_id === 'string') since.set(chunk.session_id, w.setting.host.now());
          return undefined;
        };
      }),
    );
  }),
  way('an answer is taken long after the deadline', 'When the deadline passes the run is cancelled.', (w) => {
    const since = new Map<string, number>();
    return both(
      w.instead('chat', (call) => {
        const asked = isAnswer(call) ? since.get(session(call)) : undefined;
        return asked === undefined || w.setting.host.now() - asked < 310_000 ? undefined : went(session(call));
      }),
      w.stream(() => {
        let asks = false;
        return (_, chunk) => {
          asks ||= finish(chunk) === 'tool_calls';
          if (asks && typeof chunk?.session_id === 'string') since.set(chunk.session_id, w.setting.host.now());
          return undefined;
        };
      }),
    );
  }),
  way('a session takes one answer', OPEN, (w) => {
    const taken = new Set<string>();
    return async (call, next) => {
      if (!isAnswer(call)) return next();
      if (taken.has(session(call))) {
        w.hit();
        return gone(session(call));
      }
      const response = await next();
      if (response.ok) taken.add(session(call));
      return response;
    };
  }),
  way('a run that continues after an answer has another session', SESSION, (w) =>
    w.stream(
      (call) => (_, chunk) =>
        isAnswer(call) && typeof chunk?.session_id === 'string' && chunk.session_id === session(call)
          ? { ...chunk, session_id: chunk.session_id.replace(/^./, (digit) => (digit === '0' ? '1' : '0')) }
          : undefined,
    ),
  ),
  way('a chat goes on as if nobody had left it', CANCELS, (w) => async (call, next) => {
    if (call.op !== 'chat') return next();
    const { url, method } = call.request;
    const headers = new Headers(call.request.headers);
    headers.delete('content-length');
    const response = await next(new Request(url, { method, headers, body: call.text }));
    if (!response.ok || response.body === null) return response;
    const from = response.body.getReader();
    let left = false;
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        const leave = () => {
          if (!left) w.hit();
          left = true;
        };
        call.request.signal.addEventListener('abort', leave, { once: true });
        const copy = async () => {
          for (let read = await from.read(); !read.done; read = await from.read())
            if (!left) controller.enqueue(read.value);
          if (!left) controller.close();
        };
        copy().catch((thrown: unknown) => {
          if (!left) controller.error(thrown);
        });
      },
      cancel() {
        if (!left) w.hit();
        left = true;
      },
    });
    return new Response(body, { status: response.status, headers: response.headers });
  }),
  way('a manual run of an intern that was suspended once asks nothing', MANUAL, (w) => {
    const once = new Set<string>();
    return async (call, next) => {
      if (call.op === 'provision' && suspended(await record(w, call.id, call.who))) once.add(call.id);
      if (call.op !== 'chat' || !once.has(call.id) || call.body.approval_mode !== 'manual' || isAnswer(call))
        return next();
      w.hit();
      const { approval_mode: _none, ...rest } = call.body;
      return next(withBody(call, rest));
    };
  }),
];
