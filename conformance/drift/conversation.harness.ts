import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import type { Emulator } from '../../emulator/index.js';
import { createAliases } from '../../emulator/recording/aliases.js';
import { toRecorded } from '../../emulator/recording/exchange.js';
import { SCENARIO_HEADER } from '../../emulator/recording/format.js';
import { namedCredentials } from '../../emulator/recording/record.js';

/** The parts of an emulator that a conversation needs. It may be an emulator with a fault. */
export type Spoken = Pick<Emulator, 'fetch' | 'clock' | 'target'>;

/** A recorder in the same process: what the proxy writes, without its sockets. Times are those of the emulator's clock. */
export function recorderOf(emulator: Spoken) {
  const { credentials } = emulator.target;
  const { intern, ...named } = credentials;
  const env = Object.fromEntries(
    Object.entries({ ...named, own_key: intern?.api_key }).map(([name, value]) => [
      `INTERN_${name.toUpperCase()}`,
      value,
    ]),
  );
  const aliases = createAliases(namedCredentials(env));
  const lines: string[] = [];
  const began = emulator.clock.now();
  let n = 0;
  let ticks = 0;
  // The virtual clock stands still between requests: added microseconds keep the order.
  const now = () => emulator.clock.now() - began + ++ticks / 1_000;
  const call = async (
    method: string,
    path: string,
    { body, key = 'api_key', headers = {}, leaveAfter, during, leaveAfterDuring }: CallOptions = {},
  ): Promise<Answered> => {
    const mine = ++n;
    const at = now();
    const leave = new AbortController();
    const text = body === undefined ? '' : typeof body === 'string' ? body : JSON.stringify(body);
    const bearer = key === 'own_key' ? intern?.api_key : (named as Record<string, string | undefined>)[key];
    const requestHeaders = { authorization: `Bearer ${bearer ?? key}`, 'content-type': 'application/json', ...headers };
    const response = await emulator.fetch(`${emulator.target.base_url}${path}`, {
      method,
      headers: requestHeaders,
      signal: leave.signal,
      ...(text === '' ? {} : { body: text }),
    });
    const writes: { at: number; bytes: Uint8Array }[] = [];
    let ended: 'complete' | 'client' | 'broken' = 'complete';
    const acting = during?.();
    if (leaveAfterDuring) void acting?.then(() => leave.abort());
    try {
      for await (const bytes of response.body ?? []) {
        writes.push({ at: now() - at, bytes });
        if (writes.length === leaveAfter) leave.abort();
      }
    } catch {
      ended = leave.signal.aborted ? 'client' : 'broken';
    }
    const raw = {
      n: mine,
      scenario: requestHeaders[SCENARIO_HEADER as keyof typeof requestHeaders] ?? null,
      at,
      method,
      path: `/api/v1${path}`,
      requestHeaders,
      requestBody: Buffer.from(text),
      status: response.status,
      headers: Object.fromEntries(response.headers),
      writes,
      ended,
    };
    lines.push(JSON.stringify(await toRecorded(aliases, raw, 67_108_864)));
    await acting;
    const said = Buffer.concat(writes.map((write) => write.bytes)).toString();
    return { status: response.status, text: said, json: () => parsed(said) };
  };
  return { call, lines, write: (file: string) => writeFileSync(file, lines.map((line) => `${line}\n`).join('')) };
}

interface CallOptions {
  body?: unknown;
  /** A credential of the target by its name, or a bearer token. */
  key?: string;
  headers?: Record<string, string>;
  /** The client leaves after so many writes. */
  leaveAfter?: number;
  /** The events while the answer streams. */
  during?: () => Promise<unknown>;
  /** Whether the client leaves after these events. */
  leaveAfterDuring?: boolean;
}

interface Answered {
  status: number;
  text: string;
  // biome-ignore lint/suspicious/noExplicitAny: bodies of many shapes, read by a test
  json(): any;
}

// biome-ignore lint/suspicious/noExplicitAny: bodies of many shapes, read by a test
function parsed(text: string): any {
  try {
    return JSON.parse(text) ?? {};
  } catch {
    return {};
  }
}

const lastOf = (text: string, pattern: RegExp) => [...text.matchAll(pattern)].at(-1)?.[1] ?? '';

type CallOf = ReturnType<typeof recorderOf>['call'];

/** The operations on secrets, of the workspace and of an intern. */
async function secrets(call: CallOf, intern: string): Promise<void> {
  const own = `/vault/interns/${intern}/secrets`;
  const secret = (value: string) => ({ body: { value, hosts: ['API.Example.com.', 'b.example.com'] } });
  await call('PUT', '/vault/secrets/recorded_token', secret('a value that is recorded nowhere'));
  await call('PUT', `${own}/recorded_token`, secret('another value of nowhere'));
  await call('PUT', `${own}/Recorded`, secret('a value of a wrong name'));
  await call('PUT', `${own}/recorded_token`, { body: { value: 'of a wrong host', hosts: ['https://a.test'] } });
  await call('POST', `${own}/copy`, { body: { names: ['recorded_token'] } });
  await call('POST', `${own}/copy`, { body: { names: ['no_such_secret'] } });
  await call('GET', own);
  await call('GET', `${own}?limit=0`);
  await call('DELETE', `${own}/recorded_token`);
  await call('DELETE', `${own}/recorded_token`);
  await call('DELETE', '/vault/secrets/recorded_token');
}

