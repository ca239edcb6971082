import fc from 'fast-check';
import { afterEach, describe, expect, test } from 'vitest';
import { anyRequest, driverOf, leaving } from '../../test/requests/drawn.js';
import { type Incoming, type Outgoing, requestOf } from '../probe/request.js';
import { startInProcess } from './in-process.js';
import '../../test/same-draws.js';

type InProcess = ReturnType<typeof startInProcess>;

const started: InProcess[] = [];
const start = (): InProcess => {
  const one = startInProcess({ clock: 'virtual', seed: 'in process' });
  started.push(one);
  return one;
};
afterEach(() => Promise.all(started.splice(0).map(({ emulator }) => emulator.close())));

const bytesOf = (text: string) => new TextEncoder().encode(text);
const heard = async ({ status, headers, body }: Incoming) => {
  const pieces: Uint8Array[] = [];
  const reader = body?.getReader();
  for (let read = await reader?.read(); read?.value !== undefined; read = await reader?.read()) pieces.push(read.value);
  return { status, headers: [...headers], text: Buffer.concat(pieces).toString(), bodiless: body === null };
};
const why = (error: unknown) => ({ error: String(error) });

/** The same as a `Request` and without one, to two equal emulators. */
async function both(plain: InProcess, web: InProcess, outgoing: Outgoing) {
  const exchanging = (async () => plain.plainFetch(outgoing))();
  const exchanged = await exchanging.then((answer) => answer && heard(answer)).catch(why);
  if (exchanged === undefined) return { left: true as const };
  const fetched = await (async () => web.emulator.fetch(requestOf(outgoing)))().then(heard).catch(why);
  return { left: false as const, exchanged, fetched };
}

const of = (one: InProcess, method: string, path: string, more: Partial<Outgoing> = {}): Outgoing => {
  const { base_url, credentials } = one.emulator.target;
  const headers = new Headers({ authorization: `Bearer ${credentials.api_key}` });
  if (more.body !== undefined) headers.set('content-type', 'application/json');
  return { url: base_url + path, method, headers, ...more };
};
const idOf = ({ emulator }: InProcess) => String(emulator.target.credentials.intern?.id);

describe('what is asked without a Request is answered as with one', () => {
  test('whatever is asked', async () => {
    const [plain, web] = [start(), start()];
    const driver = driverOf(plain.emulator);
    const row = anyRequest().map((drawn) => leaving(drawn, driver, idOf(plain)));
    const sometimes = <T>(odd: fc.Arbitrary<T>) => fc.oneof({ weight: 5, arbitrary: fc.constant(undefined) }, odd);
    const odd = fc.record({
      method: sometimes(fc.constantFrom('HEAD', 'OPTIONS', 'patch', 'TRACE')),
      path: sometimes(fc.constantFrom('/interns/../interns', '/interns/a b%20c', '/interns/', '/nothing#part')),
      body: sometimes(
        fc.constantFrom<Outgoing['body']>('', '{', '{"name":"x\ud800y"}', bytesOf('{}'), new Uint8Array([0xff, 0xfe])),
      ),
    });
    let left = 0;
    let asked = 0;
    await fc.assert(
      fc.asyncProperty(row, odd, async ({ url, method, headers, body }, instead) => {
        headers.set('x-request-id', `r${++asked}`);
        const found = await both(plain, web, {
          url: instead.path === undefined ? url : plain.emulator.target.base_url + instead.path,
          method: instead.method ?? method,
          headers,
          body: instead.body ?? body,
        });
        if (found.left) left++;
        else expect(found.exchanged).toEqual(found.fetched);
      }),
      { numRuns: 600, endOnFailure: true },
    );
    expect(left).toBeLessThan(asked * 0.3);
  });

  test('by the control interface too', async () => {
    const [plain, web] = [start(), start()];
    const { control_url, base_url } = plain.emulator.target;
    const ask = (method: string, path: string, body?: string, more: Record<string, string> = {}) => {
      const headers = new Headers({ ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...more });
      return both(plain, web, { url: control_url + path, method, headers, body });
    };
    for (const asked of [
      ask('GET', '/clock'),
      ask('POST', '/clock', '{"advance":1000}'),
      ask('POST', '/clock', '{"advance":"x"}'),
      ask('PUT', '/limits', '{'),
      ask('DELETE', '/clock'),
      ask('GET', '/nothing'),
      ask('GET', '/interns?no=1'),
      ask('GET', '/clock', undefined, { origin: 'http://elsewhere.example' }),
      ask('GET', '/', undefined, { accept: 'text/html' }),
      ask('GET', '/console/nothing'),
    ]) {
      const found = await asked;
      expect(found.left).toBe(false);
      expect(found.exchanged).toEqual(found.fetched);
    }
    const gone = new AbortController();
    const url = `${control_url}/events?types=request`;
    const events = await plain.plainFetch({ url, method: 'GET', headers: new Headers(), signal: gone.signal });
    const reader = events?.body?.getReader();
    await plain.emulator.fetch(`${base_url}/interns`);
    expect(Buffer.from((await reader?.read())?.value ?? []).toString()).toContain('retry: ');
    gone.abort(new Error('seen enough'));
    await expect(reader?.read()).rejects.toThrow('seen enough');
  });

  test('where a fault drops the connection before the answer, or within it', async () => {
    const [plain, web] = [start(), start()];
    for (const fault of [{ operation: 'get' }, { operation: 'chat', at: 'mid-event' }])
      for (const { emulator } of [plain, web])
        await emulator.fetch('/_emulator/faults', {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ ...fault, disconnect: fault.at ?? true, at: undefined }),
        });
    const get = await both(plain, web, of(plain, 'GET', `/interns/${idOf(plain)}`));
    expect(get).toMatchObject({ exchanged: { error: expect.stringContaining('dropped by an injected fault') } });
    expect(get.exchanged).toEqual(get.fetched);
    const body = JSON.stringify({ stream: true, messages: [{ role: 'user', content: 'hello' }] });
    const chat = await both(plain, web, of(plain, 'POST', `/interns/${idOf(plain)}/chat/completions`, { body }));
    expect(chat).toMatchObject({ exchanged: { error: expect.stringContaining('dropped by an injected fault') } });
    expect(chat.exchanged).toEqual(chat.fetched);
  });
});

