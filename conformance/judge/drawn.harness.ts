import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { createEmulator } from '../../emulator/index.js';

type Json = Record<string, unknown>;

/** An exchange of a conversation at a right emulator: an entry of a HAR, at the moment at which the emulator answered. */
export interface Drawn {
  readonly at: number;
  readonly entry: Json;
}

const CALLERS = ['api_key', 'peer_api_key', 'foreign_api_key', 'oauth_token'] as const;
/** Of three, the first more often. */
const pick = fc.constantFrom(0, 0, 1, 2);

/** The next request of a caller: it names interns, keys, sessions and questions by their places. */
const STEP = fc.record({
  caller: fc.constantFrom(...CALLERS, ...Array<'api_key'>(6).fill('api_key')),
  one: pick,
  other: pick,
  provision: fc.boolean(),
  what: fc.constantFrom(
    ...[
      'create',
      'create',
      'create',
      'provision',
      'provision',
      'wait',
      'chat',
      'chat',
      'ask',
      'ask',
      'answer',
      'answer',
    ],
    ...[
      'get',
      'get',
      'list',
      'page',
      'whole',
      'filter',
      'update',
      'update',
      'rename',
      'suspend',
      'delete',
      'invoke',
      'continue',
    ],
    ...['sign', 'daemon', 'secret', 'wrong', 'keyless'],
  ),
});
export type Step = typeof STEP extends fc.Arbitrary<infer Of> ? Of : never;
export const steps = fc.array(STEP, { minLength: 10, maxLength: 60, size: 'max' });

const lastOf = (text: string, pattern: RegExp) => [...text.matchAll(pattern)].at(-1)?.[1];
const headersOf = (headers: Headers) => [...headers].map(([name, value]) => ({ name, value }));

