import { createEmulatorDriver } from '../drivers/emulator.js';
import { startInProcess } from '../drivers/in-process.js';
import { createRandom, systemHost } from '../probe/time.js';
import { runChecks } from '../run/runner.js';
import { WALK } from '../scenarios/rows.js';

type Json = Record<string, unknown>;

/** An exchange of a conversation at a right emulator: an entry of a HAR, at the moment at which the emulator answered. */
export interface Drawn {
  readonly at: number;
  readonly entry: Json;
}

const headersOf = (headers: Headers) => [...headers].map(([name, value]) => ({ name, value }));

/** How often the clock moves on by more than a moment, in ms. */
const JUMPS = [1_000, 20_000, 400_000];

/** Walks over the rows at an emulator of its own, as its seed says. Its clock moves on with each request. */
export async function converse(seed: number): Promise<readonly Drawn[]> {
  const { emulator } = startInProcess({ quiet: true, clock: 'virtual', seed: 'drawn' });
  const { target, clock } = emulator;
  const random = createRandom(seed);
  const drawn: Drawn[] = [];
  const fetch = async (request: Request) => {
    const { method, url } = request;
    if (!url.startsWith(target.base_url)) return emulator.fetch(request);
    await clock.advance(random() < 0.1 ? (JUMPS[Math.floor(random() * JUMPS.length)] ?? 0) : 100);
    const at = clock.now();
    const text = method === 'GET' ? '' : await request.clone().text();
    const answer = await emulator.fetch(request);
    const { status } = answer;
    const headers = new Headers(answer.headers);
    headers.set('date', new Date(at).toUTCString());
    const said = await answer.clone().text();
    drawn.push({
      at,
      entry: {
        request: {
          method,
          url,
          headers: headersOf(request.headers),
          ...(text === '' ? {} : { postData: { text } }),
          bodySize: Buffer.byteLength(text),
        },
        response: { status, headers: headersOf(headers), content: { size: Buffer.byteLength(said), text: said } },
      },
    });
    return answer;
  };
  const driver = createEmulatorDriver({
    descriptor: { ...target },
    fetch,
    host: systemHost,
    tag: 'talk',
    remote: false,
  });
  const { checks } = await runChecks({
    driver,
    host: systemHost,
    checks: WALK,
    tag: 'talk',
    seed: `${seed}`,
    runs: 1,
  });
  await emulator.close();
  const wrong = checks.flatMap(({ finding, error }) => finding ?? error ?? []);
  if (wrong.length > 0) throw new Error(`a walk at a right emulator: ${JSON.stringify(wrong)}`);
  return drawn;
}