/** The operations on the directory of the organization. */
async function directory(call: CallOf, { workspace_id }: { workspace_id: string }): Promise<void> {
  const key = 'management_key';
  const groups = (await call('GET', '/scim/groups', { key })).json().data as { id: string }[];
  const body = { scim_group_id: groups.at(-1)?.id, workspace_id, role: 'member' };
  const { id } = (await call('POST', '/scim/group-mappings', { key, body })).json().data;
  await call('POST', '/scim/group-mappings', { key, body: { ...body, role: 'admin' } });
  await call('PATCH', `/scim/group-mappings/${id}`, { key, body: { role: 'admin' } });
  await call('GET', '/scim/group-mappings', { key });
  await call('DELETE', `/scim/group-mappings/${id}`, { key });
  await call('DELETE', `/scim/group-mappings/${id}?keep_members=true`, { key });
  const job = (await call('POST', '/scim/sync-jobs', { key })).json().data.id;
  await call('GET', `/scim/sync-jobs/${job}`, { key });
}

/** A recording with everything that a recording can show. Drift is tested with it. */
export async function conversation(emulator: Spoken, recorder = recorderOf(emulator)) {
  const { call } = recorder;
  const { workspace_id, credentials, scim_mapping_id } = emulator.target;
  const first = credentials.intern?.id ?? '';
  const advance = (ms: number) => emulator.clock.advance(ms);
  const create = { name: 'made-here', workspace_id, description: 'one' };
  const idempotent = { 'idempotency-key': 'key-00000001' };
  const made = (await call('POST', '/interns', { body: create, headers: idempotent })).json().id as string;
  await call('POST', '/interns', { body: create, headers: idempotent });
  await call('POST', '/interns', { body: { ...create, description: 'two' }, headers: idempotent });
  await call('POST', '/interns', { body: { name: 'X', workspace_id } });
  await call('GET', '/interns?limit=1');
  await call('GET', '/interns?status=nope');
  await call('PATCH', `/interns/${made}`, { body: { description: 'other' } });
  await call('GET', `/interns/${made}`);
  await call('POST', `/interns/${made}/suspend`);
  await call('POST', `/interns/${made}/chat/completions`, {
    body: { stream: true, messages: [{ role: 'user', content: 'too early' }] },
  });
  await call('POST', `/interns/${made}/provision`);
  await call('GET', `/interns/${made}`);
  await advance(2_000);
  await call('GET', `/interns/${made}`);
  const chat = (id: string, more: object, options: CallOptions = {}) =>
    call('POST', `/interns/${id}/chat/completions`, { body: { stream: true, ...more }, ...options });
  const prompt = (content: string) => ({ messages: [{ role: 'user', content }] });
  await chat(made, prompt('Hello'));
  const asked = await chat(made, { ...prompt('script: ask-permission'), approval_mode: 'manual' });
  const session_id = lastOf(asked.text, /"session_id":"([^"]+)"/g);
  const tool_call_id = lastOf(asked.text, /"tool_calls":\[\{"index":0,"id":"([^"]+)"/g);
  const reply = (content: string) => ({ session_id, messages: [{ role: 'tool', tool_call_id, content }] });
  await chat(made, reply('whatever'));
  await chat(made, { session_id, ...prompt('steered in') });
  await chat(made, reply('allow_once'));
  await chat(made, reply('allow_once'));
  for (const script of ['ask-question', 'cancelled', 'severed', 'fails', 'refuses', 'unreachable', 'no-usage']) {
    await chat(made, prompt(`script: ${script}`));
  }
  await chat(made, prompt('script: silent'), { leaveAfter: 1 });
  await chat(made, { messages: [] });
  const invoked = (await call('POST', `/interns/${made}/invoke`, { body: { input: 'script: never-ends' } })).json();
  await call('POST', `/interns/${made}/invoke`, { body: { input: 'more', session_id: invoked.session_id } });
  await call('POST', `/interns/${made}/invoke`, { body: { input: 'more', session_id: 'session-of-nobody' } });
  const bodySha256 = createHash('sha256').update('{}').digest('hex');
  const route = { method: 'POST', path: '/api/invoke' };
  await call('GET', `/interns/${made}/daemon`, { key: 'oauth_token' });
  await call('GET', `/interns/${made}/daemon`);
  await call('GET', `/interns/${made}/daemon-access`, { key: 'oauth_token' });
  await call('POST', `/interns/${made}/daemon/sign`, { body: { bodySha256, route }, key: 'oauth_token' });
  await call('POST', `/interns/${made}/daemon/sign`, { body: { bodySha256 }, key: 'oauth_token' });
  await call('POST', `/interns/${made}/daemon/sign`, { body: { bodySha256: 'X' }, key: 'oauth_token' });
  await call('POST', `/interns/${made}/daemon/sign`, { body: { bodySha256 }, key: 'oauth_interns_only_token' });
  await call('GET', `/scim/group-mappings/${scim_mapping_id}`, { key: 'management_key' });
  await call('GET', `/scim/group-mappings/${scim_mapping_id}`);
  await secrets(call, made);
  await directory(call, emulator.target);
  await call('GET', '/interns', { key: 'no-key-of-anybody' });
  await call('GET', '/interns', { key: 'outsider_api_key' });
  await call('GET', `/interns/${first}`, { key: 'own_key' });
  await call('GET', '/interns', { key: 'own_key' });
  await chat(made, prompt('script: never-ends'), { during: () => call('POST', `/interns/${made}/suspend`) });
  await call('GET', `/interns/${made}`);
  await call('DELETE', `/interns/${made}`, { body: { acknowledge_workspace_loss: 'yes' } });
  await call('DELETE', `/interns/${made}`);
  await call('GET', `/interns/${made}`);
  await advance(2_000);
  await call('GET', `/interns/${made}`);
  return recorder;
}
