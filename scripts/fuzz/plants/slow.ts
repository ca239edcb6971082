// A defect for the fuzzers' own test: what is asked of snapshots works for a while, and keeps all others waiting.
import { Server } from 'node:http';

const WORK_US = 2_000_000;
const emit = Server.prototype.emit;
Server.prototype.emit = function (this: Server, ...given: Parameters<typeof emit>) {
  const [name, request] = given as unknown[];
  if (name === 'request' && String((request as { url?: string }).url).startsWith('/_emulator/snapshots')) {
    const before = process.cpuUsage();
    while (process.cpuUsage(before).user < WORK_US);
  }
  return emit.apply(this, given);
} as typeof emit;
