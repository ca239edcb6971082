import fc from 'fast-check';
import { jsonOf } from '../../emulator/contract/nesting.js';
import { recordOf } from '../../emulator/contract/record.js';
import { validateExchange } from '../../emulator/testing/exchanges.harness.js';
import { type Answered, ask } from './ask.js';
import { controlCall, interfaceCall } from './calls.js';
import { checkChild, checkLively, whileItLives } from './child.js';
import { checkHealth, digestOf, type RunningEmulator, startEmulator } from './emulator.js';
import type { Subject, Target } from './fuzz.js';
import { Broken, notOneLine } from './law.js';
import { alike, type Call, forThis, nthId } from './rows.js';

const MOST_MB = 900;
/** How long a call is waited for: a stream has no end, and a wait of hours on a clock takes as long as it takes. */
const PATIENCE_MS = 300;
/** A space that no call names: its contents must stay as they are. */
const BESIDE = 'beside';

/** Sends a call for the interns that there are. Undefined if nothing complete came in time. */
async function answered(running: RunningEmulator, call: Call): Promise<Answered | undefined> {
  const path = await forThis(running, call.path);
  const answer = await ask(running.port, { ...call, path }, PATIENCE_MS);
  return answer?.complete ? answer : undefined;
}

/** The lack of a refusal of the control interface; undefined if it names the mistake in one line. */
function unclear({ status, text }: Answered): string | undefined {
  if (status < 400) return undefined;
  const read = jsonOf(text);
  if (read === undefined) return 'it is no JSON';
  const { message } = recordOf(recordOf(read).error);
  if (typeof message !== 'string' || message.trim().length < 6) return 'it says nothing of what was wrong';
  return notOneLine(message);
}

async function subjectOf(running: RunningEmulator): Promise<Subject<readonly Call[]>> {
  const { child } = running;
  await (await running.control('/_emulator/spaces', 'POST', { name: BESIDE, clock: 'virtual' })).text();
  const look = () => digestOf(running, [`/spaces/${BESIDE}/_emulator/state?credentials=1`]);
  const beside = await look();
  const meetOne = async (call: Call) => {
    const answer = await answered(running, call);
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
      for (const call of calls) await answered(running, call);
    };
    await checkLively(child, again, () => checkHealth(running, MOST_MB));
    if ((await look()) !== beside) throw new Broken('what is in another space stays', `${BESIDE} differs`);
  };
  return {
    meet: (calls) => whileItLives(child, meet(calls)),
    close: () => child.stop(),
  };
}

/** Odd bodies and paths at every call of the control interface, and at every operation of the interface. */
export async function control(plant?: string): Promise<Target<readonly Call[]>> {
  const start = () => startEmulator(plant, '--clock', 'auto', '--space-idle', '1h', '--turns-per-minute', '0');
  const { calls, state, rows } = await alike();
  const known = [nthId(0), nthId(1), 'kept', 'made', 'echo', 'script'];
  const call = fc.oneof(controlCall(calls, known, state), interfaceCall(rows, known));
  return {
    inputs: fc.array(call, { minLength: 1, maxLength: 5 }),
    start: async () => subjectOf(await start()),
  };
}
