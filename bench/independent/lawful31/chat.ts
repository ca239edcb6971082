import { failed } from '../answers.js';
import { type Call, isJson, type Json, parsed } from '../call.js';
import { bearer, isMember, seen } from '../lawful30/helpers.js';
import type { Way } from '../world.js';
import { lastMessage, memberOf } from './helpers.js';

/** The arguments of a question as another program writes them. */
function richer(text: string, expires: number): string {
  const given = parsed(text);
  if (!isJson(given)) return text;
  const fields = Array.isArray(given.fields) ? given.fields.filter(isJson) : [];
  for (const field of fields) Object.assign(field, { description: `About ${String(field.name)}`, placeholder: '' });
  const more = { version: 2, title: 'Your input is needed', expires_at: new Date(expires).toISOString(), context: {} };
  return JSON.stringify({ ...more, ...given }, null, 2);
}

/** Whether a chat is of the right form and meets an intern that runs, as far as its sender sees it. */
const isWell = ({ body }: Call, record: Json | undefined) =>
  record?.status === 'running' && body.stream === true && Array.isArray(body.messages);

export const chat: readonly Way[] = [
  {
    // Interns report more than the usual counts; a tool call's arguments are JSON, however that is written.
    name: 'usage has further counts, and the arguments of a question are indented and say more',
    lawful: true,
    quote:
      'its `arguments` is a JSON string … The final chunk carries the `usage` that the intern reported for the run',
    wrong: (world) =>
      world.stream(() => (_event, chunk) => {
        if (chunk === undefined) return undefined;
        if (isJson(chunk.usage)) {
          const { prompt_tokens_details, ...usage } = chunk.usage;
          const details = {
            cached_tokens: 0,
            audio_tokens: 0,
            ...(isJson(prompt_tokens_details) ? prompt_tokens_details : {}),
          };
          return {
            ...chunk,
            usage: {
              ...usage,
              prompt_tokens_details: details,
              completion_tokens_details: { reasoning_tokens: 0 },
              cost_details: { upstream_inference_cost: null },
              is_byok: false,
            },
          };
        }
        const calls = chunk.choices[0]?.delta.tool_calls;
        if (!Array.isArray(calls)) return undefined;
        for (const { function: asked } of calls as { function: { arguments: string } }[])
          asked.arguments = richer(asked.arguments, world.setting.host.now() + 300_000);
        return { ...chunk };
      }),
  },
  {
    // That chat may continue any session of an intern is chosen: here only one's own. Another's is not found.
    name: 'chat continues sessions of the same member only',
    lawful: true,
    quote: 'C: sessions belong to the intern: chat may continue any session of it.',
    wrong: (world) => {
      const owners = new Map<string, string>();
      return async (call, next) => {
        if (call.op !== 'chat' && call.op !== 'invoke') return next();
        const key = (session: unknown) => `${call.id.toLowerCase()} ${String(session)}`;
        const member = memberOf(call.who);
        const { session_id } = call.body;
        const owner = owners.get(key(session_id));
        if (call.op === 'chat' && isMember(call.who) && owner !== undefined && owner !== member) {
          if (isWell(call, await seen(world, call.id, bearer(call.request)))) {
            world.hit();
            return lastMessage(call)?.role === 'tool'
              ? failed(404, 'No such interaction in this session', 'interaction_unknown')
              : failed(404, 'Session not found', 'not_found');
          }
        }
        const response = await next();
        const own = (session: unknown) => {
          if (typeof session === 'string' && !owners.has(key(session))) owners.set(key(session), member);
        };
        if (response.ok) own(session_id);
        if (call.op === 'invoke' && response.ok)
          own(((await response.clone().json()) as { session_id?: unknown }).session_id);
        const listening = world.stream(() => (_event, chunk) => {
          own(chunk?.session_id);
          return undefined;
        });
        return listening(call, async () => response);
      };
    },
  },
];
