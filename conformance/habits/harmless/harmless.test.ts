import { expect, test } from 'vitest';
import { DISTURBANCE_NAMES, disturbanceOf } from '../../../emulator/contract/disturbance.js';
import { ACTS } from '../../../emulator/disturbances/acts.js';
import type { Serve } from '../../../emulator/wire/serve.js';
import { closing } from '../../../test/closing.js';
import { deploy } from '../../../test/targets/deployment.js';
import { withHabit } from '../../../test/targets/deployments.js';
import { resultsOf } from '../../../test/targets/mixes.js';
import { run } from '../../run.js';
import { HARMLESS } from './index.js';

test('what is harmless is served under each name that a fault may give it', () => {
  const named = DISTURBANCE_NAMES.filter((name) => disturbanceOf(name).class === 'harmless');
  expect(Object.keys(HARMLESS).sort()).toEqual(named.filter((name) => ACTS[name] === undefined).sort());
});

/** Disturbances that a service may do once, where a schedule finds them lawful, and that no service does always. */
const ONCE = ['slow-boot', 'other-status', 'slow', 'no-content'];
const ALWAYS = Object.entries(HARMLESS).filter(([name]) => !ONCE.includes(name));

test.each(ALWAYS)('the kit holds nothing against a service for %s', async (id, serve) => {
  const known = withHabit({ id, what: id, serve });
  const { driver, host } = closing(await deploy(known, 'harmless'));
  const only = [
    'chat-content/repeated',
    'create/reads-back',
    'list/agrees-with-reads',
    'list/bad-cursor',
    'create/attached-vault',
  ];
  const { checks } = await run({ driver, host, seed: 'harmless', rate: 0, only });
  expect(resultsOf({ ...known, shows: [] }, { checks, exit: 0, incomplete: [] })).toEqual([]);
  expect(checks.filter(({ verdict }) => verdict === 'pass').length).toBeGreaterThan(3);
});

test('what comes soon comes in one piece, however long each step of a busy machine takes', async () => {
  const turn = () => new Promise<void>((resolve) => setImmediate(resolve));
  const words = ['one ', 'two ', 'three ', 'four'];
  const body = new ReadableStream<Uint8Array>({
    async pull(sink) {
      await turn();
      const word = words.shift();
      if (word === undefined) sink.close();
      else sink.enqueue(Buffer.from(word));
    },
  });
  const answer = async () => new Response(body, { headers: { 'content-type': 'text/event-stream' } });
  // Each pause is over at the next turn, whatever its length: so it is where a turn takes long.
  const setting = { pause: turn, host: { sleep: turn } } as unknown as Parameters<Serve>[1];
  const { body: joined } = await (HARMLESS.joined as Serve)(answer, setting)(new Request('http://localhost/'));
  const pieces: string[] = [];
  for await (const piece of joined as ReadableStream<Uint8Array>) pieces.push(Buffer.from(piece).toString());
  expect(pieces).toEqual(['one two three four']);
});
