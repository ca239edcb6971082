import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import fc from 'fast-check';
import { checkChild, checkLively, whileItLives } from './child.js';
import { checkHealth, digestOf, type RunningEmulator, startEmulator } from './emulator.js';
import type { Subject, Target } from './fuzz.js';
import { Broken } from './law.js';
import { type RawRequest, rawRequest } from './raw-request.js';
import { alike, type Call, forThis, nthId } from './rows.js';
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
 * The calls that show everything that a request could change. The journal is not one of them, because it lists refused
 * requests.
 */
const ALL = ['state?credentials=1', 'spaces', 'snapshots', 'faults', 'limits', 'clock'].map(
  (path) => `/_emulator/${path}`,
);

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
    const bytes = await forThis(running, requests.map((one) => one.bytes).join(''));
    const foreign = requests.every((one) => one.foreign);
    const before = foreign ? await digestOf(running, ALL) : '';
    const send = () => exchange(port, bytes, cut);
    const answer = await send();
    await checkChild(child, MOST_MB);
    if (answer !== '' && !/^HTTP\/1\.1 \d{3} /.test(answer))
      throw new Broken('an answer is HTTP', JSON.stringify(answer.slice(0, 200)));
    const again = async () => void (await send());
    await checkLively(child, again, () => checkHealth(running, MOST_MB));
    if (foreign && (await digestOf(running, ALL)) !== before)
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

const plain = (method: string, path: string, body?: string): Call => ({
  method,
  path: path.replaceAll(/\{\w+\}/g, nthId(0)),
  body,
});
const ELSEWHERE: readonly Call[] = [
  ...['/', '/_emulator/', '/oidc/.well-known/openid-configuration', '/oidc/auth'].map((path) => plain('GET', path)),
  plain('POST', '/oidc/token', 'grant_type=authorization_code&code=x&client_id=y'),
  plain('POST', '/oidc/device/auth', 'client_id=y'),
  plain('GET', '/spaces/none/api/v1/interns'),
];

/** Raw bytes over a socket, at an emulator that runs and that a walk asks meanwhile. */
export async function requests(plant?: string): Promise<Target<Sent>> {
  const { key, calls, rows } = await alike();
  const request = rawRequest(
    fc.oneof(
      { weight: 3, arbitrary: rows },
      { weight: 3, arbitrary: fc.constantFrom(...calls).map(({ method, path }) => plain(method, path)) },
      { weight: 1, arbitrary: fc.constantFrom(...ELSEWHERE) },
    ),
    key,
  );
  const inputs = fc.record({
    requests: fc.array(request, { minLength: 1, maxLength: 3 }),
    cut: fc.oneof(fc.constant(0), fc.nat(400)),
    walk: fc.oneof({ weight: 24, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: fc.nat(1_000_000) }),
  });
  return { inputs, start: async () => subjectOf(await startEmulator(plant, '--clock', 'virtual')) };
}
