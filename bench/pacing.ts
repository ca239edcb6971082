import { connect } from 'node:net';
import { type Served, start } from './lib.js';

/** Streams at a steady pace, and by how many ms each of their events came after it was due. */
export interface Pacing {
  readonly server: Served;
  readonly target: { base_url: string; control_url: string; workspace_id: string; credentials: Record<string, never> };
  /** Runs the streams to their end. */
  run(): Promise<number[]>;
}

/** An emulator with an intern for each of `streams`, each to say `perSecond` events a second for `seconds`. */
export async function openPaced(options: { streams: number; perSecond: number; seconds: number }): Promise<Pacing> {
  const events = options.perSecond * options.seconds;
  const server = await start('paced.mjs', JSON.stringify({ perSecond: options.perSecond, events }));
  const target = server.hello as unknown as Pacing['target'] & { credentials: { api_key: string } };
  const headers = { authorization: `Bearer ${target.credentials.api_key}`, 'content-type': 'application/json' };
  const post = (url: string, body: unknown) =>
    fetch(url, { method: 'POST', headers, body: JSON.stringify(body) }).then((reply) => reply.json());
  const ids: string[] = [];
  for (let i = 0; i < options.streams; i++) {
    const made = await post(`${target.base_url}/interns`, {
      name: `p-${i}`,
      workspace_id: target.workspace_id,
      instructions: 'script: paced',
      provision: true,
    });
    ids.push((made as { id: string }).id);
  }
  await post(`${target.control_url}/clock`, { advance: '10s' });

  const stream = (id: string, delays: number[]) =>
    new Promise<void>((resolve, reject) => {
      const url = new URL(`${target.base_url}/interns/${id}/chat/completions`);
      const body = JSON.stringify({ stream: true, messages: [{ role: 'user', content: 'go' }] });
      const socket = connect(Number(url.port), url.hostname);
      socket.setNoDelay(true);
      socket.once('error', reject);
      socket.once('connect', () => {
        socket.write(
          `POST ${url.pathname} HTTP/1.1\r\nhost: ${url.host}\r\nauthorization: ${headers.authorization}\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
        );
      });
      let seen = 0;
      socket.on('data', (data) => {
        const now = process.hrtime.bigint();
        for (const [, due] of data.toString('latin1').matchAll(/@(\d+);/g)) {
          delays.push(Number(now - BigInt(due ?? 0)) / 1e6);
          seen++;
        }
        if (seen < events) return;
        socket.destroy();
        resolve();
      });
    });

  return {
    server,
    target,
    async run() {
      const delays: number[] = [];
      await Promise.all(ids.map((id) => stream(id, delays)));
      return delays;
    },
  };
}
