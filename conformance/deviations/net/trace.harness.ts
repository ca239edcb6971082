import type { Deviation } from '../mutant.js';
import { mutated } from '../mutated.js';
import { TABLES, type Table } from './tables.harness.js';

/** Turns of the event loop after which an answer that has not come waits for something else. */
const IDLE_TURNS = 60;

/** What one request came to, as far as it has come. */
interface Entry {
  readonly line: string;
  head: string;
  text: string;
}

/** A table of requests at an emulator of its own: what it answered, byte for byte. */
async function played(table: Table, mutant: Deviation['mutant']): Promise<string> {
  const { emulator, fetch, daemonFetch } = mutated(mutant, {
    clock: 'virtual',
    seed: 'net',
    profile: 'openrouter',
    log() {},
  });
  const { target, clock } = emulator;
  const { intern, ...credentials } = target.credentials;
  const callers: Readonly<Record<string, string | undefined>> = {
    ...credentials,
    own_key: intern?.api_key,
    nobody: undefined,
    stranger: 'sk-no-such-key',
  };
  const names = new Map<string, string>([
    ['workspace', target.workspace_id],
    ['foreign', target.foreign_workspace_id ?? ''],
    ['seeded', intern?.id ?? ''],
    ['mapping', target.scim_mapping_id ?? ''],
    ['group', target.scim_group_id ?? ''],
    ['unknown', '0b000000-0000-4000-8000-00000000ffff'],
  ]);
  const began = clock.now();
  const entries: Entry[] = [];
  const leaving: (() => unknown)[] = [];
  const named = (text: string) => text.replace(/\{(\w+)\}/g, (whole, name: string) => names.get(name) ?? whole);
  const idle = async (done: () => boolean = () => false, most = IDLE_TURNS) => {
    for (let turns = 0; turns < most && !done(); turns++) await new Promise((resolve) => setImmediate(resolve));
  };

  const heard = async (response: Response, entry: Entry) => {
    const reader = response.body?.getReader();
    if (reader !== undefined) leaving.push(() => reader.cancel());
    const decoder = new TextDecoder();
    for (let step = await reader?.read(); step?.done === false; step = await reader?.read())
      entry.text += `@${clock.now() - began} ${decoder.decode(step.value, { stream: true })}`;
    entry.text += ` end@${clock.now() - began}`;
  };
  /** What later requests call by its name. */
  const keep = (name: string | undefined, { text }: Entry) => {
    const session = [...text.matchAll(/"session_id":"([^"]+)"/g)].at(-1)?.[1];
    const call = [...text.matchAll(/"tool_calls":\[\{.*?"id":"([^"]+)"/g)].at(-1)?.[1];
    const cursor = /"next_cursor":"([^"]+)"/.exec(text)?.[1];
    for (const [key, value] of Object.entries({ session, call, cursor }))
      if (value !== undefined) names.set(key, value);
    const json = text.replace(/^@\d+ /, '').replace(/ end@\d+$/, '');
    if (name === undefined || !json.startsWith('{')) return;
    for (const [key, value] of Object.entries(JSON.parse(json) as object))
      if (typeof value === 'string') names.set(key === 'id' ? name : `${name}_${key}`.replace(/\W/g, '_'), value);
    const id = /"data":\{"id":"([^"]+)"/.exec(json)?.[1];
    if (id !== undefined) names.set(name, id);
  };
  const send = async (entry: Entry, url: string, init: RequestInit) => {
    try {
      const daemon = url.startsWith(target.daemon_origin);
      const response = await (daemon ? daemonFetch : fetch)(
        new Request(url, { ...init, duplex: 'half' } as RequestInit),
      );
      entry.head = `${response.status} ${JSON.stringify([...response.headers].sort())}`;
      await heard(response, entry);
    } catch (error) {
      entry.text += ` ${error instanceof Error ? error.message : String(error)}`;
    }
  };

  try {
    await table({
      async ask(line, body, headers = {}) {
        const [, name, caller = '', method = 'GET', path = ''] = /^(?:(\w+)=)?(\w+) (\w+) (\S*)$/.exec(line) ?? [];
        const entry: Entry = {
          line: `${line} ${JSON.stringify(body)?.slice(0, 200)} ${JSON.stringify(headers)}`,
          head: '',
          text: '',
        };
        entries.push(entry);
        const key = named(callers[caller] ?? '');
        const text = body === undefined ? undefined : named(typeof body === 'string' ? body : JSON.stringify(body));
        const all = {
          ...(key === '' || caller === 'nobody' ? {} : { authorization: `Bearer ${key}` }),
          ...(text === undefined ? {} : { 'content-type': 'application/json' }),
          ...Object.fromEntries(Object.entries(headers).map(([header, value]) => [header, named(value)])),
        };
        const sent = Object.fromEntries(Object.entries(all).filter(([, value]) => value !== ''));
        const to = named(path);
        const url = to.startsWith('/_emulator')
          ? target.control_url + to.slice('/_emulator'.length)
          : to.startsWith('daemon:')
            ? target.daemon_origin + to.slice('daemon:'.length)
            : to.startsWith('http')
              ? to
              : target.base_url + to;
        let over = false;
        void send(entry, url, { method, headers: sent, ...(text === undefined ? {} : { body: text }) }).then(() => {
          over = true;
        });
        await idle(() => over);
        keep(name, entry);
      },
      async wait(ms) {
        await clock.advance(ms);
        await idle(undefined, 5);
      },
      async leave() {
        for (const leaves of leaving.splice(0)) await Promise.resolve(leaves()).catch(() => {});
        await idle(undefined, 5);
      },
    });
    return entries.map(({ line, head, text }) => `${line}\n${head}\n${text}`).join('\n');
  } finally {
    await emulator.close();
  }
}

/** What the right emulator answers to each table. */
const right = new Map<string, Promise<string>>();

/** The first of some tables whose answers are not those of the right emulator, byte for byte. */
export async function differsAt(
  mutant: Deviation['mutant'],
  tables: readonly string[] = Object.keys(TABLES),
): Promise<string | undefined> {
  for (const name of tables) {
    const table = TABLES[name];
    if (table === undefined) throw new RangeError(`no table is called ${name}`);
    const wanted = right.get(name) ?? played(table, {});
    right.set(name, wanted);
    if ((await played(table, mutant)) !== (await wanted)) return name;
  }
  return undefined;
}
