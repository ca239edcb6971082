import {
  error,
  events,
  finish,
  isFinal,
  isReply,
  jsonOf,
  type Older,
  OTHER_ID,
  on,
  opOf,
  reply,
  withBody,
} from './wire.js';

export const chat: Older = {
  'mode-sticks-to-intern': {
    quote: 'The mode must be repeated on later prompts',
    wrong: (next, w) => {
      const m = new Map<string, unknown>();
      return async (request) => {
        const { op, id, token } = opOf(request);
        if (op !== 'chat') return next(request);
        const j = await jsonOf(request);
        if (!j || isReply(j)) return next(request);
        const k = `${id} ${token}`;
        if (j.approval_mode !== undefined) {
          m.set(k, j.approval_mode);
          return next(request);
        }
        return m.get(k) === 'manual'
          ? w.hit(next(withBody(request, { ...j, approval_mode: 'manual' })))
          : next(request);
      };
    },
  },
  'mode-from-reply': {
    quote: 'omitted: the run self-drives',
    wrong: on('chat', async ({ request, next, w }) => {
      const j = await jsonOf(request);
      return j && !isReply(j) && j.approval_mode === undefined && j.session_id !== undefined
        ? w.hit(next(withBody(request, { ...j, approval_mode: 'manual' })))
        : next(request);
    }),
  },
  'manual-only-in-new-session': {
    quote: 'manual makes the intern ask',
    wrong: on('chat', async ({ request, next, w }) => {
      const j = await jsonOf(request);
      if (!(j && !isReply(j) && j.approval_mode === 'manual' && j.session_id !== undefined)) return next(request);
      const { approval_mode: _, ...rest } = j;
      return w.hit(next(withBody(request, rest)));
    }),
  },
  'usage-after-tool-calls': {
    quote: 'After tool_calls its usage is null',
    wrong: on('chat', async ({ request, next, w }) => {
      let tools = false;
      return events(await next(request), (d) => {
        if (finish(d) === 'tool_calls') tools = true;
        if (tools && isFinal(d)) {
          w.hit(0);
          return { ...d, usage: { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 } };
        }
        return d;
      });
    }),
  },
  'usage-missing-after-tool-calls': {
    quote: 'After tool_calls its usage is null',
    wrong: on('chat', async ({ request, next, w }) => {
      let tools = false;
      return events(await next(request), (d) => {
        if (finish(d) === 'tool_calls') tools = true;
        if (tools && isFinal(d)) {
          w.hit(0);
          const { usage: _, ...rest } = d;
          return rest;
        }
        return d;
      });
    }),
  },
  'usage-missing-when-none': {
    quote: 'It carries null when the intern reported none',
    wrong: on('chat', async ({ request, next, w }) =>
      events(await next(request), (d) => {
        if (isFinal(d) && d.usage === null) {
          w.hit(0);
          const { usage: _, ...rest } = d;
          return rest;
        }
        return d;
      }),
    ),
  },
  'steer-starts-another-run': {
    quote: 'the prompt is delivered into that run',
    wrong: (next, w) => {
      return async (request) => {
        const { op } = opOf(request);
        if (op !== 'chat') return next(request);
        const again = request.clone();
        const r = await next(request);
        if (r.status !== 202) return r;
        const j = await jsonOf(again);
        if (!j) return r;
        const { session_id, ...rest } = j;
        const o = await next(withBody(again, rest));
        return events(o, (d) => {
          if (isFinal(d)) {
            w.hit(0);
            return { ...d, session_id };
          }
          return d;
        });
      };
    },
  },
  'steer-says-started': {
    quote: 'the reported status is steered',
    wrong: on('chat', async ({ request, next, w }) => {
      const r = await next(request);
      return r.status === 202
        ? w.hit(
            reply(r, (j) => {
              j.status = 'started';
            }),
          )
        : r;
    }),
  },
  'question-open-20s': {
    quote: 'stays open 5 minutes',
    wrong: (next, w, s) => {
      const at = new Map<string, number>();
      return async (request) => {
        const { op } = opOf(request);
        if (op !== 'chat') return next(request);
        const j = await jsonOf(request);
        const sid = String(j?.session_id);
        if (isReply(j) && s.host.now() - (at.get(sid) ?? s.host.now()) > 20_000)
          return w.hit(error(409, 'Interaction is not pending', 'interaction_not_pending'));
        let tools = false;
        return events(await next(request), (d) => {
          if (finish(d) === 'tool_calls') tools = true;
          if (tools && isFinal(d)) at.set(String(d.session_id), s.host.now());
          return d;
        });
      };
    },
  },
  'reply-other-session-id': {
    quote: 'session_id (of the session)',
    wrong: on('chat', async ({ request, next, w }) => {
      const j = await jsonOf(request);
      return isReply(j)
        ? events(await next(request), (d) => {
            if (isFinal(d)) {
              w.hit(0);
              return { ...d, session_id: OTHER_ID };
            }
            return d;
          })
        : next(request);
    }),
  },
  'later-prompt-other-session-id': {
    quote: 'same session_id continues',
    wrong: on('chat', async ({ request, next, w }) => {
      const j = await jsonOf(request);
      return j && !isReply(j) && j.session_id !== undefined
        ? events(await next(request), (d) => {
            if (isFinal(d)) {
              w.hit(0);
              return { ...d, session_id: OTHER_ID };
            }
            return d;
          })
        : next(request);
    }),
  },
  'error-final-no-session': {
    quote: 'After every response … one final chunk that carries session_id',
    wrong: on('chat', async ({ request, next, w }) => {
      let bad = false;
      return events(await next(request), (d) => {
        if (finish(d) === 'error') bad = true;
        if (bad && isFinal(d)) {
          w.hit(0);
          const { session_id: _, ...rest } = d;
          return rest;
        }
        return d;
      });
    }),
  },
};
