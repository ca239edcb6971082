// 10,000 runs that wait on questions, and the clock advanced by an hour: how long that takes, and how the runs ended.
import { createEmulator } from '../dist/emulator/index.js';
import { report } from './lib.js';

const RUNS = 10_000;
const PER_INTERN = 50;

const emulator = createEmulator({ clock: 'virtual', settings: { turns_per_minute: 0 } });
const { base_url, control_url, workspace_id, credentials } = emulator.target;
const headers = { authorization: `Bearer ${credentials.api_key}`, 'content-type': 'application/json' };
const post = (url: string, body: unknown) =>
  emulator.fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });

const ids: string[] = [];
for (let i = 0; i < RUNS / PER_INTERN; i++) {
  const made = await post(`${base_url}/interns`, { name: `d-${i}`, workspace_id, provision: true });
  ids.push(((await made.json()) as { id: string }).id);
}
await emulator.clock.advance(10_000);
for (const id of ids) {
  for (let i = 0; i < PER_INTERN; i++) {
    const reply = await post(`${base_url}/interns/${id}/chat/completions`, {
      stream: true,
      messages: [{ role: 'user', content: 'script: ask-question' }],
    });
    await reply.text();
    // So that the deadlines are as many instants as there are runs.
    await emulator.clock.advance(1);
  }
}
const runs = async () =>
  ((await (await emulator.fetch(`${control_url}/runs`)).json()) as { data: { status: string; ended?: string }[] }).data;
const waiting = (await runs()).filter((run) => run.status === 'waiting').length;

const began = performance.now();
await emulator.clock.advance(3_600_000);
const took = performance.now() - began;

const ended = (await runs()).filter((run) => run.ended === 'deadline').length;
report(
  `${waiting} waiting runs, an hour`,
  `${(took / 1_000).toFixed(2)} s`,
  '≤ 2 s',
  took <= 2_000 && waiting === RUNS,
);
report('ended by their deadline', `${ended} of ${RUNS}`, 'all', ended === RUNS);
await emulator.close();
