import { createHash } from 'node:crypto';
import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import fc from 'fast-check';
import openapi from '../../schemas/openapi.json' with { type: 'json' };
import { controlCalls } from '../control-calls.js';
import { checkChild, checkLively, whileItLives } from './child.js';
import { checkHealth, type RunningEmulator, startEmulator } from './emulator.js';
import type { Subject, Target } from './fuzz.js';
import { Broken } from './law.js';
import { type RawRequest, rawRequest } from './raw-request.js';
import { walkIn } from './walk.js';

/** The limit of an emulator that holds what its bounds allow: its journal, its runs, one request of each kind. */
const MOST_MB = 700;
/** How long a connection is listened to: later bytes are ignored. */
const LISTEN_MS = 60;

interface Sent {
  readonly requests: readonly RawRequest[];
  /** After how many bytes the rest waits for a moment; 0 sends all at once. */
  readonly cut: number;
  /** The seed of a walk that goes on meanwhile. */
  readonly walk: number | undefined;
}

/** Sends bytes over a connection of its own, and reads what comes for a moment. */
async function exchange(port: number, bytes: string, cut: number): Promise<string> {
  const socket = connect(port, '127.0.0.1').setEncoding('latin1');
  let text = '';
  const closed = new Promise<void>((resolve) => {
    socket.on('data', (piece: string) => {
      text = (text + piece).slice(0, 100_000);
    });
    socket.on('error', () => {});
    socket.once('close', () => resolve());
  });
  socket.write(bytes.slice(0, cut === 0 ? undefined : cut), 'latin1');
  if (cut > 0 && cut < bytes.length) {
    await delay(5);
    socket.write(bytes.slice(cut), 'latin1');
  }
  await Promise.race([closed, delay(LISTEN_MS)]);
  socket.destroy();
  return text;
}

/**
 * Everything that a request could change, as one text. The journal is not part of it, because it lists refused
 * requests.
 */
async function digestOf({ control }: RunningEmulator): Promise<string> {
  const hash = createHash('sha256');
  for (const path of ['state?credentials=1', 'spaces', 'snapshots', 'faults', 'limits', 'clock'])
    hash.update(await (await control(`/_emulator/${path}`)).text());
  return hash.digest('hex');
}

/** Does something again and again until something else is done. */
async function beside(work: Promise<void>, again: () => Promise<unknown>): Promise<void> {
  let going = true;
  const others = (async () => {
    while (going) await again();
  })();
  await work.finally(() => {
    going = false;
  });
  await others;
}

async function subjectOf(running: RunningEmulator): Promise<Subject<Sent>> {
  const { child, port } = running;
  const meet = async ({ requests, cut, walk }: Sent) => {
    const bytes = requests.map((one) => one.bytes).join('');
    const foreign = requests.every((one) => one.foreign);
    const before = foreign ? await digestOf(running) : '';
    const send = () => exchange(port, bytes, cut);
    const answer = await send();
    await checkChild(child, MOST_MB);
    if (answer !== '' && !/^HTTP\/1\.1 \d{3} /.test(answer))
      throw new Broken('an answer is HTTP', JSON.stringify(answer.slice(0, 200)));
    const again = async () => void (await send());
    await checkLively(child, again, () => checkHealth(running, MOST_MB));
    if (foreign && (await digestOf(running)) !== before)
      throw new Broken(
        'nobody from elsewhere changes anything',
        `the state differs after what was answered ${answer.slice(0, 200)}`,
      );
    if (walk !== undefined) await beside(walkIn(running, walk), send);
  };
  return {
    meet: (sent) => whileItLives(child, meet(sent)),
    close: () => child.stop(),
  };
}

/** Raw bytes over a socket, at an emulator that runs and that a walk asks meanwhile. */
export async function requests(plant?: string): Promise<Target<Sent>> {
  const emulator = await startEmulator(plant, '--clock', 'virtual');
  const { internId, key, workspaceId } = emulator;
  await emulator.child.stop();
  const filled = (path: string) => path.replaceAll(/\{\w+\}/g, internId);
  const calls = await controlCalls();
  const paths = [
    ...Object.keys(openapi.paths).map((path) => `/api/v1${filled(path)}`),
    ...new Set(calls.map(({ path }) => filled(path))),
    '/',
    '/_emulator/',
    '/oidc/.well-known/openid-configuration',
    '/oidc/auth',
    '/oidc/token',
    '/oidc/device/auth',
    '/spaces/none/api/v1/interns',
  ];
  const bodies = [
    JSON.stringify({ name: 'fuzzed', workspace_id: workspaceId }),
    JSON.stringify({ stream: true, messages: [{ role: 'user', content: 'script: asks' }] }),
    JSON.stringify({ prompt: 'hello' }),
    'grant_type=authorization_code&code=x&client_id=y',
  ];
  const request = rawRequest({
    paths,
    bodies,
    credentials: [`Bearer ${key}`, `bearer ${key} `, `Basic ${key}`, 'Bearer none'],
  });
  const inputs = fc.record({
    requests: fc.array(request, { minLength: 1, maxLength: 3 }),
    cut: fc.oneof(fc.constant(0), fc.nat(400)),
    walk: fc.oneof({ weight: 24, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: fc.nat(1_000_000) }),
  });
  return { name: 'requests', inputs, start: async () => subjectOf(await startEmulator(plant, '--clock', 'virtual')) };
}
