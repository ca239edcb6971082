import type { Ask, Behaviour, Emulator, EmulatorOptions } from '../../emulator/index.js';
import type { Driver } from '../drivers/driver.js';
import { newEmulator } from '../drivers/emulator.js';
import { createLiveDriver } from '../drivers/live.js';
import { SHIPPED } from '../framework/profile.js';
import { createRandom, hash } from '../framework/random.js';
import type { Host } from '../framework/time.js';
import type { Fetch } from '../probe/client.js';
import type { CredentialName } from '../probe/request.js';
import type { RequirementId } from '../requirements/index.js';
import { crowd } from './crowd.js';
import {
  failsInBetween,
  hasRoomForFew,
  isTidiedUp,
  knowsItsSessionsOnly,
  listsLate,
  membersRead,
  namesRoutesItsWay,
  needsAMoment,
  oneThingAtATime,
  opensLate,
  readsLate,
  readsReplicas,
  saysNoMoreThanNeeded,
  signsForItsRoutes,
  tokensExpire,
  wakesForAPrompt,
} from './habits.js';
import {
  bootsAtOnce,
  dropsWhatIsLarge,
  failsAtTimes,
  fieldsOfItsOwn,
  kindFirst,
  type Manner,
  noticesLate,
  peersApart,
  queuesForGood,
  reasonsOfItsOwn,
  type Setting,
  settlesFirst,
  shortPages,
  showsItsModel,
  statusesOfItsOwn,
  streamsItsWay,
  successesOfItsOwn,
  suspendsSlowly,
  suspendsWhatIsIdle,
  tidiesTexts,
  vaultsOfItsOwn,
} from './manners.js';
import { isBehindAFirewall, takesPlainTextsOnly } from './texts.js';
import { createVirtualHost } from './virtual-host.js';

/** How a guise differs from an emulator that obeys every prompt. */
export interface Guise {
  readonly name: string;
  /** Share of prompts that the intern obeys. The others it answers in its own words. */
  readonly obeys: number;
  /** ms before each answer. */
  readonly delay?: number;
  /** Its intern always has much to say: bit by bit, or all at once when it has thought. */
  readonly talks?: 'at length' | 'at once';
  /** Its intern asks for permission in words of its own: what it is told to say, or the same before it asks and after. */
  readonly asks?: 'as told' | 'over again';
  /** Holds every stream back until it has ended, as a proxy does that buffers. */
  readonly buffers?: true;
  /** ms that its clock is off. */
  readonly clockOff?: number;
  /** Others create, change and delete interns of theirs in the same workspace meanwhile. */
  readonly crowded?: true;
  /** ms that one wait of a check may take. */
  readonly slow?: number;
  /** Requests per second of its own time; more get 429. */
  readonly perSecond?: number;
  /** Ways of its own to answer. */
  readonly manners?: readonly Manner[];
  /** A way of its daemons. */
  readonly daemons?: Manner;
}

