import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { createEmulator, type Emulator } from '../../emulator/index.js';
import { readRecording } from '../../emulator/recording/read.js';
import { folderOfFile } from '../../test/folders.js';
import { connect } from '../drivers/connect.js';
import { createVirtualHost } from '../drivers/virtual-host.js';
import { createIdleHost } from '../mutants/idle-host.js';
import type { Fetch } from '../probe/client.js';
import { REPORT_KINDS, REPORTERS } from '../report/index.js';
import { type Report, reportOf } from '../report/json.js';
import { conversation, recorderOf } from './conversation.harness.js';
import { drift } from './drift.js';

const folder = folderOfFile('drift-');
let file: string;
beforeAll(async () => {
  file = join(folder, 'recording.jsonl');
  const emulator = createEmulator({ clock: 'virtual', seed: 'recorded' });
  (await conversation(emulator)).write(file);
  await emulator.close();
});

/** Drift of a fresh emulator whose answers go through `change`, or of a deployment; in time that nobody waits for. */
async function driftOf(
  change: (request: Request, send: Fetch) => ReturnType<Fetch> = (request, send) => send(request),
  control = true,
  recording = file,
) {
  const emulator = createEmulator({ clock: 'virtual', seed: 'live', settings: { turns_per_minute: 0 }, log: () => {} });
  const over = new AbortController();
  const idle = createIdleHost();
  const machine = createVirtualHost(emulator.clock, 'drift', emulator.clock.now());
  const host = control ? idle : machine.host;
  const lives = control ? undefined : machine.live(over.signal);
  const send: Fetch = (request) => {
    machine.stir();
    return emulator.fetch(request);
  };
  const { credentials, workspace_id, scim_mapping_id } = emulator.target;
  const { intern, ...named } = credentials;
  const { driver } = await connect({
    settings: {
      url: emulator.target.base_url,
      fetch: idle.watched(async (request) =>
        request.url.includes('/_emulator') ? send(request) : change(request, send),
      ),
      daemonFetch: (request) => emulator.daemon.fetch(request),
      control,
      ...(control
        ? {}
        : {
            credentials: { ...named, own_key: intern?.api_key } as never,
            workspaceId: workspace_id,
            facts: { scimMappingId: scim_mapping_id, ownInternId: intern?.id } as never,
          }),
    },
    host,
    tag: 'drft',
    look: true,
  });
  try {
    const results = await drift({
      driver,
      host,
      exchanges: readRecording(recording, () => {}),
      timeout: 30_000,
      bootTimeout: 60_000,
      signal: new AbortController().signal,
      command: 'drift',
    });
    return reportOf(results);
  } finally {
    over.abort();
    await lives;
    await emulator.close();
  }
}

/** A recording of what `act` does with an emulator. */
async function recordingOf(
  name: string,
  act: (recorder: ReturnType<typeof recorderOf>, emulator: Emulator) => Promise<unknown>,
): Promise<string> {
  const emulator = createEmulator({ clock: 'virtual', seed: 'recorded' });
  const recorder = recorderOf(emulator);
  await act(recorder, emulator);
  const path = join(folder, `${name}.jsonl`);
  recorder.write(path);
  await emulator.close();
  return path;
}

const prompt = (content: string, more: object = {}) => ({
  body: { stream: true, messages: [{ role: 'user', content }], ...more },
});

const notPassed = ({ checks }: Report) =>
  checks
    .filter(({ verdict }) => verdict !== 'pass')
    .map(({ id, verdict, finding, skip, error }) => ({
      id,
      verdict,
      what: finding?.what,
      expected: finding?.expected,
      actual: finding?.actual,
      skip: skip?.why,
      error: error?.message,
    }));

type Change = (response: Response, request: Request) => Response | Promise<Response>;

/** A change to the text of a stream. */
const stream =
  (change: (text: string) => string): Change =>
  async (response) =>
    response.headers.get('content-type')?.includes('event-stream')
      ? new Response(change(await response.text()), response)
      : response;

const json = (change: (body: Record<string, unknown>) => unknown) => async (response: Response) => {
  if (!response.headers.get('content-type')?.includes('json')) return response;
  return new Response(JSON.stringify(change((await response.json()) as Record<string, unknown>)), response);
};

const OTHER_TYPE = json((body) => ('created_at' in body ? { ...body, created_at: 5 } : body));

