import { rewritten } from '../../../emulator/wire/answer.js';
import type { Chunk } from '../answers.js';
import { isJson, type Json, parsed, withBody } from '../call.js';
import type { Way } from '../world.js';

const asksForPrompt = (body: Json): boolean => {
  const last = Array.isArray(body.messages) ? body.messages.at(-1) : undefined;
  return isJson(last) && last.role === 'user';
};

/** A chunk with another delta that ends nothing. */
const saying = (chunk: Chunk, delta: Json): Chunk => {
  const { error, ...rest } = chunk;
  return { ...rest, choices: [{ ...chunk.choices[0], delta, finish_reason: null }] };
};

/** Ids as clients see them, and as the service knows them. */
function names(prefix: string) {
  const outer = new Map<string, string>();
  const inner = new Map<string, string>();
  return {
    shown(id: string): string {
      const name = outer.get(id) ?? prefix + id.replaceAll('-', '').toUpperCase();
      outer.set(id, name);
      inner.set(name, id);
      return name;
    },
    meant: (name: unknown): unknown => (typeof name === 'string' ? (inner.get(name) ?? name) : name),
    knows: (name: unknown): boolean => typeof name === 'string' && inner.has(name),
  };
}

export const chat: readonly Way[] = [
  {
    // All of it is server-sent events: lines may end in CRLF, comments and the fields `id` and `retry` go anywhere.
    name: 'events end in CRLF, with ids, a retry and comments between them',
    lawful: true,
    quote: 'streams the reply as server-sent events',
    wrong: (world) => async (call, next) => {
      const response = await next();
      if (call.op !== 'chat' || response.status !== 200) return response;
      let count = 0;
      return rewritten(response, {
        text(event) {
          world.hit();
          count += 1;
          const before = count === 1 ? ': processing\n\nretry: 3000\n\n' : count % 5 === 0 ? ': still here\n\n' : '';
          const id = event.startsWith('data: {') ? `id: ${count}\n` : '';
          return `${before}${id}${event}\n\n`.replaceAll('\n', '\r\n');
        },
      });
    },
  },
  {
    // Fields beside those that the format has, as other providers send them; `usage` and `session_id` count at the end.
    name: 'chunks carry further fields, the role each time, and empty deltas come between',
    lawful: true,
    quote: 'in the common chat-completion chunk format (`choices`, `finish_reason`)',
    wrong: (world) =>
      world.stream(() => {
        let first = true;
        return (_event, chunk) => {
          if (chunk === undefined) return undefined;
          const extra = { system_fingerprint: 'fp_7c1d', provider: 'Acme', service_tier: 'default' };
          const [choice] = chunk.choices;
          if (choice === undefined) return { ...extra, ...chunk };
          const { finish_reason } = choice;
          const delta = { role: 'assistant', ...(choice.delta.tool_calls ? { content: null } : {}), ...choice.delta };
          const more = { logprobs: null, native_finish_reason: finish_reason };
          const richer: Chunk = { ...chunk, ...extra, choices: [{ ...choice, delta, ...more }], usage: null };
          if (!first) return richer;
          first = false;
          return [richer, saying(richer, {})];
        };
      }),
  },
  {
    // How a text is cut into chunks, and whether an intern thinks aloud, is its own affair.
    name: 'texts come two characters a chunk, after some reasoning',
    lawful: true,
    quote: 'streams completions from one intern … text `delta.content`, thinking `delta.reasoning`',
    wrong: (world) =>
      world.stream((call) => {
        let thinks = asksForPrompt(call.body);
        return (_event, chunk) => {
          const choice = chunk?.choices[0];
          if (chunk === undefined || choice === undefined) return undefined;
          if (thinks && choice.finish_reason === null && choice.delta.role !== undefined) {
            thinks = false;
            return [
              chunk,
              saying(chunk, { reasoning: 'The user wants something. ' }),
              saying(chunk, { reasoning: 'Go.' }),
            ];
          }
          const { content } = choice.delta;
          if (typeof content !== 'string' || content.length < 3 || content.length > 600) return undefined;
          const points = [...content];
          const cut: Chunk[] = [];
          for (let at = 0; at < points.length; at += 2)
            cut.push(saying(chunk, { content: points.slice(at, at + 2).join('') }));
          return cut;
        };
      }),
  },
  {
    // The form of these ids is stated nowhere. A session id of the caller's own choice stays unchanged.
    name: 'ids of completions, calls and sessions are no UUIDs',
    lawful: true,
    quote: '`session_id` … `tool_call_id` is the id of that tool call … one `id` for the whole response',
    wrong: (world) => {
      const sessions = names('sess_');
      const calls = names('toolu_');
      const chosen = new Set<unknown>();
      const session = (body: Json) => {
        if (typeof body.session_id === 'string' && !chosen.has(body.session_id))
          body.session_id = sessions.shown(body.session_id);
      };
      return async (call, next) => {
        if (call.op !== 'chat' && call.op !== 'invoke') return next();
        const { body } = call;
        if (typeof body.session_id === 'string' && !sessions.knows(body.session_id)) chosen.add(body.session_id);
        const named = /"(sess|toolu)_/.test(call.text);
        const asked = structuredClone(body);
        if (named) {
          if ('session_id' in asked) asked.session_id = sessions.meant(asked.session_id);
          for (const message of Array.isArray(asked.messages) ? asked.messages.filter(isJson) : []) {
            if ('tool_call_id' in message) message.tool_call_id = calls.meant(message.tool_call_id);
            for (const one of Array.isArray(message.tool_calls) ? message.tool_calls.filter(isJson) : [])
              one.id = calls.meant(one.id);
          }
        }
        const response = await next(named ? withBody(call, asked) : undefined);
        const completion = `gen-${Math.floor(world.setting.host.now() / 1_000)}-${world.setting.random().toString(36).slice(2)}`;
        if (!response.ok) return response;
        world.hit();
        return rewritten(response, {
          json(answer) {
            if (isJson(answer)) session(answer);
          },
          text(event) {
            const chunk = event.startsWith('data: {') ? parsed(event.slice(6)) : undefined;
            if (!isJson(chunk)) return `${event}\n\n`;
            chunk.id = completion;
            session(chunk);
            for (const { delta } of (chunk as Chunk).choices)
              for (const one of Array.isArray(delta.tool_calls) ? delta.tool_calls.filter(isJson) : [])
                one.id = calls.shown(String(one.id));
            return `data: ${JSON.stringify(chunk)}\n\n`;
          },
        });
      };
    },
  },
];
