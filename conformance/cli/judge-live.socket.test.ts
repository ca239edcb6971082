import { request as httpRequest, type RequestListener, type ServerResponse } from 'node:http';
import { expect, test } from 'vitest';
import { closing } from '../../test/closing.js';
import { serve } from '../../test/targets/hostile.js';
import { called } from './called.harness.js';

const baseOf = (origin: string) => `${origin}/some/api/v1`;

/** A deployment. The result is its base URL. */
const deployment = async (handle: RequestListener) => baseOf(closing(await serve(handle)).origin);

const GOOD = JSON.stringify({ data: [], has_more: false });
const json = (response: ServerResponse, text: string) =>
  response.writeHead(200, { 'content-type': 'application/json' }).end(text);

/** A judge that listens. `base` is its address. */
async function judging(...flags: string[]) {
  const [over, again] = [new AbortController(), new AbortController()];
  const said = { out: '', err: '' };
  let listening = (_: string) => {};
  const base = new Promise<string>((resolve) => {
    listening = resolve;
  });
  const exit = called(['judge', ...flags], {
    out(text) {
      said.out += text;
      const [, address] = /^listening (\S+)\n/.exec(said.out) ?? [];
      if (address !== undefined) listening(address);
    },
    err(text) {
      said.err += text;
    },
    signal: over.signal,
    again: () => again.signal,
  }).then((done) => done.exit);
  void exit.then(() => listening(''));
  return { base: await base, exit, said, interrupt: () => over.abort(), again: () => again.abort() };
}

const read = async (url: string, headers: Record<string, string> = {}) => {
  const answer = await fetch(url, { headers: { authorization: 'Bearer sk-one-00000000', ...headers } });
  return { status: answer.status, text: await answer.text() };
};

/** The bytes of a request's head and of its answer's, as Node sends and takes them. */
const sentBy = (base: string) =>
  new Promise<string[]>((resolve, reject) => {
    const headers = { Authorization: 'Bearer a', 'X-Own': 'Ä', 'X-Emulator-Recording': 'one' };
    httpRequest(`${base}/interns?limit=1`, { headers }, (answer) => {
      answer.resume().on('end', () => resolve(answer.rawHeaders));
    })
      .on('error', reject)
      .end();
  });

test('what passes is the same in both directions, and no header is added', async () => {
  const came: string[][] = [];
  const url = await deployment(({ rawHeaders }, response) => {
    came.push(rawHeaders);
    response.writeHead(200, { 'X-One': '1', 'Content-Type': 'application/json', 'Content-Length': GOOD.length });
    response.end(GOOD);
  });
  const { base, exit, interrupt } = await judging('--listen', '0', '--to', url);
  expect(base).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/some\/api\/v1$/);
  const [direct, through] = [await sentBy(url), await sentBy(base)];
  const plain = (headers: readonly string[] = []) =>
    headers.filter((one) => !/^(date|.* GMT|host|127\.0.*|connection|keep-alive|close|timeout=.*)$/i.test(one)).sort();
  expect(plain(through)).toEqual(plain(direct));
  expect(plain(came[1])).toEqual(plain(came[0]));
  interrupt();
  expect(await exit).toBe(0);
});

test('a finding is printed once it is confirmed, and the report comes at the end', async () => {
  const url = await deployment((_, response) => json(response, '{"data": 7}'));
  const { base, exit, said, interrupt } = await judging('--listen', '0', '--to', url, '--fail-on', 'warn');
  await read(`${base}/interns`);
  await expect.poll(() => said.err).toMatch(/LIST-3\/form/);
  expect(said.out).toBe(`listening ${base}\n`);
  await read(`${base}/interns`);
  interrupt();
  expect(await exit).toBe(1);
  expect(said.err.match(/LIST-3\/form/g)).toHaveLength(1);
  expect(said.out).toMatch(/^(FAIL|WARN) +LIST-3\/form/im);
  expect(said.out + said.err).not.toContain('sk-one');
});

test('what it refuses itself is no exchange', async () => {
  let asked = 0;
  const url = await deployment((_, response) => {
    asked++;
    json(response, GOOD);
  });
  const { base, exit, said, interrupt } = await judging('--listen', '0', '--to', url);
  expect((await read(`${base}/interns`, { origin: 'https://evil.test' })).status).toBe(403);
  const foreign = new Promise<number | undefined>((resolve) => {
    httpRequest(`${base}/interns`, { headers: { host: 'evil.test' } }, ({ statusCode }) => resolve(statusCode)).end();
  });
  expect(await foreign).toBe(421);
  interrupt();
  expect(await exit).toBe(3);
  expect({ asked, end: said.err }).toEqual({ asked: 0, end: expect.stringContaining('0 exchanges judged, 0 passed') });
});