describe('a recording of the emulator itself', () => {
  test('shows no drift, and holds no credential', async () => {
    const results = await driftOf();
    expect(notPassed(results)).toEqual([]);
    expect(results).toMatchObject({ verdict: 'pass', exit: 0 });
    expect(results.checks.length).toBeGreaterThan(45);
    expect(readFileSync(file, 'utf8')).not.toMatch(/emu-(key|oauth|mgmt)/);
  });

  test('shows none in names of the run’s own, which sort otherwise, and in a mapping that is unknown', async () => {
    const recording = await recordingOf('names', async ({ call }, { target }) => {
      const secret = (value: string) => ({ body: { value, hosts: ['a.example.com'] } });
      const body = { name: 'clerk', workspace_id: target.workspace_id };
      const { id } = (await call('POST', '/interns', { body })).json();
      await call('PUT', '/vault/secrets/zz_the_last_one', secret('a value of its own'));
      await call('GET', '/vault/secrets');
      await call('PUT', `/vault/interns/${id}/secrets/cc`, secret('another value'));
      await call('POST', `/vault/interns/${id}/secrets/copy`, { body: { names: ['zz_the_last_one'] } });
      await call('GET', `/vault/interns/${id}/secrets`);
      const management = { key: 'management_key' } as const;
      const mapping = '/scim/group-mappings';
      expect((await call('GET', `${mapping}/0c000000-0000-4000-8000-00000000ffff`, management)).status).toBe(404);
      await call('GET', mapping, management);
    });
    expect(notPassed(await driftOf(undefined, true, recording))).toEqual([]);
  });

  test('shows none in the order of secrets, hosts, options and mappings; but in what they are, and in the order of interns', async () => {
    const recording = await recordingOf('orders', async ({ call }, { target }) => {
      const path = `/interns/${target.credentials.intern?.id}`;
      for (const [name, ...hosts] of [
        ['aa', 'a.example.com', 'b.example.com'],
        ['bb', 'c.example.com'],
      ])
        await call('PUT', `/vault${path}/secrets/${name}`, { body: { value: `a value for ${name}`, hosts } });
      await call('GET', `/vault${path}/secrets`);
      await call('GET', '/scim/group-mappings', { key: 'management_key' });
      await call('GET', '/scim/group-mappings', { key: 'management_key' });
      for (const name of ['one', 'two'])
        await call('POST', '/interns', { body: { name, workspace_id: target.workspace_id } });
      await call('GET', '/interns');
    });
    const turned = (value: unknown): unknown => {
      if (Array.isArray(value)) return value.map(turned).reverse();
      if (typeof value !== 'object' || value === null) return value;
      return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, turned(one)]));
    };
    const found = async (of: RegExp, change: (body: unknown) => unknown) => {
      const passed = async (request: Request, send: Fetch) => {
        const answer = await send(request);
        return of.test(request.url) && request.method === 'GET' ? json(change)(answer) : answer;
      };
      return notPassed(await driftOf(passed, true, recording)).map(({ what }) => what);
    };
    expect(await found(/vault|scim/, turned)).toEqual([]);
    expect(await found(/interns$/, turned)).toEqual(['order of body.data']);
    const other = (body: unknown) => JSON.parse(JSON.stringify(body).replaceAll('c.example', 'd.example'));
    expect(await found(/vault/, other)).toEqual([expect.stringMatching(/^body\.data\[\d\]\.hosts$/)]);
  });

  test('shows none where a journal has one value in two vaults, of which one is copied over the other', async () => {
    const emulator = createEmulator({ clock: 'virtual', seed: 'journal', quiet: true });
    const { call } = recorderOf(emulator);
    const body = { name: 'clerk', workspace_id: emulator.target.workspace_id };
    const { id } = (await call('POST', '/interns', { body })).json();
    const secret = { body: { value: 'a value of its own', hosts: ['a.example.com'] } };
    for (const path of ['/vault/secrets/one_of_them', `/vault/interns/${id}/secrets/one_of_them`])
      await call('PUT', path, secret);
    await call('POST', `/vault/interns/${id}/secrets/copy`, { body: { names: ['one_of_them'] } });
    await call('GET', `/vault/interns/${id}/secrets`);
    const journal = await (await emulator.fetch('/_emulator/journal?format=recording')).text();
    await emulator.close();
    const path = join(folder, 'journal.jsonl');
    writeFileSync(path, journal);
    expect(notPassed(await driftOf(undefined, true, path))).toEqual([]);
  });

  /** Changes that a recording shows as drift, and what it is called. No two of a group are made to one answer. */
  const DRIFT: readonly (readonly [change: Change, what: string])[][] = [
    [
      [
        ({ status, body, headers }, { method }) =>
          new Response(body, { status: status === 202 && method === 'DELETE' ? 200 : status, headers }),
        'delete status',
      ],
      [
        json((body) => JSON.parse(JSON.stringify(body).replace('invalid_body', 'invalid'))),
        'create body.error.metadata.reason',
      ],
      [json(({ vault_id: _vault, ...rest }) => rest), 'create body.vault_id'],
      [
        (response) => {
          response.headers.delete('cache-control');
          return response;
        },
        'daemon header cache-control',
      ],
      [
        json((body) => JSON.parse(JSON.stringify(body).replaceAll('api.example.com', 'API.Example.com.'))),
        'vault-store body.data.hosts',
      ],
    ],
    [
      [json((body) => ('description' in body ? { ...body, description: 'one' } : body)), 'update body.description'],
      [stream((text) => text.replaceAll('.provide_input"', '.ask"')), 'chat question'],
    ],
    [[stream((text) => text.replaceAll(/data: [^\n]*"choices":\[\][^\n]*\n\n/g, '')), 'chat events of the stream']],
  ];
  test.each(DRIFT)('shows drift in each thing that answers otherwise: %#', async (...changes) => {
    const results = await driftOf(async (request, send) => {
      let answer = await send(request);
      for (const [change] of changes) answer = await change(answer, request);
      return answer;
    });
    expect(results).toMatchObject({ verdict: 'fail', exit: 1 });
    const found = results.checks.filter(({ verdict }) => verdict === 'fail');
    const words = found.map(({ id, finding }) => `${id} ${finding?.what}`).join('\n');
    for (const [, what] of changes) expect(words).toContain(`-${what}`);
  });

  test('shows drift in a type; every reporter tells of it, and of no seed', async () => {
    const results = await driftOf(async (request, send) => OTHER_TYPE(await send(request)));
    expect(results).toMatchObject({ verdict: 'fail', exit: 1 });
    // A badge has room for a verdict alone.
    for (const kind of REPORT_KINDS.filter((one) => one !== 'badge'))
      expect(REPORTERS[kind](results), kind).toContain('type of body.created_at');
    expect(REPORTERS.tty(results)).toContain('REC-3');
    expect(REPORTERS.tty(results)).toContain('is answered as it was recorded');
    expect(REPORTERS.tty(results)).not.toContain('seed');
  });

  test('a further key is a warning', async () => {
    const results = await driftOf(async (request, send) =>
      json((body) => ({ ...body, further: 1 }))(await send(request)),
    );
    expect(results.exit).toBe(0);
    expect(results.counts.fail).toBe(0);
    expect(results.counts.warn).toBeGreaterThan(10);
  });

  test('a deployment whose intern does something else is no drift', async () => {
    const results = await driftOf(async (request, send) => {
      if (!request.url.endsWith('/chat/completions')) return send(request);
      const body = (await request.clone().json()) as { messages: { role: string; content: string }[] };
      const last = body.messages?.at(-1);
      if (last?.role !== 'user') return send(request);
      last.content = 'I would rather talk';
      return send(new Request(request, { body: JSON.stringify(body) }));
    }, false);
    const wrong = notPassed(results).filter(({ verdict }) => verdict !== 'skip');
    expect(wrong).toEqual([]);
    expect(results.counts.skip).toBeGreaterThan(3);
  });
});

