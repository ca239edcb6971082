import { expect, test } from 'vitest';
import { createTestClient } from '../../testing/client.harness.js';

const BODY = '{"input":"hello"}';
const sha256 = async (text: string) =>
  Buffer.from(await crypto.subtle.digest('SHA-256', Buffer.from(text))).toString('hex');

/** An emulator, an access to the daemon of its intern, and a proof of a request with that body. */
async function bench(options: Parameters<typeof createTestClient>[0] = {}) {
  const api = createTestClient({ clock: 'virtual', ...options });
  const { credentials, emulator } = api;
  const intern = `/interns/${credentials.intern?.id}`;
  const as = credentials.oauth_token;
  const { json: access } = await api.call('GET', `${intern}/daemon`, { as });
  const route = { method: 'POST', path: '/api/invoke' };
  const sign = async (body: object) => (await api.call('POST', `${intern}/daemon/sign`, { as, body })).json;
  const proof: Record<string, string> = await sign({ bodySha256: await sha256(BODY), route });
  const authorization = `Bearer ${access.token}`;
  const send = async (headers: Record<string, string>, body = BODY) => {
    const response = await emulator.daemon.fetch(`${access.origin}/api/invoke`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body,
    });
    await response.text();
    return { status: response.status, id: response.headers.get('x-request-id') ?? '' };
  };
  return { api, access, authorization, proof, send, sign };
}
type Bench = Awaited<ReturnType<typeof bench>>;

const stamped = (proof: Record<string, string>, change: (value: string) => string) =>
  Object.fromEntries(
    Object.entries(proof).map(([name, value]) => [name, /timestamp$/i.test(name) ? change(value) : value]),
  );

const REFUSED: Record<string, { requirement: string; send(bench: Bench): Promise<{ status: number; id: string }> }> = {
  token_invalid: {
    requirement: 'DAEMON-1',
    send: ({ api, proof, send }) => send({ authorization: `Bearer ${api.credentials.api_key}`, ...proof }),
  },
  proof_missing: { requirement: 'SIGN-1', send: ({ authorization, send }) => send({ authorization }) },
  proof_malformed: {
    requirement: 'SIGN-1',
    send: ({ authorization, proof, send }) => send({ authorization, ...stamped(proof, (value) => `${value}.5`) }),
  },
  proof_expired: {
    requirement: 'SIGN-7',
    async send({ api, authorization, proof, send }) {
      await api.emulator.clock.advance(61_000);
      return send({ authorization, ...proof });
    },
  },
  proof_from_future: {
    requirement: 'SIGN-7',
    send: ({ authorization, proof, send }) =>
      send({ authorization, ...stamped(proof, (value) => String(Number(value) + 60)) }),
  },
  bad_signature: {
    requirement: 'SIGN-4',
    send: ({ authorization, proof, send }) => send({ authorization, ...proof }, '{"input":"other"}'),
  },
  nonce_reused: {
    requirement: 'SIGN-7',
    async send({ authorization, proof, send }) {
      expect((await send({ authorization, ...proof })).status).toBe(200);
      return send({ authorization, ...proof });
    },
  },
};

test.each(Object.entries(REFUSED))('what a daemon refuses is explained: %s', async (reason, { requirement, send }) => {
  const at = await bench();
  const { status, id } = await send(at);
  expect(status).toBe(401);
  const { json } = await at.api.get(`/_emulator/journal/${id}/explain`);
  expect(json).toMatchObject({
    verdict: 'refused',
    summary: expect.stringMatching(new RegExp(`^daemon-request was refused: 401: ${reason}: `)),
    asked: { operation: 'daemon-request', url: `${at.access.origin}/api/invoke` },
    answered: { status: 401, reason },
    requirement: { id: requirement },
    page: 'docs/proofs.md#how-a-daemon-judges',
  });
  const entry = JSON.stringify((await at.api.get(`/_emulator/journal/${id}`)).json);
  for (const secret of [
    at.access.token,
    ...Object.values(at.proof).filter((value) => value.endsWith('==')),
    'emu-key-',
  ])
    expect(entry + JSON.stringify(json)).not.toContain(secret);
});

test('what to send next, once the body was read, is the signing of it: its proof is accepted', async () => {
  const at = await bench();
  const other = '{"input":"other"}';
  const { id } = await at.send({ authorization: at.authorization, ...at.proof }, other);
  const { next } = (await at.api.get(`/_emulator/journal/${id}/explain`)).json;
  expect(next.curl).toContain('/daemon/sign');
  expect(next.curl).toContain('$INTERN_OAUTH_TOKEN');
  const body = /--data-raw '(.*)'$/.exec(next.curl)?.[1] ?? '';
  const proof = await at.sign(JSON.parse(body));
  expect((await at.send({ authorization: at.authorization, ...proof }, other)).status).toBe(200);
});

test('accepted requests to daemons are not in the journal; refused ones are, by their operation', async () => {
  const at = await bench();
  await at.send({ authorization: at.authorization, ...at.proof });
  const refused = async () => (await at.api.get('/_emulator/journal?operation=daemon-request')).json.data;
  expect(await refused()).toEqual([]);
  await at.send({});
  expect(await refused()).toMatchObject([{ wrong: 'token_invalid: no bearer token was sent' }]);
});

test('a recording of the journal has no request to a daemon, whatever its path', async () => {
  const { api, access, authorization } = await bench();
  await api.delete('/_emulator/journal');
  await api.emulator.daemon.fetch(`${access.origin}/api/v1/interns`, { headers: { authorization } });
  expect((await api.get('/_emulator/journal')).json.data).toHaveLength(1);
  const file = await api.emulator.fetch('/_emulator/journal?format=recording');
  expect(await file.text()).toBe('');
});

test('a refusal is logged once, without a credential in its path', async () => {
  const lines: object[] = [];
  const { api, access, authorization } = await bench({ onRequest: (line) => lines.push(line) });
  lines.length = 0;
  const url = `${access.origin}/${api.credentials.api_key}`;
  await api.emulator.daemon.fetch(url, { headers: { authorization } });
  expect(lines).toMatchObject([{ status: 401, path: '/[redacted]', wrong: expect.stringMatching(/^proof_missing: /) }]);
});

test('a refusal of a daemon in a space is in the journal of the space', async () => {
  const { emulator } = createTestClient();
  // biome-ignore lint/suspicious/noExplicitAny: answers are read as JSON
  const json = async (response: Response): Promise<any> => response.json();
  const made = await json(await emulator.fetch('/_emulator/spaces', { method: 'POST', body: '{"name": "one"}' }));
  const { base_url, control_url, credentials, daemon_origin } = made.target;
  const intern = `${base_url}/interns/${credentials.intern.id}`;
  const headers = { authorization: `Bearer ${credentials.oauth_token}` };
  const { token } = await json(await emulator.fetch(`${intern}/daemon`, { headers }));
  await emulator.daemon.fetch(`${daemon_origin}/x`, { headers: { authorization: `Bearer ${token}` } });
  const { data } = await json(await emulator.fetch(`${control_url}/journal?operation=daemon-request`));
  expect(data).toMatchObject([{ intern_id: credentials.intern.id, request: { url: `${daemon_origin}/x` } }]);
});