test('without traffic --max-time ends with 3; with some, with what came of it', async () => {
  const url = await deployment((_, response) => json(response, GOOD));
  expect(await (await judging('--listen', '0', '--to', url, '--max-time', '1ms')).exit).toBe(3);
  const { base, exit } = await judging('--listen', '0', '--to', url, '--max-time', '2s');
  await read(`${base}/interns`);
  expect(await exit).toBe(0);
});

test('where the deployment is away it says so, and why', async () => {
  const away = await serve(() => {});
  await away.close();
  const { base, exit, said, interrupt } = await judging('--listen', '0', '--to', baseOf(away.origin));
  expect((await read(`${base}/interns`)).status).toBe(502);
  expect((await read(`${base}/interns`)).status).toBe(502);
  interrupt();
  expect(await exit).toBe(3);
  expect(said.err.match(/not judged: .*ECONNREFUSED/g)).toHaveLength(1);
});

test('after Ctrl-C nobody new is served, and a stream that is under way comes to its end', async () => {
  let going = (_: ServerResponse) => {};
  const began = new Promise<ServerResponse>((resolve) => {
    going = resolve;
  });
  const url = await deployment((_, response) => {
    response.writeHead(200, { 'content-type': 'application/json' }).write('{"data": [], ');
    going(response);
  });
  const { base, exit, said, interrupt } = await judging('--listen', '0', '--to', url);
  const stream = read(`${base}/interns`);
  const response = await began;
  interrupt();
  await expect.poll(() => read(`${base}/interns`).catch(({ cause }) => cause.code)).toBe('ECONNREFUSED');
  expect(said.out).toBe(`listening ${base}\n`);
  response.end('"has_more": false}');
  expect(await stream).toEqual({ status: 200, text: '{"data": [], "has_more": false}' });
  expect(await exit).toBe(0);
  expect(said.err).toContain('1 exchange judged');
});

test('a second Ctrl-C ends what hangs, and the report comes at once', async () => {
  let hangs = () => {};
  const hanging = new Promise<void>((resolve) => {
    hangs = resolve;
  });
  const url = await deployment((request, response) => (request.url?.includes('?') ? hangs() : json(response, GOOD)));
  const { base, exit, said, interrupt, again } = await judging('--listen', '0', '--to', url);
  await read(`${base}/interns`);
  const cut = read(`${base}/interns?limit=1`).catch(({ message }) => message);
  await hanging;
  interrupt();
  again();
  expect(await exit).toBe(0);
  expect(await cut).toBe('fetch failed');
  expect(said.err).toContain('1 exchange judged, 1 not, 0 passed over');
});

test.each([
  [['--listen', '0'], /--listen PORT and --to URL belong together/],
  [['--to', 'http://a.test/api/v1'], /--listen PORT and --to URL belong together/],
  [['--listen', '0', '--to', 'http://a.test/api/v1?of=1'], /--to: expected an http or https address that ends in/],
  [['a.har', '--listen', '0', '--to', 'http://a.test/api/v1'], /got both/],
  [['--listen', 'x', '--to', 'http://a.test/api/v1'], /--listen: expected a whole number/],
  [['--listen', '65536', '--to', 'http://a.test/api/v1'], /--listen: expected a port/],
  [['--listen', '0', '--to', 'http://a.test/'], /--to: expected .* ends in \/api\/v1/],
  [['--listen', '0', '--to', 'http://me:secret@a.test/api/v1'], /--to: expected/],
])('%j is one line, and exit 2', async (flags, line) => {
  const { exit, said } = await judging(...flags);
  expect(await exit).toBe(2);
  expect(said.err).toMatch(line);
  expect(said.err.trim().split('\n')).toHaveLength(1);
});

test('a port that is taken is one line, and exit 2', async () => {
  const url = await deployment(() => {});
  const { exit, said } = await judging('--listen', new URL(url).port, '--to', url);
  expect(await exit).toBe(2);
  expect(said.err).toMatch(/cannot listen on port \d+: .*choose another with --listen\n$/);
});
