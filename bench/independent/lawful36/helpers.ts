import { createEventSplitter, isStream } from '../../../emulator/wire/streams.js';
import { type Call, withHeaders } from '../call.js';
import { isMember } from '../lawful30/helpers.js';
import type { Answer, World } from '../world.js';

const NOBODY = '00000000-0000-4000-8000-000000000dad';

/** Whether a call is one of a member of either workspace, whom no sentence sends away at once. */
export const isOfMember = ({ who, regional }: Call): boolean => isMember(who) && !regional;

/** Whether its path is one of interns or vaults. */
export const isOfInterns = ({ url }: Call): boolean => /^\/api\/v1\/(interns|vault)(\/|$)/.test(url.pathname);

/** The same request about an unknown intern. */
export function ofNobody(call: Call): Request {
  return withHeaders(call, {}, new URL(call.url.href.replace(call.id, NOBODY)));
}

/** A stream whose events are written so many ms later than they would be. */
export const delaying =
  (wait: (event: string) => number): ((world: World) => Answer) =>
  (world) =>
  async ({ op }, next) => {
    const response = await next();
    if (op !== 'chat' || response.body === null || !isStream(response)) return response;
    const reader = response.body.getReader();
    const split = createEventSplitter();
    const events: string[] = [];
    const body = new ReadableStream<Uint8Array>(
      {
        async pull(controller) {
          while (events.length === 0) {
            const { done, value } = await reader.read();
            events.push(...split(value));
            if (done && events.length === 0) return controller.close();
          }
          const event = events.shift() ?? '';
          const ms = wait(event);
          if (ms > 0) {
            world.hit();
            await world.setting.host.sleep(ms);
          }
          controller.enqueue(Buffer.from(event));
        },
        cancel: (reason) => reader.cancel(reason),
      },
      { highWaterMark: 0 },
    );
    return new Response(body, { status: response.status, headers: response.headers });
  };

/** Connections that end without an answer. */
export const reset = (): TypeError =>
  new TypeError('fetch failed', { cause: Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' }) });
