import { about } from '../../../conformance/habits/wire.js';
import { rewritten } from '../../../emulator/wire/answer.js';
import { isRecord, type Json, jsonOf as parsed } from '../../../emulator/wire/json.js';
import type { Fetch, Setting } from '../../../emulator/wire/serve.js';
import type { World as Now, Way } from '../world.js';

/** A service around another, as this sample was written. */
type Around = (next: Fetch, world: World, setting: Setting) => Fetch;
export type Older = Readonly<Record<string, OlderWay>>;
interface OlderWay extends Pick<Way, 'quote' | 'factories' | 'lawful'> {
  readonly wrong?: Around;
  readonly daemons?: Around;
}
interface World extends Pick<Now, 'target' | 'emulator' | 'credentials'> {
  hit<T>(value: T): T;
}
export const OTHER_ID = '5e550000-0000-4000-8000-000000000000';

const today =
  (around: Around) =>
  (now: Now): ReturnType<NonNullable<Way['wrong']>> => {
    const world: World = {
      target: now.target,
      emulator: now.emulator,
      credentials: now.credentials,
      hit(value) {
        now.hit();
        return value;
      },
    };
    const answer = around(now.next, world, now.setting);
    return ({ request }) => answer(request);
  };

/** The same as ways of this harness. */
export const asWays = (older: Older): Way[] =>
  Object.entries(older).map(([name, { wrong, daemons, ...rest }]) => ({
    name,
    ...rest,
    ...(wrong ? { wrong: today(wrong) } : {}),
    ...(daemons ? { daemons: today(daemons) } : {}),
  }));

export const CAP = 1_048_576;
export const error = (status: number, message: string, reason?: string, retryable = false, code: unknown = status) =>
  Response.json({ error: { code, message, ...(reason ? { metadata: { reason, retryable } } : {}) } }, { status });
export const notFound = () => error(404, 'Intern not found', 'not_found');
type Op =
  | 'list'
  | 'create'
  | 'get'
  | 'update'
  | 'delete'
  | 'provision'
  | 'suspend'
  | 'chat'
  | 'invoke'
  | 'daemon'
  | 'daemon-alias'
  | 'sign'
  | 'sign-alias'
  | 'scim'
  | 'other';
export function opOf(request: Request): { op: Op; id: string; token: string; q: URLSearchParams } {
  const { path, id = '', act, token = '' } = about(request);
  const m = request.method;
  const q = new URL(request.url).searchParams;
  const is = (): Op => {
    if (/^\/scim\/group-mappings\/[^/]+$/.test(path) && m === 'GET') return 'scim';
    if (path === '/interns') return m === 'GET' ? 'list' : m === 'POST' ? 'create' : 'other';
    if (act === '') return m === 'GET' ? 'get' : m === 'PATCH' ? 'update' : m === 'DELETE' ? 'delete' : 'other';
    if (m === 'GET') return act === 'daemon' ? 'daemon' : act === 'daemon-access' ? 'daemon-alias' : 'other';
    if (m !== 'POST') return 'other';
    if (act === 'provision' || act === 'suspend' || act === 'invoke') return act;
    if (act === 'chat/completions') return 'chat';
    if (act === 'daemon/sign') return 'sign';
    if (act === 'daemon-access/sign') return 'sign-alias';
    return 'other';
  };
  return { op: is(), id, token, q };
}
export const textOf = (r: Request) => r.clone().text();
export const jsonOf = async (r: Request): Promise<Json | undefined> => {
  const j = parsed(await textOf(r));
  return isRecord(j) ? j : undefined;
};
export const respJson = async (r: Response): Promise<Json> => {
  const j = parsed(await r.clone().text());
  return isRecord(j) ? j : {};
};
export const withBody = (r: Request, body: unknown) =>
  new Request(r, { body: typeof body === 'string' ? body : JSON.stringify(body) });
export const withHeaders = (r: Request, change: (h: Headers) => void) => {
  const headers = new Headers(r.headers);
  change(headers);
  return new Request(r, { headers });
};
export const as = (r: Request, token: string) => withHeaders(r, (h) => h.set('authorization', `Bearer ${token}`));
export const withUrl = (r: Request, url: URL) => new Request(url, { method: r.method, headers: r.headers });
export const say = (w: World, path: string, method: string, token: string, body?: unknown) =>
  w.emulator.fetch(
    new Request(`${w.target.base_url}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    }),
  );
export const seen = async (w: World, id: string) =>
  respJson(await say(w, `/interns/${id}`, 'GET', w.target.credentials.api_key));
export const key = (w: World, name: string): string => w.credentials[name === 'own' ? 'own_key' : name] ?? '';
export const reply = async (r: Response, change: (json: Json) => unknown) =>
  rewritten(r, {
    json: (j) => {
      if (isRecord(j)) change(j);
    },
  });
/** On operations alone. */
export const on =
  (
    ops: Op | Op[],
    f: (x: {
      request: Request;
      next: Fetch;
      w: World;
      id: string;
      token: string;
      q: URLSearchParams;
      op: Op;
    }) => Promise<Response> | Response,
  ): Around =>
  (next, w) =>
  async (request) => {
    const o = opOf(request);
    return [ops].flat().includes(o.op) ? f({ request, next, w, ...o }) : next(request);
  };
/** The key of the workspace that an intern is in, where the token is of another one. */
export async function ownerIfHidden(w: World, id: string, token: string): Promise<string | undefined> {
  const c = w.target.credentials;
  const foreign = token === c.foreign_api_key;
  if (
    !foreign &&
    ![c.api_key, c.peer_api_key, c.oauth_token, c.peer_oauth_token, c.oauth_interns_only_token].includes(token)
  )
    return undefined;
  const other = foreign ? c.api_key : c.foreign_api_key;
  return (await say(w, `/interns/${id}`, 'GET', other ?? '')).ok ? other : undefined;
}
export const isReply = (b: Json | undefined) =>
  Array.isArray(b?.messages) && (b.messages.at(-1) as Json)?.role === 'tool';
/** Each event of a stream; returning undefined drops it. */
export const events = (response: Response, f: (data: Json, raw: string) => Json | string | undefined) =>
  rewritten(response, {
    text: (event) => {
      if (!event.startsWith('data: {')) {
        const c = f({}, event);
        return typeof c === 'string' ? `${c}\n\n` : c === undefined ? '' : `${event}\n\n`;
      }
      const out = f(JSON.parse(event.slice(6)) as Json, event);
      return out === undefined ? '' : typeof out === 'string' ? `${out}\n\n` : `data: ${JSON.stringify(out)}\n\n`;
    },
  });
export const isFinal = (d: Json) => Array.isArray(d.choices) && d.choices.length === 0;
export const finish = (d: Json) =>
  Array.isArray(d.choices) ? ((d.choices[0] as Json)?.finish_reason as string | null | undefined) : undefined;
