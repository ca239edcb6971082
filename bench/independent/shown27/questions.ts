import { type Json, parsed, withBody } from '../call.js';
import type { Answer, Way, World } from '../world.js';
import { answerIn, answering, closed, finishOf, isFinal, isPrompt, now } from './service.js';

/** Lets every chat pass and says how each response ended. */
const ends = (w: World, ended: (session: string, finish: string | undefined, who: string, mode: unknown) => void) =>
  w.stream((call) => {
    let finish: string | undefined;
    return (_, chunk) => {
      finish = finishOf(chunk) ?? finish;
      if (isFinal(chunk)) ended(String(chunk.session_id), finish, call.who, call.body.approval_mode);
      return undefined;
    };
  });

const CONTINUES = 'The answer is delivered to the run that asked, and the stream continues from where it paused.';
const OPEN = 'A question asked through `service.provide_input` stays open for its interaction deadline';

export const questions: readonly Way[] = [
  {
    name: 'answer-says-again-what-was-said',
    quote: CONTINUES,
    wrong: (w) => {
      const said = new Map<string, string>();
      return w.stream((call) => {
        let text = '';
        let begun = false;
        return (_, chunk) => {
          const choice = chunk?.choices[0];
          const content = choice?.delta.content;
          if (isFinal(chunk)) said.set(String(chunk.session_id), text);
          if (typeof content !== 'string' || content === '') return undefined;
          text += content;
          const before = answerIn(call) ? said.get(String(call.body.session_id)) : undefined;
          if (begun || !before || !chunk || !choice) return undefined;
          begun = true;
          return [{ ...chunk, choices: [{ ...choice, delta: { content: before } }] }, chunk];
        };
      });
    },
  },
  {
    name: 'approval-mode-stays-with-session',
    quote: 'The mode belongs to the run started by that prompt and must be repeated on later prompts.',
    wrong: (w) => {
      const manual = new Set<string>();
      const learn = ends(w, (session, _, __, mode) => {
        if (mode === 'manual') manual.add(session);
      });
      return (call, next) => {
        const sticks =
          isPrompt(call) && call.body.approval_mode === undefined && manual.has(String(call.body.session_id));
        if (!sticks) return learn(call, next);
        w.hit();
        return learn(call, () => next(withBody(call, { ...call.body, approval_mode: 'manual' })));
      };
    },
  },
  {
    name: 'second-question-has-id-of-first',
    quote: 'Its `tool_call_id` is the id of that tool call, and its `content` is the answer.',
    wrong: (w) => {
      const first = new Map<string, string>();
      const actual = new Map<string, string>();
      const rename = w.stream((call) => {
        let id: string | undefined;
        return (event, chunk) => {
          const calls = chunk?.choices[0]?.delta.tool_calls as readonly Json[] | undefined;
          const asked = calls?.[0]?.id;
          if (typeof asked === 'string') {
            id = asked;
            const session = String(call.body.session_id);
            const old = answerIn(call) ? first.get(session) : undefined;
            if (old === undefined) return undefined;
            actual.set(session, asked);
            return event.replaceAll(asked, old);
          }
          if (isFinal(chunk) && id !== undefined && !first.has(String(chunk.session_id)))
            first.set(String(chunk.session_id), id);
          return undefined;
        };
      });
      return (call, next) => {
        const session = String(call.body.session_id);
        const answer = answerIn(call);
        const meant = actual.get(session);
        if (!answer || meant === undefined || answer.tool_call_id !== first.get(session)) return rename(call, next);
        return rename(call, () => next(withBody(call, answering(call, { tool_call_id: meant }))));
      };
    },
  },
  {
    name: 'rejected-answer-closes-question',
    quote: 'Rejected replies do not extend the deadline.',
    wrong: (w) => {
      const spoilt = new Set<unknown>();
      return async (call, next) => {
        const answer = answerIn(call);
        if (answer && spoilt.has(answer.tool_call_id)) {
          w.hit();
          return closed();
        }
        const response = await next();
        if (answer && response.status === 400) spoilt.add(answer.tool_call_id);
        return response;
      };
    },
  },
  {
    name: 'allow-always-delivered-as-once',
    quote: 'Its `tool_call_id` is the id of that tool call, and its `content` is the answer.',
    wrong: (w) =>
      w.asked('chat', (call) =>
        answerIn(call)?.content === 'allow_always' ? answering(call, { content: 'allow_once' }) : undefined,
      ),
  },
  {
    name: 'second-permission-consented-unasked',
    quote: '`manual` makes the intern ask before approval-bearing tools such as the shell.',
    wrong: (w): Answer => {
      return async (call, next) => {
        const response = await next();
        if (!answerIn(call) || !response.ok) return response;
        const events = (await response.text()).split('\n\n').filter((event) => event !== '');
        const at = events.findIndex((event) => event.includes('provide_input') && event.includes('permission'));
        const id = at < 0 ? undefined : /"id":"(call_[^"]+)"/.exec(events[at] ?? '')?.[1];
        const joined = (some: readonly string[]) =>
          new Response(some.map((event) => `${event}\n\n`).join(''), response);
        if (id === undefined) return joined(events);
        w.hit();
        const called = { id, type: 'function', function: { name: 'service.provide_input', arguments: '{}' } };
        const more = await w.ask('POST', call.url.pathname.replace('/api/v1', ''), {
          as: call.who,
          body: {
            stream: true,
            session_id: call.body.session_id,
            messages: [
              { role: 'assistant', content: null, tool_calls: [called] },
              { role: 'tool', tool_call_id: id, content: 'allow_once' },
            ],
          },
        });
        if (!more.ok) return joined(events);
        const after = (await more.text()).split('\n\n').filter((event) => event !== '');
        return joined([...events.slice(0, at), ...after.slice(1)]);
      };
    },
  },
  {
    name: 'question-closes-after-a-minute',
    quote: `${OPEN}, 5 minutes by default.`,
    wrong: (w) => {
      const paused = new Map<string, number>();
      const learn = ends(w, (session, finish) => {
        if (finish === 'tool_calls') paused.set(session, now(w));
      });
      return async (call, next) => {
        const at = paused.get(String(call.body.session_id));
        if (!answerIn(call) || at === undefined || now(w) - at <= 60_000) return learn(call, next);
        w.hit();
        return closed();
      };
    },
  },
  {
    name: 'question-arguments-an-object',
    quote: 'in the common chat-completion chunk format',
    wrong: (w) =>
      w.stream(() => (event, chunk) => {
        const calls = chunk?.choices[0]?.delta.tool_calls as readonly { function: Json }[] | undefined;
        const given = calls?.[0]?.function;
        if (!given || !event.includes('elicitation')) return undefined;
        given.arguments = parsed(String(given.arguments));
        return chunk;
      }),
  },
  {
    name: 'prompt-to-paused-session-starts-another',
    quote:
      'When a prompt is sent to a session that already has a run going, the prompt is delivered into that run, and the reported status is steered.',
    wrong: (w) => {
      const paused = new Set<string>();
      const learn = ends(w, (session, finish) => {
        if (finish === 'tool_calls') paused.add(session);
        else paused.delete(session);
      });
      return (call, next) => {
        if (!isPrompt(call) || !paused.has(String(call.body.session_id))) return learn(call, next);
        w.hit();
        const { session_id: _, ...rest } = call.body;
        return learn(call, () => next(withBody(call, rest)));
      };
    },
  },
];
