import { createServer, type Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { systemHost } from '../../probe/time.js';
import type { Outside } from '../run.js';
import { type Ask, type Look, STEP } from './inside.js';

/** How long a process may take to answer, in ms: one that works does not. */
const PROMPT = 250;
/** Time of the processor, in µs, that one which only waits does not use between two looks. */
const STILL = 5_000;
/** The longest line that is taken from a process. */
const LONGEST = 65_536;

/** A Node process of a run. */
interface Member {
  readonly socket: Socket;
  last: Look | undefined;
  /** Takes the answer that is awaited. */
  answered(look: Look & { readonly id: number }): void;
}

/** The Node processes of one run. */
export interface Members {
  /** As {@link Outside.forward}: what they wait for is on the `ports`. With none open, they have talked to one of them. */
  forward(ports: readonly number[], ...how: Parameters<Outside['forward']>): ReturnType<Outside['forward']>;
  /** The ports that they listen on. */
  listens(): Promise<readonly number[]>;
}

export interface Channel {
  readonly port: number;
  of(run: string): Members;
  close(): void;
}

/** Where the Node processes of runs are heard. Each says first whose it is. */
export async function openChannel(): Promise<Channel> {
  const runs = new Map<string, Set<Member>>();
  let ids = 0;
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.unref();
    let member: Member | undefined;
    let size = 0;
    socket.on('data', (bytes: Buffer) => {
      const end = bytes.lastIndexOf(10);
      size = end < 0 ? size + bytes.length : bytes.length - end - 1;
      if (size > LONGEST) socket.destroy();
    });
    const lines = createInterface({ input: socket });
    // It passes errors of the socket on: a process that was ended resets its connection.
    lines.on('error', () => {});
    lines.on('line', (line) => {
      if (member !== undefined) {
        try {
          member.answered(JSON.parse(line));
        } catch {
          socket.destroy();
        }
        return;
      }
      const members = runs.get(line);
      if (members === undefined) return void socket.destroy();
      const joined: Member = { socket, last: undefined, answered: () => {} };
      member = joined;
      members.add(joined);
      socket.once('close', () => {
        members.delete(joined);
        joined.answered = () => {};
      });
    });
  });
  server.unref();
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;

  const ask = (member: Member, skip: number): Promise<Look | undefined> =>
    new Promise((resolve) => {
      const id = ++ids;
      const late = systemHost.later(PROMPT, () => resolve(undefined));
      const gone = () => {
        late();
        resolve(undefined);
      };
      member.socket.once('close', gone);
      member.answered = (look) => {
        if (look.id !== id) return;
        late();
        member.socket.off('close', gone);
        resolve(look);
      };
      const question: Ask = { id, skip };
      member.socket.write(`${JSON.stringify(question)}\n`);
    });

  return {
    port,
    of(run) {
      const members = new Set<Member>();
      runs.set(run, members);
      const all = (skip: number) =>
        Promise.all([...members].map(async (member) => [member, member.last, await ask(member, skip)] as const));
      return {
        async forward(ports, most, open, ahead) {
          const looks = await all(0);
          // One that is late with its answer works.
          if (looks.some(([, , look]) => look === undefined)) return false;
          const held = looks.reduce(
            (sum, [, , look]) => sum + (look?.talks.filter((one) => ports.includes(one)).length ?? 0),
            0,
          );
          const met = looks.some(([, , look]) => look?.met.some((one) => ports.includes(one)) === true);
          if (open > 0 ? held < open : !met) return undefined;
          let still = true;
          let next = most;
          for (const [member, before, look] of looks) {
            member.last = look;
            still &&= look !== undefined && !look.busy && before !== undefined && look.cpu - before.cpu < STILL;
            next = Math.min(next, look?.next ?? most);
          }
          if (!still) return false;
          const ms = Math.min(most, Math.max(STEP, Math.ceil(next)));
          ahead(ms);
          await all(ms);
          return true;
        },
        async listens() {
          return (await all(0)).flatMap(([, , look]) => look?.listens ?? []);
        },
      };
    },
    close: () => server.close(),
  };
}
