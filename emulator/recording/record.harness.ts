import { existsSync, readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { connect, createServer as createRawServer, type Server as RawServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, expect } from 'vitest';
import { folderOfTest } from '../../test/folders.js';
import { bind } from '../contract/bind.js';
import { exchangeSchema, type RecordedExchange } from './format.js';
import type { RecordingProxy } from './proxy.js';
import { type RecordOptions, record } from './record.js';

/** The credential that the recorder knows from the start. */
export const KEY = 'emu-key-alice-0000000000000000';

/** A recorder, its deployment and its folder, made anew for each test. */
export function useRecorder() {
  let folder = '';
  let proxy: RecordingProxy | undefined;
  let upstream: Server | RawServer | undefined;
  let sockets: Socket[] = [];
  let logged: Record<string, unknown>[] = [];

  beforeEach(() => {
    folder = folderOfTest('record-');
    logged = [];
    sockets = [];
  });
  afterEach(async () => {
    for (const socket of sockets) socket.destroy();
    await proxy?.close();
    proxy = undefined;
    upstream?.close();
  });

  const out = () => join(folder, 'recording.jsonl');
  const listen = async (server: Server | RawServer): Promise<string> => {
    upstream = server;
    server.on('connection', (socket: Socket) => {
      sockets.push(socket.on('error', () => {}));
    });
    return `http://127.0.0.1:${await bind(server)}/api/v1`;
  };
  const lines = (path = out()): RecordedExchange[] =>
    readFileSync(path, 'utf8')
      .split('\n')
      .filter(Boolean)
      .map((line) => exchangeSchema().parse(JSON.parse(line)));

  return {
    folder: () => folder,
    out,
    lines,
    logged: () => logged,
    /** A deployment. The result is its base URL. */
    deployment: (handle: (request: IncomingMessage, response: ServerResponse) => void) => listen(createServer(handle)),
    /** A deployment that answers each connection's first bytes byte for byte. */
    rawDeployment: (answer: (socket: Socket, asked: string) => void) =>
      listen(
        createRawServer((socket) => {
          socket.on('data', (bytes) => answer(socket, bytes.toString('latin1')));
        }),
      ),
    closeDeployment: () => new Promise((resolve) => upstream?.close(resolve)),
    /** Starts a recorder of a deployment. The result is its base URL. */
    async recording(url: string, more: Partial<RecordOptions> = {}): Promise<string> {
      let time = 0;
      proxy = await record({
        url: new URL(url),
        out: out(),
        env: { INTERN_API_KEY: KEY },
        now: () => time++,
        log: (entry) => void logged.push(entry),
        ...more,
      });
      return proxy.baseUrl;
    },
    close: async () => proxy?.close(),
    /** A line is written once the answer has left: waits for it. */
    async written(count: number, path = out()): Promise<RecordedExchange[]> {
      await expect.poll(() => (existsSync(path) ? lines(path).length : 0)).toBe(count);
      return lines(path);
    },
    /** Sends bytes unchanged, and collects the answer until `until` holds, or the connection ends. */
    raw(base: string, bytes: string | readonly string[], until?: string | RegExp): Promise<string> {
      const { port, hostname } = new URL(base);
      return new Promise((resolve) => {
        const socket = connect(Number(port), hostname);
        sockets.push(socket);
        let text = '';
        const look = () => (typeof until === 'string' ? text.includes(until) : until?.test(text));
        socket.on('data', (chunk) => {
          text += chunk.toString('latin1');
          if (look()) socket.destroy();
        });
        socket.on('error', () => {});
        socket.on('close', () => resolve(text));
        for (const part of [bytes].flat()) socket.write(part, 'latin1');
      });
    },
  };
}
