import { newEmulator } from '../../conformance/drivers/emulator.js';
import { READS } from '../../conformance/habits/dealings.js';
import { bodyOf } from '../../conformance/habits/habit.js';
import type { Fetch } from '../../conformance/probe/client.js';
import type { EmulatorOptions } from '../../emulator/index.js';
import type { Json } from '../../emulator/wire/json.js';
import { about } from '../../emulator/wire/request.js';
import type { Serve } from '../../emulator/wire/serve.js';

/** An intern of somebody else. */
export interface Victim {
  readonly id: string;
  readonly name: string;
}

type Target = Record<'base_url' | 'workspace_id' | 'foreign_workspace_id', string> & {
  credentials: Record<'api_key' | 'peer_api_key' | 'foreign_api_key', string>;
};

/** An address as a server may read it that decodes once too often. */
function lax(url: string): string {
  let text = url;
  for (let last = ''; last !== text; ) {
    last = text;
    text = text.replace(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  }
  return text.toLowerCase();
}

/** A deployment with interns of other people in it, and what is done to them. */
export function neighbourhood() {
  const victims: Victim[] = [];
  const noticed: string[] = [];
  let emulator: Awaited<ReturnType<typeof newEmulator>> | undefined;
  const ask = async (key: 'api_key' | 'peer_api_key' | 'foreign_api_key', path: string, body?: Json): Promise<Json> => {
    if (emulator === undefined) throw new Error('the emulator has not been started');
    const target = emulator.target as unknown as Target;
    const headers = { authorization: `Bearer ${target.credentials[key]}`, 'content-type': 'application/json' };
    const init = body === undefined ? { headers } : { method: 'POST', headers, body: JSON.stringify(body) };
    return (await (await emulator.fetch(new Request(`${target.base_url}${path}`, init))).json()) as Json;
  };
  const make = async (key: 'peer_api_key' | 'foreign_api_key', name: string) => {
    const target = emulator?.target as unknown as Target;
    const workspace_id = key === 'peer_api_key' ? target.workspace_id : target.foreign_workspace_id;
    const { id } = await ask(key, '/interns', { name, workspace_id, description: 'of somebody else' });
    const made = { id: String(id), name };
    victims.push(made);
    return made;
  };
  return {
    /** In the workspace of the run, and one in another. */
    victims,
    /** Every request that would write to one of them, however its address is spelled. */
    noticed,
    async start(options: EmulatorOptions) {
      emulator = await newEmulator(options);
      for (const name of ['ledger-bot', 'release-bot', 'night-watch']) await make('peer_api_key', name);
      await make('foreign_api_key', 'far-away');
      return emulator;
    },
    /** Another intern of a colleague, from now on. */
    another: (name: string): Promise<Victim> => make('peer_api_key', name),
    /** The victims as they are now, each without what nobody changes. */
    look: () =>
      Promise.all(
        victims.map(({ id, name }) => ask(name === 'far-away' ? 'foreign_api_key' : 'peer_api_key', `/interns/${id}`)),
      ),
    /** Sees what arrives before anything else does. */
    watch: ((next) => (request) => {
      const to = lax(request.url);
      if (!READS.has(request.method) && victims.some(({ id }) => to.includes(id.toLowerCase())))
        noticed.push(`${request.method} ${request.url}`);
      return next(request);
    }) satisfies Serve,
  };
}
type Neighbourhood = ReturnType<typeof neighbourhood>;

/** A way to answer a create with what is not the caller's. */
export interface Impostor {
  readonly name: string;
  /** The sentence of the finding. */
  readonly says: RegExp;
  wrongs(around: Neighbourhood): Serve;
}

const isCreate = (request: Request) => about(request).operation === 'create';

/** Answers accepted creates with a record of its own choice. */
const creates =
  (answer: (around: Neighbourhood, made: Json, name: unknown, count: number) => Json | Promise<Json>) =>
  (around: Neighbourhood): Serve =>
  (next) => {
    let count = 0;
    return async (request) => {
      if (!isCreate(request)) return next(request);
      const { name } = await bodyOf(request);
      const response = await next(request);
      if (response.status !== 201) return response;
      const made = (await response.json()) as Json;
      return Response.json(await answer(around, made, name, count++), { status: 201 });
    };
  };

const victim = ({ victims }: Neighbourhood, at = 0): Victim => victims[at] ?? { id: '', name: '' };
const posing = (id: (victim: string) => string, at = 0) =>
  creates((around, made, name) => ({ ...made, name, id: id(victim(around, at).id) }));

/** Sends what is addressed to an id of the deployment's own to an intern of somebody else. */
const aliases = (around: Neighbourhood): Serve => {
  const created = new Set<string>();
  return (next) => {
    const forward: Fetch = (request) => {
      const id = /\/interns\/([^/?]+)/.exec(request.url)?.[1];
      if (id === undefined || !created.has(id)) return next(request);
      if (!READS.has(request.method)) around.noticed.push(`${request.method} ${request.url}`);
      return next(new Request(request.url.replace(id, victim(around).id), request));
    };
    return async (request) => {
      const response = await forward(request);
      if (!isCreate(request) || response.status !== 201) return response;
      const made = (await response.json()) as Json;
      created.add(String(made.id));
      return Response.json(made, { status: 201 });
    };
  };
};

/** Shows interns of others in lists as though they were of the run, from its first create on. */
const listsAsOurs = (around: Neighbourhood): Serve => {
  let prefix: string | undefined;
  return (next) => async (request) => {
    const { operation } = about(request);
    const { name } = operation === 'create' ? await bodyOf(request) : {};
    if (typeof name === 'string') prefix ??= /^k[a-z0-9]{4}-/.exec(name)?.[0];
    const response = await next(request);
    if (operation !== 'list' || prefix === undefined || response.status !== 200) return response;
    const body = (await response.json()) as { data: Json[] };
    const ids = around.victims.map(({ id }) => id);
    for (const one of body.data) if (ids.includes(String(one.id))) one.name = `${prefix}0`;
    return Response.json(body);
  };
};

const THERE = /it was there before the create was sent/;
const PLAIN = /its id is no plain id/;

/** None of them is what a deployment does by design: an idempotency key that is matched wrongly does the first. */
export const IMPOSTORS: readonly Impostor[] = [
  {
    name: 'answers the record of another for each create',
    says: /it bears another name; .*"ledger-bot"/,
    wrongs: creates((around, made) => ({ ...made, ...victim(around) })),
  },
  {
    name: 'answers the record of another now and then',
    says: /it bears another name; .*"release-bot"/,
    wrongs: creates((around, made, _, count) => (count % 5 === 3 ? { ...made, ...victim(around, 1) } : made)),
  },
  { name: 'answers the id of another with the name that was asked for', says: THERE, wrongs: posing((id) => id) },
  {
    name: 'answers the id of another in capitals',
    says: THERE,
    wrongs: posing((id) => id.toUpperCase()),
  },
  {
    name: 'answers the id of an intern that no list shows',
    says: /nothing shows that \S+ is the run's|it was made for another create/,
    wrongs: posing((id) => id, 3),
  },
  {
    name: 'answers the id of an intern that a colleague has made since',
    says: /it is read as another; .*"fresh-\d+"/,
    wrongs: creates(async (around, made, name, count) => ({
      ...made,
      name,
      id: (await around.another(`fresh-${count}`)).id,
    })),
  },
  { name: 'answers an id that leads to another', says: PLAIN, wrongs: posing((id) => `x/../${id}`) },
  {
    name: 'answers an id that leads to another once it is decoded',
    says: PLAIN,
    wrongs: posing((id) => `x%2f..%2f${id}`),
  },
  { name: 'answers an id with a query', says: PLAIN, wrongs: posing((id) => `${id}?x=`) },
  { name: 'answers an id with a fragment', says: PLAIN, wrongs: posing((id) => `${id}#`) },
  {
    name: 'answers an id that is a list',
    says: PLAIN,
    wrongs: creates((around, made) => ({ ...made, id: [victim(around).id] })),
  },
  {
    name: 'answers an intern that the run has made before',
    says: /it was made for another create/,
    wrongs: (() => {
      const made: Json[] = [];
      return creates((_, record, name, count) => {
        made.push(record);
        return count % 4 === 3 ? { ...made[count - 3], name } : record;
      });
    })(),
  },
  {
    name: 'names what it makes as it likes',
    says: /it bears another name/,
    wrongs: creates((_, made, name) => ({ ...made, name: `${String(name)}-x7` })),
  },
  {
    name: 'has its own ids lead to the intern of another',
    says: /it is read as another; .*"ledger-bot"/,
    wrongs: aliases,
  },
];

/** Wrongs that only the clean-up could fall for: nothing need be found. */
export const LISTS_AS_OURS = { name: 'lists interns of others under names of the run', wrongs: listsAsOurs };
