import type { AskResult } from '../../../emulator/contract/interaction.js';
import type { Factories } from '../../../emulator/factories.js';
import type { BehaviourEvent, LifecyclePlan, TurnGenerator } from '../../../emulator/scripts/behaviour.js';
import { failed } from '../answers.js';
import { type Call, isJson, type Json } from '../call.js';
import { type InternRow, internsIn, planned } from '../lawful30/helpers.js';
import { asked } from '../lawful34/helpers.js';
import type { Answer, Way, World } from '../world.js';

/** A body that is sent in the ordinary way: an object in JSON, well below the cap. */
export const isOrdinary = ({ text, body, request }: Call): boolean =>
  text.length <= 1_048_576 &&
  Object.keys(body).length > 0 &&
  /^application\/json\b/i.test(request.headers.get('content-type') ?? '');

/** Whether a credential may sign: the others are sent away before anything else is judged. */
export const maySign = (who: string): boolean => who === 'oauth_token' || who === 'peer_oauth_token';

/** Whether a call is one of a member on an intern that he sees, and for signing one that may sign. */
export async function isServed(world: World, call: Call): Promise<boolean> {
  if (call.op.startsWith('sign') && !maySign(call.who)) return false;
  return (await asked(world, call)) !== undefined;
}

/** The JSON of an answer that is kept. */
export async function peeked(response: Response): Promise<Json> {
  if (!/json/.test(response.headers.get('content-type') ?? '')) return {};
  const text = await response.clone().text();
  const body: unknown = text === '' ? undefined : JSON.parse(text);
  return isJson(body) ? body : {};
}

/** The reason of a refusal, or empty. */
export async function reasonOf(response: Response): Promise<string> {
  if (response.ok) return '';
  const { error } = await peeked(response);
  return isJson(error) && isJson(error.metadata) ? String(error.metadata.reason) : '';
}

/** The same refusal with another status. */
export async function moved(response: Response, status: number, metadata: Json): Promise<Response> {
  const { error } = await peeked(response);
  const said = isJson(error) ? String(error.message) : '';
  const headers = new Headers(response.headers);
  headers.delete('content-length');
  return Response.json({ error: { code: status, message: said, metadata } }, { status, headers });
}

/**
 * Records that are shown in another way, wherever they are. Where the status changes so that a filter no longer fits, a
 * list leaves the intern out.
 */
export const shown = (world: World, edit: (intern: Json, now: number) => void): Answer =>
  world.ok('list create get update', (body, { url }) => {
    const before = new Map(internsIn(body).map((intern) => [intern, intern.status]));
    for (const intern of before.keys()) edit(intern, world.setting.host.now());
    const wanted = url.searchParams.getAll('status').flatMap((text) => text.split(','));
    if (Array.isArray(body.data) && wanted.length > 0)
      body.data = body.data.filter(
        (intern: Json) => before.get(intern) === intern.status || wanted.includes(String(intern.status)),
      );
  });

/** Interns that boot and are torn down in another way. */
export const planning = (
  usual: Factories,
  change: (row: InternRow, plan: LifecyclePlan) => LifecyclePlan,
): Partial<Factories> => ({
  createProvisioning: (interns, deps) => usual.createProvisioning(interns, { ...deps, plan: planned(deps, change) }),
});

type Added = readonly BehaviourEvent[] | undefined;

/** Passes on what a turn yields. Before each event, and before the end, come those that `other` adds. */
export async function* passing(
  inner: TurnGenerator,
  other: (event: BehaviourEvent | undefined) => Added | Promise<Added>,
): TurnGenerator {
  let result: AskResult | undefined;
  for (;;) {
    const { done, value } = await inner.next(result);
    const ends = done === true || ('end' in value && value.end === 'stop');
    for (const event of (await other(ends ? undefined : value)) ?? []) yield event;
    if (done === true) return;
    result = yield value;
  }
}

/** A stream whose keepalives come so many ms late, and which ends so many after its last event. */
export function paced(world: World, response: Response, { late, linger }: { late: number; linger: number }): Response {
  if (response.body === null) return response;
  const { sleep } = world.setting.host;
  const reader = response.body.getReader();
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { done, value } = await reader.read();
        const wait = done ? linger : new TextDecoder().decode(value).startsWith(': keepalive') ? late : 0;
        if (wait > 0) {
          world.hit();
          await sleep(wait);
        }
        if (done) controller.close();
        else controller.enqueue(value);
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  );
  return new Response(body, { status: response.status, headers: response.headers });
}

/** One answer around the other, each of which may ask several times. */
const around =
  (first: Answer, then: Answer): Answer =>
  (call, next) =>
    then(call, (request) => first(call, (other) => next(other ?? request)));

/** Turns within a minute, by a name each: true if there is room for one more. */
export function window(room: number, length: number) {
  const taken = new Map<string, number[]>();
  return {
    full(name: string, now: number): boolean {
      const recent = (taken.get(name) ?? []).filter((at) => now - at < length);
      taken.set(name, recent);
      return recent.length >= room;
    },
    take: (name: string, now: number) => void taken.get(name)?.push(now),
  };
}

export const tooMany = (after: number): Response =>
  failed(429, 'Too many intern turns, wait a moment', 'rate_limited', true, { 'retry-after': String(after) });

/** Several ways at once. */
export function together(name: string, ways: readonly Way[]): Way {
  const wrongs = ways.flatMap(({ wrong }) => wrong ?? []);
  const daemons = ways.flatMap((way) => way.daemons ?? []);
  const makers = ways.flatMap(({ factories }) => factories ?? []);
  const all = (given: typeof wrongs) => (world: World) => given.map((make) => make(world)).reduce(around);
  return {
    name,
    lawful: true,
    ...(ways.some(({ unpublished }) => unpublished) ? { unpublished: true as const } : {}),
    quote: ways.map(({ quote }) => quote).join(' / '),
    ...(wrongs.length > 0 ? { wrong: all(wrongs) } : {}),
    ...(daemons.length > 0 ? { daemons: all(daemons) } : {}),
    ...(makers.length > 0
      ? {
          factories(usual, hit) {
            const made: Partial<Factories> = {};
            for (const make of makers) Object.assign(made, make({ ...usual, ...made }, hit));
            return made;
          },
        }
      : {}),
  };
}
