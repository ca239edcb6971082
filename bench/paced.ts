// How late an event that a script paces comes, from the instant it is due to its bytes at the client: 200 streams of 50
// events per second each, on sockets.
import { percentile, report } from './lib.js';
import { openPaced } from './pacing.js';

const pacing = await openPaced({ streams: 200, perSecond: 50, seconds: 5 });
// The first run compiles.
await pacing.run();
const before = pacing.server.cpu();
const delays = await pacing.run();
const each = ((pacing.server.cpu() - before) * 1e6) / delays.length;
const p99 = percentile(delays, 0.99);
report(
  `added delay of ${delays.length} paced events, p99`,
  `${p99.toFixed(1)} ms (median ${percentile(delays, 0.5).toFixed(1)} ms)`,
  '≤ 10 ms',
  p99 <= 10,
);
console.log(`processor time of the server: ${Math.round(each)} µs an event`);
await pacing.server.stop();
