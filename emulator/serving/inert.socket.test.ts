import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { INERT_HEADERS, makeInert } from '../contract/inert.js';
import { listening } from '../testing/listening.harness.js';

const MARKUP = '<script>alert(1)</script>';

async function start() {
  const {
    emulator: { target },
    at: { url, daemonOrigin },
  } = await listening({ clock: 'virtual' });
  const { credentials, control_url } = target;
  const json = { 'content-type': 'application/json' };
  return {
    url,
    api: `${url}/api/v1`,
    control: control_url,
    daemonOrigin,
    intern: credentials.intern?.id,
    key: { authorization: `Bearer ${credentials.api_key}` },
    post: (body: unknown, headers = {}): RequestInit => ({
      method: 'POST',
      headers: { ...json, ...headers },
      body: JSON.stringify(body),
    }),
  };
}

const inertHeaders = ({ headers }: Response) =>
  Object.fromEntries(Object.keys(INERT_HEADERS).map((name) => [name, headers.get(name)]));

/** The answer of a connection to bytes that may not be HTTP. */
const answerTo = (url: string, sent: string) => {
  const { hostname, port } = new URL(url);
  return text(connect(Number(port), hostname).end(sent));
};

test('no answer of the interface, the control interface, a space or the daemons runs anything in a browser', async () => {
  const { url, api, control, daemonOrigin, intern, key, post } = await start();
  const space = await fetch(`${control}/spaces`, post({ name: 'one' }));
  expect(space.status).toBe(201);
  const chat = { stream: true, messages: [{ role: 'user', content: MARKUP }] };
  const answers: Record<string, [string, RequestInit?]> = {
    'an intern': [`${api}/interns/${intern}`, { headers: key }],
    'a stream that says what the client sent': [
      `${api}/interns/${intern}/chat/completions`,
      post(chat, { ...key, accept: 'text/html' }),
    ],
    'a refusal': [`${api}/interns/${encodeURIComponent(MARKUP)}`, { headers: key }],
    'no such path': [`${url}/${MARKUP}`],
    'a preflight': [`${api}/interns`, { method: 'OPTIONS', headers: { 'access-control-request-method': 'GET' } }],
    'the target': [`${control}/target`],
    'a script': [`${control}/scripts/echo`],
    'the state': [`${control}/state?credentials=1`],
    'the journal as HAR': [`${control}/journal?format=har`],
    'an unknown call': [`${control}/${MARKUP}`],
    'an event stream': [`${control}/events`],
    'a refused origin': [`${control}/target`, { headers: { origin: 'https://app.test' } }],
    'an intern of a space': [`${url}/spaces/one/api/v1/interns`, { headers: key }],
    'the control interface of a space': [`${url}/spaces/one/_emulator/target`],
    'a space that is not there': [`${url}/spaces/${MARKUP}/api/v1/interns`],
    'a daemon': [`${daemonOrigin}/${MARKUP}`],
    'the keys of the login': [`${url}/oidc/jwks`],
    'an error of the login': [`${url}/oidc/${MARKUP}`],
  };
  for (const [what, [address, init]] of Object.entries(answers)) {
    const response = await fetch(address, init);
    expect(inertHeaders(response), what).toEqual(INERT_HEADERS);
    await response.body?.cancel();
  }
  for (const [what, text] of [
    ['what is no HTTP', `${MARKUP}\r\n\r\n`],
    ['another host', `GET /${MARKUP} HTTP/1.1\r\nHost: app.test\r\nConnection: close\r\n\r\n`],
    ['an expectation', 'GET / HTTP/1.1\r\nHost: localhost\r\nExpect: much\r\nConnection: close\r\n\r\n'],
  ] as const)
    for (const [name, value] of Object.entries(INERT_HEADERS))
      expect((await answerTo(url, text)).toLowerCase(), what).toContain(`${name}: ${value}`);
});

test('the pages of the login and the console have policies of their own, without inline scripts', async () => {
  const { url } = await start();
  const html = { headers: { accept: 'text/html' } };
  for (const path of ['/_emulator/', '/oidc/device', '/oidc/auth?client_id=nobody', '/oidc/nothing']) {
    const response = await fetch(url + path, html);
    expect(response.headers.get('content-type'), path).toContain('text/html');
    const policy = response.headers.get('content-security-policy') ?? '';
    expect(policy, path).toMatch(/default-src 'none'; script-src '(self|none)'/);
    expect(policy, path).toContain("frame-ancestors 'none'");
    expect(policy, path).not.toMatch(/script-src[^;]*unsafe/);
    expect(response.headers.get('x-content-type-options'), path).toBe('nosniff');
    await response.body?.cancel();
  }
});

test('the page that types a code for its reader may run its one script', async () => {
  const { url } = await start();
  const page = await fetch(`${url}/oidc/device?user_code=ABCD-EFGH`, { headers: { accept: 'text/html' } });
  expect(await page.text()).toContain('<script>');
  expect(page.headers.get('content-security-policy')).toMatch(/script-src[^;]* 'sha256-[^']+'/);
});

test('making an answer inert replaces what it said of itself', () => {
  const headers = new Headers({ 'Content-Security-Policy': "default-src *; script-src 'unsafe-inline'" });
  makeInert(headers);
  expect(Object.fromEntries(headers)).toEqual(INERT_HEADERS);
});