/** Servers that keep every sentence of the interface and behave as real ones may. The one that buffers is the exception. */
export const GUISES: readonly Guise[] = [
  { name: 'obeys every prompt', obeys: 1 },
  { name: 'obeys nothing and chats', obeys: 0 },
  { name: 'obeys half the time', obeys: 0.5 },
  { name: 'takes its time for each answer', obeys: 0.5, delay: 2_000 },
  { name: 'has a clock an hour ahead', obeys: 0.5, clockOff: 3_600_000 },
  { name: 'has a clock an hour behind', obeys: 0.5, clockOff: -3_600_000 },
  { name: 'is crowded', obeys: 0.5, crowded: true },
  { name: 'is waited for', obeys: 0.7, slow: 310_000 },
  { name: 'takes one request a second', obeys: 0.7, perSecond: 1 },
  { name: 'has fields of its own', obeys: 0.8, manners: [fieldsOfItsOwn, streamsItsWay] },
  { name: 'gives short pages, to each member its own', obeys: 0.5, crowded: true, manners: [shortPages, peersApart] },
  { name: 'judges the kind of a credential first', obeys: 0.8, manners: [kindFirst, tidiesTexts] },
  { name: 'is behind a proxy that drops what is large', obeys: 0.8, manners: [dropsWhatIsLarge] },
  { name: 'notices late that a client has gone', obeys: 0.5, slow: 310_000, manners: [noticesLate] },
  { name: 'queues what waits for a provision', obeys: 0.8, manners: [queuesForGood] },
  {
    name: 'takes a moment to suspend, and names its model',
    obeys: 0.9,
    manners: [suspendsSlowly, showsItsModel, vaultsOfItsOwn],
  },
  { name: 'suspends what is idle', obeys: 0.9, manners: [suspendsWhatIsIdle] },
  { name: 'lists late what was made', obeys: 0.9, manners: [listsLate] },
  { name: 'boots at once what it creates', obeys: 0.9, manners: [bootsAtOnce] },
  { name: 'fails to boot, or to go, at times', obeys: 0.5, manners: [settlesFirst, failsAtTimes] },
  { name: 'says what it is told to', obeys: 1, asks: 'as told' },
  { name: 'says again what it said before it asked', obeys: 0.9, asks: 'over again' },
  { name: 'reads late what was written', obeys: 0.9, manners: [readsLate] },
  { name: 'thinks before it says anything', obeys: 0, talks: 'at once', manners: [opensLate] },
  { name: 'is read from replicas', obeys: 0.9, manners: [readsReplicas] },
  { name: 'is behind a gateway that is down at times', obeys: 0.8, manners: [failsInBetween] },
  { name: 'needs a moment before it takes prompts', obeys: 0.9, manners: [needsAMoment] },
  { name: 'has room for few interns', obeys: 0.9, manners: [hasRoomForFew] },
  { name: 'is tidied up by somebody else', obeys: 0.9, manners: [isTidiedUp] },
  { name: 'lets nobody else create interns', obeys: 0.9, manners: [membersRead] },
  { name: 'is behind a firewall', obeys: 0.9, manners: [isBehindAFirewall] },
];

export const BUFFERING: Guise = {
  name: 'is behind a proxy that holds streams back',
  obeys: 0,
  talks: 'at length',
  buffers: true,
};

export const OTHER_REASONS: Guise = {
  name: 'gives reasons of its own for a 409',
  obeys: 1,
  manners: [reasonsOfItsOwn],
};

/** Keeps what is stated, and of what is published all but these requirements. */
export const UNPUBLISHED: readonly (Guise & { readonly differs: readonly RequirementId[] })[] = [
  { name: 'wakes for a prompt', obeys: 1, manners: [wakesForAPrompt], differs: ['CHAT-16', 'LIFE-1'] },
  { name: 'names the route of a proof its way', obeys: 1, manners: [namesRoutesItsWay], differs: ['SIGN-3'] },
  { name: 'signs for the routes that it knows', obeys: 1, manners: [signsForItsRoutes], differs: ['SIGN-3'] },
  { name: 'says no more than needed', obeys: 1, manners: [saysNoMoreThanNeeded], differs: ['GET-1'] },
  { name: 'knows its own sessions only', obeys: 1, manners: [knowsItsSessionsOnly], differs: ['CHAT-15'] },
  { name: 'does one thing at a time', obeys: 1, manners: [oneThingAtATime], differs: ['CHAT-14'] },
  { name: 'takes plain texts only', obeys: 1, manners: [takesPlainTextsOnly], differs: ['CREATE-5', 'UPDATE-1'] },
];

/** Its OAuth tokens expire while the kit is at work. */
export const EXPIRING: Guise = { name: 'lets tokens expire', obeys: 1, manners: [tokensExpire] };

export const OTHER_SUCCESSES: Guise = {
  name: 'has success statuses of its own',
  obeys: 1,
  manners: [successesOfItsOwn],
};

export const OTHER_STATUSES: Guise = {
  name: 'has statuses of its own',
  obeys: 1,
  manners: [statusesOfItsOwn],
};

