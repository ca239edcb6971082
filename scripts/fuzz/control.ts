import { createHash } from 'node:crypto';
import { request as send } from 'node:http';
import fc from 'fast-check';
import { jsonOf } from '../../emulator/contract/nesting.js';
import { recordOf } from '../../emulator/contract/record.js';
import { validateExchange } from '../../emulator/testing/exchanges.harness.js';
import { controlCalls } from '../control-calls.js';
import { type Call, controlCall, interfaceCall } from './calls.js';
import { checkChild, checkLively, whileItLives } from './child.js';
import { checkHealth, type RunningEmulator, startEmulator } from './emulator.js';
import type { Subject, Target } from './fuzz.js';
import { Broken } from './law.js';

const MOST_MB = 900;
/** How long a call is waited for: a stream has no end, and a wait of hours on a clock takes as long as it takes. */
const PATIENCE_MS = 300;
/** A space that no call names: its contents must stay as they are. */
const BESIDE = 'beside';
/** The longest message that a person reads. */
const LONGEST = 3_000;

interface Answered {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/** Sends a call unchanged: `fetch` would correct the path. Undefined if nothing complete came in time. */
function ask({ port, key }: RunningEmulator, { method, path, body }: Call): Promise<Answered | undefined> {
  return new Promise((resolve) => {
    const headers = {
      authorization: `Bearer ${key}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    };
    // Calls that no request line can hold belong to another target.
    const line = path.replaceAll(/[^\x21-\x7e]/g, (text) => encodeURIComponent(Buffer.from(text).toString()));
    const asked = send({
      host: '127.0.0.1',
      port,
      method,
      path: line,
      headers,
      agent: false,
      signal: AbortSignal.timeout(PATIENCE_MS),
    });
    asked.once('error', () => resolve(undefined));
    asked.once('response', (answer) => {
      const pieces: Buffer[] = [];
      answer.on('data', (piece: Buffer) => pieces.push(piece));
      answer.once('error', () => resolve(undefined));
      answer.once('end', () =>
        resolve({
          status: answer.statusCode ?? 0,
          headers: new Headers(
            Object.entries(answer.headers).map(([name, value]): [string, string] => [name, String(value)]),
          ),
          text: Buffer.concat(pieces).toString(),
        }),
      );
    });
    asked.end(body);
  });
}

/** The lack of a refusal of the control interface; undefined if it names the mistake in one line. */
function unclear({ status, text }: Answered): string | undefined {
  if (status < 400) return undefined;
  const read = jsonOf(text);
  if (read === undefined) return 'it is no JSON';
  const { message } = recordOf(recordOf(read).error);
  if (typeof message !== 'string' || message.trim().length < 6) return 'it says nothing of what was wrong';
  if (message.length > LONGEST) return `it says so in ${message.length} characters`;
  return message.includes('\n') ? 'it says so in more than one line' : undefined;
}

async function digestOf({ control }: RunningEmulator): Promise<string> {
  const answer = await control(`/spaces/${BESIDE}/_emulator/state?credentials=1`);
  return createHash('sha256')
    .update(`${answer.status}${await answer.text()}`)
    .digest('hex');
}

async function subjectOf(running: RunningEmulator): Promise<Subject<readonly Call[]>> {
  const { child } = running;
  await (await running.control('/_emulator/spaces', 'POST', { name: BESIDE, clock: 'virtual' })).text();
  const beside = await digestOf(running);
  const meetOne = async (call: Call) => {
    const answer = await ask(running, call);
    await checkChild(child, MOST_MB);
    if (answer === undefined) return;
    const controls = call.path.startsWith('/_emulator');
    const injected = answer.headers.get('x-emulator-detail')?.includes('inject') ?? false;
    if (controls) {
      const wrong = unclear(answer);
      if (wrong !== undefined)
        throw new Broken(
          'a refusal names what was wrong',
          `${call.method} ${call.path.slice(0, 200)} is answered ${answer.status}, and ${wrong}: ${answer.text.slice(0, 300)}`,
        );
      if (answer.status >= 500) throw new Broken('nothing of ours fails', answer.text.slice(0, 300));
    } else if (!injected && answer.status !== 431) {
      // A request that the parser refused for its length has no operation.
      const wrong = validateExchange({ ...call, url: call.path, ...answer });
      if (wrong.length > 0)
        throw new Broken('an answer is as the OpenAPI document has it', wrong.join('; ').slice(0, 1_000));
    }
  };
  const meet = async (calls: readonly Call[]) => {
    for (const call of calls) await meetOne(call);
    const again = async () => {
      for (const call of calls) await ask(running, call);
    };
    await checkLively(child, again, () => checkHealth(running, MOST_MB));
    if ((await digestOf(running)) !== beside) throw new Broken('what is in another space stays', `${BESIDE} differs`);
  };
  return {
    meet: (calls) => whileItLives(child, meet(calls)),
    close: () => child.stop(),
  };
}

/** Odd bodies and paths at every call of the control interface, and at every operation of the interface. */
export async function control(plant?: string): Promise<Target<readonly Call[]>> {
  const start = () => startEmulator(plant, '--clock', 'auto', '--space-idle', '1h', '--turns-per-minute', '0');
  const emulator = await start();
  const seen: unknown = await (await emulator.control('/_emulator/state?credentials=1')).json();
  await emulator.child.stop();
  const known = [emulator.internId, 'kept', 'made', 'echo', 'script'];
  const call = fc.oneof(controlCall(await controlCalls(), known, seen), interfaceCall(known));
  return {
    name: 'control',
    inputs: fc.array(call, { minLength: 1, maxLength: 5 }),
    start: async () => subjectOf(await start()),
  };
}
