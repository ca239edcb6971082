// The reference client as an adapter: `tsx test/reference/main.ts [mistake]`.

import { createInterface } from 'node:readline';
import type { RunLine } from '../../conformance/clients/protocol.js';
import { systemHost } from '../../conformance/probe/time.js';
import { ABILITIES } from '../../emulator/contract/client-case.js';
import { answerRun } from './client.js';
import { overNetwork } from './network.js';

const has = (flaw: string) => flaw === process.argv[2];
const say = (value: unknown) => process.stdout.write(`${JSON.stringify(value)}\n`);

say({ adapter: 'reference client', version: '1', layers: ['sse', 'chat', 'signing'], abilities: ABILITIES });
const means = { transport: overNetwork(has), host: systemHost, has, past: { aborted: false } };
for await (const text of createInterface({ input: process.stdin })) {
  const line = JSON.parse(text) as RunLine;
  say({ run: line.run, ...(await answerRun(line, means, (event) => say({ run: line.run, event }))) });
}
