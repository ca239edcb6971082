import { failed } from '../answers.js';
import { type Call, withBody } from '../call.js';
import type { Answer, Way, World } from '../world.js';
import {
  callIn,
  finish,
  heard,
  isLast,
  isPrompt,
  messages,
  named,
  type Question,
  questionsOf,
  replied,
  session,
} from './tools.js';

const OPEN =
  'A question asked through `service.provide_input` stays open for its interaction deadline, 5 minutes by default.';
const STEERED =
  'When a prompt is sent to a session that already has a run going, the prompt is delivered into that run, and the reported status is steered.';
const MODE = 'The mode belongs to the run started by that prompt and must be repeated on later prompts.';

/** Good answers are too late. */
const closing = (name: string, quote: string, closed: (question: Question, now: number) => boolean): Way =>
  named(name, quote, (w) => {
    const questions = questionsOf(w);
    return async (call, next) => {
      const question = questions.of(call);
      if (question && closed(question, w.setting.host.now())) {
        w.hit();
        return failed(409, 'The interaction is no longer pending', 'interaction_not_pending');
      }
      return questions.listen(call, await next());
    };
  });

/** Another body for some chats, which shows as a stream that asks or does not. */
const mode = (w: World, asks: boolean, other: (call: Call) => Call['body'] | undefined): Answer => {
  return async (call, next) => {
    const body = isPrompt(call) ? other(call) : undefined;
    if (body === undefined) return next();
    const r = await next(withBody(call, body));
    if (r.status !== 200) return r;
    let asked = false;
    return heard(r, (chunk) => {
      if (callIn(chunk)) asked = true;
      if (isLast(chunk) && asked === asks) w.hit();
    });
  };
};

export const questions: readonly Way[] = [
  closing('two rejected replies close a question', OPEN, ({ rejected }) => rejected >= 2),
  closing('a question closes half a minute early', OPEN, ({ at }, now) => now - at >= 270_000),
  closing(
    'a rejected reply leaves a minute',
    'Rejected replies do not extend the deadline.',
    ({ at, rejected }, now) => rejected > 0 && now - at > 60_000,
  ),
  closing(
    'a run is cancelled ten seconds after its question if nobody stays connected',
    'Closing the connection after the `[DONE]` that follows `finish_reason: tool_calls` keeps the run alive.',
    ({ at }, now) => now - at > 10_000,
  ),
  named('an answer after the deadline is taken', 'When the deadline passes the run is cancelled.', (w) => {
    const questions = questionsOf(w);
    return async (call, next) => {
      const question = questions.of(call);
      const r = await questions.listen(call, await next());
      if (!question || r.status !== 409 || w.setting.host.now() - question.at < 300_000) return r;
      w.hit();
      const chunk = { id: `chatcmpl-${question.id}`, object: 'chat.completion.chunk', created: 0, model: 'intern' };
      const finished = { ...chunk, choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] };
      const last = { ...chunk, choices: [], session_id: session(call), usage: null };
      const events = [JSON.stringify(finished), JSON.stringify(last), '[DONE]'];
      return new Response(events.map((event) => `data: ${event}\n\n`).join(''), {
        headers: { 'content-type': 'text/event-stream' },
      });
    };
  }),
  named('a prompt in a session that waits for an answer starts a session of its own', STEERED, (w) => {
    const questions = questionsOf(w);
    return async (call, next) => {
      const since = w.setting.host.now() - (questions.open.get(session(call))?.at ?? 0);
      if (!isPrompt(call) || since >= 300_000) return questions.listen(call, await next());
      const { session_id, ...rest } = call.body;
      const r = await next(withBody(call, rest));
      if (r.ok) w.hit();
      return r;
    };
  }),
  named('a session stays in manual mode', MODE, (w) => {
    const manual = new Set<string>();
    const again = mode(w, true, (call) =>
      manual.has(session(call)) && !('approval_mode' in call.body)
        ? { ...call.body, approval_mode: 'manual' }
        : undefined,
    );
    return async (call, next) => {
      const r = await again(call, next);
      if (call.body.approval_mode !== 'manual' || r.status !== 200) return r;
      return heard(r, (chunk) => {
        if (isLast(chunk)) manual.add(String(chunk.session_id));
      });
    };
  }),
  named(
    'a question that was asked before gets the answer of then',
    'The answer is delivered to the run that asked, and the stream continues from where it paused.',
    (w) => {
      const given = new Map<string, unknown>();
      return async (call, next) => {
        const tool = messages(call).find(({ role }) => role === 'tool');
        if (replied(call) === undefined || !String(tool?.content).startsWith('{')) return next();
        const echo = messages(call).find(({ role }) => role === 'assistant');
        const question = `${call.id} ${JSON.stringify(echo?.tool_calls).replace(/"id":"[^"]*"/, '')}`;
        const before = given.get(question);
        if (before === undefined || before === tool?.content) {
          const r = await next();
          if (r.status === 200) given.set(question, tool?.content);
          return r;
        }
        const other = messages(call).map((one) => (one === tool ? { ...one, content: before } : one));
        const r = await next(withBody(call, { ...call.body, messages: other }));
        if (r.status === 200) w.hit();
        return r;
      };
    },
  ),
  named(
    'an answer with the id of an earlier question is taken for the open one',
    'Its `tool_call_id` is the id of that tool call',
    (w) => {
      const questions = questionsOf(w);
      return async (call, next) => {
        const id = questions.of(call)?.id;
        const given = replied(call);
        if (id === undefined || given === undefined || given === id) return questions.listen(call, await next());
        const r = await next(withBody(call, call.text.replaceAll(given, id)));
        if (r.ok) w.hit();
        return questions.listen(call, r);
      };
    },
  ),
  named(
    'a run goes on though its caller has left',
    'Disconnecting while a response is still streaming cancels the run.',
    (w) => async (call, next) => {
      if (call.op !== 'chat') return next();
      // Without its signal the request does not end with the caller's.
      const { method, headers, url } = call.request;
      const r = await next(new Request(url, { method, headers, body: call.text }));
      if (r.status !== 200 || !r.body) return r;
      let over = false;
      const watched = await heard(r, (chunk) => {
        if (finish(chunk) !== undefined) over = true;
      });
      const reader = watched.body?.getReader();
      const drained = async () => {
        while ((await reader?.read())?.done === false);
      };
      const body = new ReadableStream<Uint8Array>({
        async pull(controller) {
          const piece = await reader?.read();
          if (piece?.value) controller.enqueue(piece.value);
          else controller.close();
        },
        cancel() {
          if (!over) w.hit();
          void drained();
        },
      });
      return new Response(body, { headers: r.headers });
    },
  ),
];
