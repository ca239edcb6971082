// The emulator with a behaviour that says, at a steady pace, when each of its events was due: nanoseconds of the
// machine's monotonic clock, which other processes read too.
import { createEmulator } from '../../dist/emulator/index.js';

const { perSecond, events } = JSON.parse(process.argv[2]);
const pause = 1_000 / perSecond;
const emulator = createEmulator({
  settings: { turns_per_minute: 0 },
  scripts: [
    {
      name: 'paced',
      async *turn(_turn, { clock, signal }) {
        for (let i = 0; i < events; i++) {
          const due = process.hrtime.bigint() + BigInt(Math.round(pause * 1e6));
          await clock.sleep(pause, signal);
          yield { say: `@${due};` };
        }
      },
    },
  ],
});
await emulator.listen({ port: 0, replaceGlobals: true });
console.log(JSON.stringify(emulator.target));