describe('a Request is made for', () => {
  test.each<[string, (one: InProcess) => Outgoing]>([
    ['a method that a Request would change or refuse', (one) => of(one, 'patch', '/interns')],
    ['a body that is sent in chunks', (one) => of(one, 'POST', '/interns', { body: [bytesOf('{}')] })],
    ['a body where none may be', (one) => of(one, 'GET', '/interns', { body: '{}' })],
    ['a text without a type', (one) => of(one, 'POST', '/interns', { body: '{}', headers: new Headers() })],
    ['credentials in the address', (one) => of(one, 'GET', '', { url: 'http://a:b@127.0.0.1/api/v1/interns' })],
    ['a page', (one) => of(one, 'GET', '', { url: new URL('/', one.emulator.target.base_url) })],
    [
      'a space',
      (one) => of(one, 'GET', '', { url: new URL('/spaces/a/api/v1/interns', one.emulator.target.base_url) }),
    ],
    ['the daemons', (one) => of(one, 'GET', '', { url: `${one.emulator.target.daemon_origin}/api/v1/interns` })],
  ])('%s', (_, outgoing) => {
    const one = start();
    expect(one.plainFetch(outgoing(one))).toBeUndefined();
  });
});

describe('a stream', () => {
  const turns = async () => {
    for (let i = 0; i < 5; i++) await new Promise<void>((resolve) => setImmediate(resolve));
  };
  const never = (one: InProcess, signal?: AbortSignal) => {
    const body = JSON.stringify({ stream: true, messages: [{ role: 'user', content: 'script: never-ends' }] });
    return one.plainFetch(of(one, 'POST', `/interns/${idOf(one)}/chat/completions`, { body, signal }));
  };
  const ends = async ({ emulator }: InProcess) => {
    const runs = (await (await emulator.fetch('/_emulator/runs')).json()) as { data: { ended?: string }[] };
    return runs.data.map(({ ended }) => ended);
  };

  test('is left by cancelling it: what is being read is over', async () => {
    const one = start();
    const reader = (await never(one))?.body?.getReader();
    await reader?.read();
    const next = reader?.read();
    await turns();
    expect(await ends(one)).toEqual([undefined]);
    await reader?.cancel();
    expect(await next).toEqual({ done: true, value: undefined });
    expect(await ends(one)).toEqual(['cancelled']);
    expect(await reader?.read()).toEqual({ done: true, value: undefined });
  });

  test('is left by an abort, before its answer or while it is read', async () => {
    const one = start();
    const before = new AbortController();
    before.abort(new Error('before'));
    await expect(never(one, before.signal)).rejects.toThrow('before');
    const meanwhile = new AbortController();
    const reader = (await never(one, meanwhile.signal))?.body?.getReader();
    await reader?.read();
    const next = reader?.read();
    await turns();
    meanwhile.abort(new Error('enough'));
    await expect(next).rejects.toThrow('enough');
    await expect(reader?.read()).rejects.toThrow('enough');
    expect(await ends(one)).toEqual(['cancelled']);
  });

  test('and whatever waits ends with the emulator', async () => {
    const one = start();
    await one.emulator.fetch('/_emulator/faults', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ operation: 'list', delay: '5m' }),
    });
    const waiting = expect(one.plainFetch(of(one, 'GET', '/interns'))).rejects.toThrow('The emulator was closed');
    await turns();
    await one.emulator.close();
    await waiting;
    await expect(one.plainFetch(of(one, 'GET', '/interns'))).rejects.toThrow('The emulator was closed');
  });
});
