// The cost of a store, in a process of its own. First argument: what to do; second: the store's file, or `-` for memory;
// third: how many interns. Prints one line of JSON.
import { createEmulator } from '../../dist/emulator/index.js';

const [, , what, file, count] = process.argv;
const MEMORY = '-';
const begun = performance.now();
const emulator = createEmulator({ seed: 'bench', ...(file === MEMORY ? {} : { data: file }) });
const opened = performance.now() - begun;
const { base_url, workspace_id, credentials } = emulator.target;
const headers = { authorization: `Bearer ${credentials.api_key}`, 'content-type': 'application/json' };

/** 17 characters at most, all different. */
const nameOf = (number) => `i${number.toString(36)}`;

async function create(number) {
  const body = JSON.stringify({ name: nameOf(number), workspace_id, instructions: 'script: echo' });
  const response = await emulator.fetch(`${base_url}/interns`, { method: 'POST', headers, body });
  if (response.status !== 201) throw new Error(`create ${number}: ${response.status} ${await response.text()}`);
}

/** One after another: how long each took, in ms. */
async function inTurn() {
  const times = [];
  for (let number = 1; number <= Number(count); number++) {
    const before = performance.now();
    await create(number);
    times.push(performance.now() - before);
  }
  return { times };
}

/** 32 at a time: creates per second. */
async function together() {
  const before = performance.now();
  let number = 0;
  const worker = async () => {
    while (number < Number(count)) await create(++number);
  };
  await Promise.all(Array.from({ length: 32 }, worker));
  return { rate: (Number(count) / (performance.now() - before)) * 1000 };
}

const did = what === 'in-turn' ? await inTurn() : what === 'together' ? await together() : {};
const rss = process.memoryUsage.rss();
console.log(JSON.stringify({ opened, rss, ...did }));
await emulator.close();