const WORDS = 'well let me see the sea is blue and a ship went by before noon so that is all there was to it'.split(
  ' ',
);

/** What an intern says that does as it likes: a few words, many, a question now and then, an error once in a while. */
function whims(seed: string, talks: Guise['talks']): Behaviour[] {
  const random = createRandom(hash(`${seed} whims`));
  const words = (n: number) => Array.from({ length: n }, () => WORDS[Math.floor(random() * WORDS.length)]).join(' ');
  const asks: Ask = {
    kind: 'elicitation',
    message: 'Which colour?',
    fields: [{ name: 'answer', type: 'string' }],
  };
  return [
    {
      name: 'whim',
      async *turn(_, { clock }) {
        if (talks === 'at once') {
          await clock.sleep(2_000 + Math.floor(random() * 2_000));
          for (let at = 0; at < 10; at++) yield { say: `${words(1)} ` };
          return;
        }
        const kind = talks === undefined ? random() : 0.6;
        if (kind < 0.1) await clock.sleep(900);
        yield { say: words(2) };
        if (kind > 0.5) {
          for (let at = 0; at < 12; at++) {
            await clock.sleep(60 + Math.floor(random() * 400));
            yield { say: ` ${words(1)}` };
          }
        }
        if (kind > 0.3 && kind < 0.36) yield { ask: asks };
        if (random() < 0.5) yield { usage: { prompt_tokens: 3, completion_tokens: 5, total_tokens: 8 } };
        if (kind > 0.26 && kind <= 0.3) yield { end: 'failed', retryable: true };
      },
    },
  ];
}

/** An intern that asks for permission, and says before what its prompt tells it to, or its prompt, and that again after. */
const asker = (name: string, again: boolean): Behaviour => ({
  name,
  async *turn({ prompt }, { random }) {
    const word = /with the word (\w+) in it/.exec(prompt)?.[1];
    const told = `I am going to look at ${Math.floor(random.float() * 1e9)} things in the shell, and ${word} is the word for it. `;
    const opening = again ? `You said: ${prompt} ` : word === undefined ? 'Just a moment. ' : told;
    yield { say: opening };
    yield { ask: { kind: 'permission', operation: 'shell', options: ['allow_once', 'reject_once'] } };
    yield { say: again ? `${opening}Done.` : 'Done.' };
  },
});
const ASKERS = { 'as told': asker('asks-as-told', false), 'over again': asker('asks-over-again', true) };

/** The text of the last user message, where it is a plain one. */
function disobey(text: string, random: () => number, obeys: number): string {
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    return text;
  }
  const record = body as { messages?: { role?: unknown; content?: unknown }[]; input?: unknown } | null;
  const another = (said: unknown) => typeof said === 'string' && said !== '' && said.length < 1_000;
  if (random() < obeys) return text;
  const last = Array.isArray(record?.messages) ? record.messages.at(-1) : undefined;
  if (last?.role === 'user' && another(last.content)) {
    last.content = `script: whim\n${last.content}`;
    return JSON.stringify(body);
  }
  if (another(record?.input)) {
    (record as { input: string }).input = `script: whim\n${record?.input}`;
    return JSON.stringify(body);
  }
  return text;
}

const isChat = (url: string) => /\/(chat\/completions|invoke)$/.test(new URL(url).pathname);

/** An emulator in disguise, and the driver that a deployment would get. */
export interface Disguised {
  readonly driver: Driver;
  readonly host: Host;
  /** Method and path of every request. */
  readonly log: readonly string[];
  close(): Promise<void>;
}