describe('requests overlap as recorded', () => {
  test.each([
    ['a stream that goes on', 'slow', {}],
    ['one whose client leaves', 'silent', { leaveWhenDone: true }],
  ])(
    '%s: a prompt is steered into it, another finds the intern busy',
    async (_what, script, { leaveWhenDone }: { leaveWhenDone?: boolean }) => {
      const recording = await recordingOf(script, async ({ call }, { clock, target }) => {
        const path = `/interns/${target.credentials.intern?.id}/chat/completions`;
        const during = async () => {
          await clock.advance(1_200);
          const steered = await call('POST', path, prompt('left', { session_id: 'session-1' }));
          const busy = await call('POST', path, prompt('other'));
          expect([steered.status, busy.status]).toEqual([202, 409]);
          await clock.advance(10_000);
        };
        await call('POST', path, {
          ...prompt(`script: ${script}`, { session_id: 'session-1' }),
          during,
          ...(leaveWhenDone && { leaveAfterDuring: true }),
        });
        expect((await call('POST', path, prompt('again'))).status).toBe(200);
      });
      const results = await driftOf(undefined, true, recording);
      expect(notPassed(results)).toEqual([]);
      expect(results.checks).toHaveLength(4);
    },
  );
});

describe('what the recording rests on but did not make', () => {
  const workspaceOfSix = async ({ call }: ReturnType<typeof recorderOf>, { fetch, target, clock }: Emulator) => {
    const headers = { authorization: `Bearer ${target.credentials.api_key}`, 'content-type': 'application/json' };
    for (const name of ['one', 'two', 'three', 'four', 'five']) {
      const body = { name, workspace_id: target.workspace_id, provision: name === 'two' };
      await fetch(`${target.base_url}/interns`, { method: 'POST', headers, body: JSON.stringify(body) });
    }
    await clock.advance(2_000);
    let cursor = '';
    for (let page = 0; page < 3; page++) {
      const { next_cursor } = (await call('GET', `/interns?limit=2${cursor}`)).json();
      cursor = `&starting_after=${next_cursor}`;
    }
    const two = (await call('GET', '/interns?status=running&limit=1')).json().data[0];
    expect((await call('POST', `/interns/${two.id}/suspend`)).status).toBe(200);
    expect((await call('GET', `/interns/${two.id}`)).json().name).toBe('two');
  };

  test('is made first for an emulator', async () => {
    const recording = await recordingOf('six', workspaceOfSix);
    const results = await driftOf(undefined, true, recording);
    expect(notPassed(results)).toEqual([]);
    expect(results.checks).toHaveLength(6);
    expect(results.cleanup).toMatchObject({ created: 5, deleted: 5 });
  });

  test('is missing on a deployment: what rests on it is a skip, and nobody else’s name a finding', async () => {
    const recording = await recordingOf('six-live', workspaceOfSix);
    const results = await driftOf(undefined, false, recording);
    expect(notPassed(results).map(({ verdict, skip }) => [verdict, skip])).toEqual([
      ['skip', 'the target has fewer interns than the workspace that was recorded'],
      ['skip', expect.stringMatching(/^it rests on \$cursor\.1/)],
      ['skip', expect.stringMatching(/^it rests on \$cursor\.2/)],
    ]);
  });

  test('is in the status that it was in', async () => {
    const recording = await recordingOf('statuses', async ({ call }, { fetch, target, clock }) => {
      const headers = { authorization: `Bearer ${target.credentials.api_key}`, 'content-type': 'application/json' };
      const send = (method: string, path: string, body?: unknown) =>
        fetch(`${target.base_url}${path}`, {
          method,
          headers,
          ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        });
      const made = async (name: string, script: string) => {
        const body = { name, workspace_id: target.workspace_id, instructions: `script: ${script}` };
        return ((await (await send('POST', '/interns', body)).json()) as { id: string }).id;
      };
      const failing = await made('failing', 'boot-fails');
      await send('POST', `/interns/${failing}/provision`);
      const kept = await made('kept', 'teardown-fails');
      await send('DELETE', `/interns/${kept}`);
      await clock.advance(10_000);
      const listed = (await call('GET', '/interns')).json().data;
      expect(listed.map(({ status }: { status: string }) => status)).toEqual(['destroy_failed', 'failed', 'running']);
      await call('GET', `/interns/${failing}`);
      await call('GET', '/interns?status=destroy_failed');
    });
    const results = await driftOf(undefined, true, recording);
    expect(notPassed(results)).toEqual([]);
    expect(results.cleanup).toMatchObject({ created: 2, deleted: 2 });
  });

  test('a cursor from before the recording is a skip', async () => {
    const recording = await recordingOf('cursor', async ({ call }, { fetch, target }) => {
      const headers = { authorization: `Bearer ${target.credentials.api_key}`, 'content-type': 'application/json' };
      const body = JSON.stringify({ name: 'one', workspace_id: target.workspace_id });
      await fetch(`${target.base_url}/interns`, { method: 'POST', headers, body });
      const first = await fetch(`${target.base_url}/interns?limit=1`, { headers });
      const { next_cursor } = (await first.json()) as { next_cursor: string };
      await call('GET', `/interns?limit=1&starting_after=${next_cursor}`);
      await call('GET', '/interns?limit=1&starting_after=not-a-cursor');
    });
    expect(notPassed(await driftOf(undefined, true, recording))).toEqual([
      expect.objectContaining({
        verdict: 'skip',
        skip: 'it rests on $cursor.1, which no answer of the recording gave',
      }),
    ]);
  });
});
