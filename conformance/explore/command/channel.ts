import { createServer, type Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { bind } from '../../../emulator/contract/bind.js';
import { systemHost } from '../../probe/time.js';
import type { Outside } from '../run.js';
import { type Ask, type Look, type Said, STEP } from './inside.js';

/** How long a process may take to answer, in ms: one that works does not. */
const PROMPT = 250;
/** The longest line that is taken from a process. */
const LONGEST = 65_536;

/** A Node process of a run. */
interface Member {
  readonly socket: Socket;
  /** Takes what it says of itself. */
  answered(look: Look & { readonly id: number }): void;
  /** Takes by how much it runs ahead, late too. */
  ahead(ms: number): void;
}

/** The Node processes of one run. Where nothing is open at the emulator, they have talked to it. */
export type Members = Pick<Outside, 'forward'>;

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
          const said = JSON.parse(line) as Said;
          if ('ahead' in said) member.ahead(said.ahead);
          else member.answered(said);
        } catch {
          socket.destroy();
        }
        return;
      }
      const members = runs.get(line);
      if (members === undefined) return void socket.destroy();
      const joined: Member = { socket, answered: () => {}, ahead: () => {} };
      member = joined;
      members.add(joined);
      socket.once('close', () => {
        members.delete(joined);
        joined.answered = () => {};
      });
    });
  });
  server.unref();
  const port = await bind(server);

  const ask = (
    member: Member,
    { skip = 0, most = 0 }: Partial<Ask> = {},
    ahead: Member['ahead'] = () => {},
  ): Promise<Look | undefined> =>
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
      if (skip + most > 0) member.ahead = ahead;
      const question: Ask = { id, skip, most };
      member.socket.write(`${JSON.stringify(question)}\n`);
    });

  return {
    port,
    of(run) {
      const members = new Set<Member>();
      runs.set(run, members);
      const all = () => Promise.all([...members].map(async (member) => ({ member, look: await ask(member) })));
      return {
        async forward(most, open, ahead, leap = 0) {
          const looks = await all();
          // One that is late with its answer works.
          if (looks.some(({ look }) => look === undefined)) return false;
          const talksOf = (look: Look | undefined) => look?.talks ?? 0;
          const held = looks.reduce((sum, { look }) => sum + talksOf(look), 0);
          const met = looks.some(({ look }) => look?.met);
          // Other processes than Node's may be at work.
          const started = looks.reduce((sum, { look }) => sum + (look?.children ?? 0), 0);
          if (open > 0 ? held < open : !met || (leap > 0 && started >= looks.length)) return undefined;
          if (!looks.every(({ look }) => look?.still)) return false;
          // Where one alone waits for us, it goes from timer to timer, and the others follow.
          const waiting = looks.filter(({ look }) => talksOf(look) > 0);
          const [leader = looks[0]] = waiting;
          const others = looks.filter((one) => one !== leader);
          const due = (waiting.length === 1 ? others : looks).map(({ look }) => look?.next ?? most);
          let gone = 0;
          const went = (ms: number) => {
            gone += ms;
            ahead(ms);
          };
          const next = Math.min(most, Math.max(STEP, Math.ceil(Math.min(most, ...due))));
          if (leader !== undefined)
            await ask(leader.member, leap >= STEP ? { skip: Math.floor(leap) } : { most: next }, went);
          await Promise.all(others.map(({ member }) => ask(member, { skip: gone })));
          return gone > 0;
        },
      };
    },
    close: () => server.close(),
  };
}
