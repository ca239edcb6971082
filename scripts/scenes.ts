// The scenes of the pictures: an afternoon in the life of a few interns, on a virtual clock, the same each time.

import type { Emulator } from '../emulator/index.js';

const DEPLOY = {
  name: 'deploy',
  description: 'Asks before it touches production',
  turn: [
    { reason: 'The build is green. Production needs a permission.' },
    { say: 'All 212 tests pass on main. I can deploy 4.2.0 now. ', every: '20ms', chunks: 6 },
    {
      ask: { kind: 'permission', operation: 'shell', options: ['allow_once', 'allow_always', 'reject_once'] },
      as: 'ok',
    },
    // biome-ignore lint/suspicious/noThenProperty: the name of the branch in the script format
    { when: { ok: 'reject_once' }, then: [{ say: 'Left alone.' }, { end: 'stop' }] },
    { say: 'Deploying… ', every: '300ms', chunks: 3 },
    { wait: '4s' },
    { say: 'Done: 4.2.0 is live on all three hosts.' },
    { usage: { prompt_tokens: 412, completion_tokens: 58, total_tokens: 470 } },
  ],
};

const RELEASE_NOTES = {
  name: 'release-notes',
  turn: [
    { say: 'I have the 14 changes since 4.1.0. Before I write the notes:', every: '40ms', chunks: 5 },
    {
      ask: {
        kind: 'elicitation',
        message: 'How should the release notes read?',
        fields: [
          {
            name: 'audience',
            type: 'string',
            label: 'For whom',
            required: true,
            options: ['Customers', 'Operators', 'Both'],
          },
          { name: 'length', type: 'integer', label: 'Lines at most' },
          { name: 'links', type: 'boolean', label: 'Link each change to its issue' },
        ],
      },
    },
    { say: 'Thank you.' },
  ],
};

const LONG = {
  name: 'long-report',
  turn: [{ say: 'Reading the logs of the last week, host by host.', every: '500ms', chunks: 8 }, { end: 'never' }],
};

export interface Scenes {
  asking: string;
  /** Ids of requests: a stream, and one that was refused. */
  stream: string;
  refused: string;
}

/** Plays them on an emulator with a virtual clock. */
export async function playScenes(emulator: Emulator): Promise<Scenes> {
  const { base_url: base, credentials, workspace_id } = emulator.target;
  const tick = (ms: number) => emulator.clock.advance(ms);
  const send = async (method: string, path: string, body?: unknown, id?: string, signal?: AbortSignal) =>
    emulator.fetch(path.startsWith('/_') ? new URL(path, base) : base + path, {
      method,
      headers: {
        authorization: `Bearer ${credentials.api_key}`,
        ...(id === undefined ? {} : { 'x-request-id': id }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      ...(signal ? { signal } : {}),
    });
  const create = async (name: string, description: string, more: object = {}) =>
    ((await (await send('POST', '/interns', { name, description, workspace_id, ...more })).json()) as { id: string })
      .id;

  for (const script of [DEPLOY, RELEASE_NOTES, LONG]) await send('PUT', `/_emulator/scripts/${script.name}`, script);
  await create('draft-writer', 'Writes first drafts of everything');
  const old = await create('archivist', 'Keeps what nobody else keeps', {
    provision: true,
    instructions: 'script: teardown-fails',
  });
  const asking = await create('release-bot', 'Ships the web app, asks before production', { provision: true });
  await tick(2_000);
  await send('DELETE', `/interns/${old}`);
  await tick(61_000);

  const chat = `/interns/${asking}/chat/completions`;
  const say = (content: string, more: object = {}) => ({
    stream: true,
    approval_mode: 'manual',
    messages: [{ role: 'user', content }],
    ...more,
  });
  /** Reads a stream to its end while the clock moves. */
  const finish = async (response: Response, steps = 12) => {
    const text = response.text();
    for (let step = 0; step < steps; step++) await tick(500);
    return text;
  };

  await send('POST', `/interns/${asking}/invoke`, { input: 'script: deploy\nTidy up the staging hosts' });
  await tick(9_000);
  await send('GET', '/interns');
  const asked = await finish(
    await send('POST', chat, say('script: deploy\nShip 4.2.0 to production, please.'), 'req-deploy'),
  );
  const session = /"session_id":"([^"]+)"/.exec(asked)?.[1] ?? '';
  const question = /"id":"([^"]+)","type":"function"/.exec(asked)?.[1] ?? '';
  await tick(21_000);
  await finish(
    await send(
      'POST',
      chat,
      {
        stream: true,
        session_id: session,
        messages: [{ role: 'tool', tool_call_id: question, content: 'allow_once' }],
      },
      'req-allow',
    ),
  );
  await tick(40_000);

  const leave = new AbortController();
  const stream = await send(
    'POST',
    chat,
    say('script: long-report\nAnything odd in the logs of last week?'),
    'req-report',
    leave.signal,
  );
  const reading = stream.text().catch(() => '');
  await tick(1_500);
  await send(
    'POST',
    chat,
    say('Only the hosts in Frankfurt.', { session_id: await sessionOf(emulator, asking) }),
    'req-steer',
  );
  await send('POST', chat, say('Are you there?'), 'req-busy');
  await tick(1_000);
  leave.abort();
  await reading;
  await tick(30_000);
  await send('POST', '/interns', { name: 'Release Bot', workspace_id }, 'req-bad-name');
  await send('GET', `/interns/${asking}`);
  await send('GET', `/interns/${asking}/daemon`);

  await finish(
    await send('POST', chat, say('script: release-notes\nWrite the release notes for 4.2.0.'), 'req-notes'),
    1,
  );
  await create('nightly-report', 'Sums up each day at midnight', { provision: true });
  await tick(600);
  return { asking, stream: 'req-deploy', refused: 'req-busy' };
}

async function sessionOf(emulator: Emulator, intern: string): Promise<string> {
  const runs = await emulator.fetch(new URL(`/_emulator/runs?intern_id=${intern}`, emulator.target.base_url));
  const { data } = (await runs.json()) as { data: { session_id: string; status: string }[] };
  return data.find(({ status }) => status === 'running')?.session_id ?? '';
}