/** Has a conversation at an emulator of its own. Its clock moves on by a tenth of a second with each request. */
export async function converse(all: readonly Step[]): Promise<readonly Drawn[]> {
  const emulator = await createEmulator({ quiet: true, clock: 'virtual', seed: 'drawn' });
  const { target, clock } = emulator;
  const drawn: Drawn[] = [];
  const interns: string[] = [];
  const talks: { readonly intern: string; readonly session: string; readonly call: string | undefined }[] = [];
  const invoked: { readonly intern: string; readonly session: string }[] = [];
  let cursor = '';
  const call = async (caller: (typeof CALLERS)[number], method: string, path: string, body?: unknown, key?: string) => {
    await clock.advance(100);
    const at = clock.now();
    const url = `${target.base_url}${path}`;
    const headers = new Headers({ authorization: `Bearer ${target.credentials[caller as 'api_key']}` });
    const text = body === undefined ? undefined : JSON.stringify(body);
    if (text !== undefined) headers.set('content-type', 'application/json');
    if (key !== undefined) headers.set('idempotency-key', key);
    const answer = await emulator.fetch(url, { method, headers, ...(text === undefined ? {} : { body: text }) });
    answer.headers.set('date', new Date(at).toUTCString());
    const said = await answer.text();
    drawn.push({
      at,
      entry: {
        request: {
          method,
          url,
          headers: headersOf(headers),
          ...(text === undefined ? {} : { postData: { text } }),
          bodySize: text?.length ?? 0,
        },
        response: {
          status: answer.status,
          headers: headersOf(answer.headers),
          content: { size: Buffer.byteLength(said), text: said },
        },
      },
    });
    return said;
  };
  const idIn = (text: string) => lastOf(text, /^\{"id":"([^"]+)"/g);
  for (const { caller, one, other, provision, what } of all) {
    const id = interns.at(-1 - one) ?? target.credentials.intern?.id ?? '';
    const at = `/interns/${id}`;
    const workspace_id = caller === 'foreign_api_key' ? target.foreign_workspace_id : target.workspace_id;
    const talk = (what === 'answer' ? talks.filter((each) => each.call !== undefined) : talks).at(-1 - one);
    const chat = async (intern: string, more: object) => {
      const text = await call(caller, 'POST', `/interns/${intern}/chat/completions`, { stream: true, ...more });
      const session = lastOf(text, /"session_id":"([^"]+)"/g);
      const asked = lastOf(text, /"tool_calls":\[\{"index":0,"id":"([^"]+)"/g);
      if (session !== undefined) talks.push({ intern, session, call: asked });
    };
    const prompt = (content: string) => ({ messages: [{ role: 'user', content }], model: other === 0 ? 'any' : 'a/b' });
    const create = { name: `made-${one}${other}`, workspace_id, provision, description: 'one' };
    if (what === 'wait') await clock.advance([1_000, 20_000, 400_000][one] ?? 0);
    if (what === 'create' || what === 'keyless') {
      const made = idIn(
        await call(caller, 'POST', '/interns', create, what === 'keyless' ? undefined : `key-${one}${other}`),
      );
      if (made !== undefined) interns.push(made);
      if (other > 0) await clock.advance(3_000);
    }
    if (what === 'get') await call(caller, 'GET', at);
    if (what === 'list')
      cursor = lastOf(await call(caller, 'GET', `/interns?limit=${one + 1}`), /"next_cursor":"([^"]+)"/g) ?? cursor;
    if (what === 'whole') await call(caller, 'GET', '/interns');
    if (what === 'filter') await call(caller, 'GET', `/interns?status=${['running', 'stopped', 'queued,failed'][one]}`);
    if (what === 'page' && cursor !== '') await call(caller, 'GET', `/interns?starting_after=${cursor}`);
    if (what === 'update')
      await call(
        caller,
        'PATCH',
        at,
        [{ model: 'a/b' }, { description: `is ${other}` }, { instructions: null, name: 7 }][one],
      );
    if (what === 'rename') await call(caller, 'PATCH', at, { name: `made-${other}${one}` });
    if (what === 'provision' || what === 'suspend') await call(caller, 'POST', `${at}/${what}`);
    if (what === 'provision' && other > 0) await clock.advance(3_000);
    if (what === 'delete') await call(caller, 'DELETE', at);
    if (what === 'chat')
      await chat(id, {
        ...prompt(`script: ${['cancelled', 'fails', 'no-usage'][other]}`),
        ...(provision && talk ? { session_id: talk.session } : {}),
      });
    if (what === 'ask') await chat(id, { ...prompt('script: ask-permission'), approval_mode: 'manual' });
    if (what === 'answer' && talk?.call !== undefined) {
      const messages = [{ role: 'tool', tool_call_id: talk.call, content: other === 0 ? 'whatever' : 'allow_once' }];
      await chat(talk.intern, { session_id: talk.session, messages });
    }
    const session = invoked.at(-1 - other);
    if (what === 'invoke' || (what === 'continue' && session !== undefined)) {
      const body = { input: 'Hello', ...(what === 'continue' ? { session_id: session?.session } : {}) };
      const text = await call(caller, 'POST', `${at}/invoke`, body);
      const begun = lastOf(text, /"session_id":"([^"]+)"/g);
      if (begun !== undefined) invoked.push({ intern: id, session: begun });
    }
    if (what === 'sign') {
      const bodySha256 = createHash('sha256').update(`${other}`).digest('hex');
      const route = { method: 'POST', path: '/api/invoke' };
      await call(caller, 'POST', `${at}/daemon/sign`, { bodySha256, ...(provision ? { route } : {}) });
    }
    if (what === 'daemon') await call(caller, 'GET', `${at}/daemon`);
    if (what === 'secret')
      await call(caller, 'PUT', `/vault/secrets/a_${one}`, { value: 'hidden-value', hosts: ['a.test'] });
    if (what === 'wrong') {
      const chats = `${at}/chat/completions`;
      const wrong = [
        ['/interns', { ...create, extra: 1 }],
        [chats, { messages: [] }],
        [chats, []],
      ][one];
      await call(caller, 'POST', String(wrong?.[0]), wrong?.[1]);
    }
  }
  await emulator.close();
  return drawn;
}
