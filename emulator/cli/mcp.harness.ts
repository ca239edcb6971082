import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { afterEach } from 'vitest';
import { commandOf } from '../../test/built.js';

const running: ChildProcess[] = [];

/** Ends the hosts of each test of a file. */
export const endingHosts = () =>
  afterEach(() => {
    for (const child of running.splice(0)) child.kill('SIGKILL');
  });

interface Message {
  id?: number;
  method?: string;
  result?: { isError?: boolean; structuredContent?: Record<string, unknown>; content?: { text: string }[] };
}

/** `intern-emulator mcp` as a host starts it. Fails a test whose standard output carries anything but the protocol. */
export function host(args: readonly string[]) {
  const child = spawn(process.execPath, [commandOf('intern-emulator'), 'mcp', ...args], {
    env: { PATH: process.env.PATH },
  });
  running.push(child);
  const stderr: string[] = [];
  child.setMaxListeners(0);
  child.stderr.on('data', (chunk: Buffer) => stderr.push(chunk.toString()));
  const seen: Message[] = [];
  const waiting = new Map<(message: Message) => boolean, (message: Message) => void>();
  createInterface({ input: child.stdout }).on('line', (line) => {
    const message = JSON.parse(line) as Message;
    seen.push(message);
    for (const [fits, resolve] of waiting) if (fits(message)) resolve(message);
  });
  let id = 0;
  const send = (message: object) => child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  const next = (fits: (message: Message) => boolean) => {
    const message = new Promise<Message>((resolve, reject) => {
      waiting.set(fits, resolve);
      child.once('exit', (status) => reject(new Error(`it ended with ${status}: ${stderr.join('')}`)));
    });
    // A test may look for what does not come.
    message.catch(() => {});
    return message;
  };
  const ask = (method: string, params: object) => {
    const own = ++id;
    const answer = next((message) => message.id === own);
    send({ id: own, method, params });
    return { id: own, answer };
  };
  return {
    child,
    seen,
    next,
    notify: (method: string, params: object = {}) => send({ method, params }),
    ask,
    call: async (name: string, given: object = {}) =>
      (await ask('tools/call', { name, arguments: given }).answer).result ?? {},
    async begin() {
      const clientInfo = { name: 'test', version: '1' };
      await ask('initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo }).answer;
      send({ method: 'notifications/initialized' });
    },
    ended: once(child, 'close').then(([status]) => ({ status, stderr: stderr.join('') })),
  };
}
