import { createEventSplitter, isStream } from '../../../emulator/wire/streams.js';
import { type Call, isJson, type Json, withHeaders } from '../call.js';
import { internsIn, isMember } from '../lawful30/helpers.js';
import { chained } from '../lawful31/helpers.js';
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

/** Records that are shown with another status than `hidden` at times, and lists by status that go by what is shown. */
export function shownAs(world: World, hidden: string, edit: (intern: Json, now: number) => void): Answer {
  const statusesOf = ({ url }: Call) => url.searchParams.getAll('status').flatMap((text) => text.split(','));
  const records = world.ok('list create get update', (body, call) => {
    for (const intern of internsIn(body)) edit(intern, world.setting.host.now());
    const wanted = statusesOf(call);
    if (Array.isArray(body.data) && wanted.length > 0)
      body.data = body.data.filter((one) => isJson(one) && wanted.includes(String(one.status)));
  });
  const lists = world.asked('list', (call) => {
    const wanted = statusesOf(call);
    if (wanted.length === 0 || wanted.length > 6) return undefined;
    const url = new URL(call.url);
    url.searchParams.set('status', [...new Set([...wanted.filter((one) => one !== 'new'), hidden])].join(','));
    return withHeaders(call, {}, url);
  });
  return chained(records, lists);
}