/** `start` gives the emulator that is disguised; another may be wrong in some way. */
export async function disguise(
  guise: Guise,
  seed: string,
  start: (options: EmulatorOptions) => Emulator | Promise<Emulator> = newEmulator,
): Promise<Disguised> {
  const random = createRandom(hash(`${seed} ${guise.name}`));
  const emulator = await start({
    clock: 'virtual',
    seed,
    scripts: [...whims(seed, guise.talks), ...Object.values(ASKERS)],
    settings: { turns_per_minute: 0 },
  });
  const over = new AbortController();
  const machine = createVirtualHost(emulator.clock, seed, emulator.clock.now() - (guise.clockOff ?? 0));
  const { host } = machine;
  const lives = machine.live(over.signal);
  const others =
    guise.crowded === true ? crowd(emulator, host, createRandom(hash(`${seed} crowd`)), over.signal) : undefined;
  const log: string[] = [];
  const sent: number[] = [];
  const target = emulator.target as unknown as Record<string, unknown> & { credentials: Record<string, unknown> };
  const { intern, ...credentials } = target.credentials as Partial<Record<CredentialName, string>> & {
    intern: unknown;
  };
  const own = intern as { id: string; api_key: string };
  const setting: Setting = {
    host,
    random,
    keys: {
      peer: String(credentials.peer_api_key),
      outsider: String(credentials.outsider_api_key),
      api: [
        String(credentials.api_key),
        String(credentials.peer_api_key),
        String(credentials.foreign_api_key),
        own.api_key,
      ],
    },
    async puts(id, name) {
      const url = `${String(target.control_url)}/interns/${id}/script`;
      const headers = { 'content-type': 'application/json' };
      await emulator.fetch(new Request(url, { method: 'PUT', headers, body: JSON.stringify({ name }) }));
    },
  };
  const answers = (guise.manners ?? []).reduce<Fetch>(
    (next, manner) => manner(next, setting),
    (request) => emulator.fetch(request),
  );

  const answersOfDaemons = (guise.daemons ?? ((next) => next))((request) => emulator.daemon.fetch(request), setting);

  const fetch: Fetch = async (request) => {
    log.push(`${request.method} ${new URL(request.url).pathname}`);
    machine.stir();
    if (request.url.startsWith(`${String(target.daemon_origin)}/`)) return answersOfDaemons(request);
    if (/\/_emulator/.test(request.url)) return new Response('{"message":"no route"}', { status: 404 });
    if (guise.perSecond !== undefined) {
      const now = host.now();
      while (sent[0] !== undefined && sent[0] <= now - 1_000) sent.shift();
      if (sent.length >= guise.perSecond) return limited();
      sent.push(now);
    }
    if (guise.delay !== undefined) await host.sleep(guise.delay);
    let asked = request;
    if (isChat(request.url) && request.method === 'POST') {
      const text = await request.clone().text();
      const said = disobey(text, random, guise.obeys);
      const other =
        guise.asks === undefined
          ? said
          : said.replaceAll('script: ask-permission', `script: ${ASKERS[guise.asks].name}`);
      if (other !== text) asked = new Request(request, { body: other });
    }
    const response = await answers(asked);
    const streams = /event-stream/.test(response.headers.get('content-type') ?? '');
    if (guise.buffers !== true || !streams) return response;
    const { status, headers } = response;
    return new Response(await response.arrayBuffer(), { status, headers });
  };
  const driver = createLiveDriver({
    baseUrl: String(target.base_url),
    fetch,
    host,
    profile: SHIPPED.svc as NonNullable<typeof SHIPPED.svc>,
    workspaceId: String(target.workspace_id),
    credentials: { ...credentials, own_key: own.api_key },
    facts: {
      foreignWorkspaceId: String(target.foreign_workspace_id),
      oauthSubject: String(target.oauth_subject),
      peerOauthSubject: String(target.peer_oauth_subject),
      scimMappingId: String(target.scim_mapping_id),
      ownInternId: own.id,
    },
    publicKeys: target.public_keys as [],
    ...(guise.slow === undefined ? {} : { slow: guise.slow }),
  });
  return {
    driver,
    host,
    log,
    async close() {
      over.abort();
      await Promise.all([lives, others]);
      await emulator.close();
    },
  };
}

const limited = () =>
  new Response(
    JSON.stringify({
      error: { code: 429, message: 'Too many requests', metadata: { reason: 'rate_limited', retryable: true } },
    }),
    { status: 429, headers: { 'content-type': 'application/json', 'retry-after': '1' } },
  );
