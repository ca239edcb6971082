import { createLiveDriver } from '../../conformance/drivers/driver.js';
import { newEmulator } from '../../conformance/drivers/emulator.js';
import { createVirtualHost } from '../../conformance/drivers/virtual-host.js';
import type { Habit } from '../../conformance/habits/habit.js';
import type { CredentialName } from '../../conformance/probe/request.js';
import { createRandom, hash } from '../../conformance/probe/time.js';
import { PROFILES } from '../../emulator/contract/profile.js';
import type { Emulator, EmulatorOptions } from '../../emulator/index.js';
import { about, isPrompt } from '../../emulator/wire/request.js';
import type { Fetch, Serve, Setting } from '../../emulator/wire/serve.js';
import { crowd } from './crowd.js';
import { ASKERS, disobey, type Talks, whims } from './interns.js';

/** How a deployment differs from an emulator that obeys every prompt. */
export interface Deployment {
  readonly name: string;
  /** Share of prompts that the intern obeys. The others it answers in its own words. */
  readonly obeys: number;
  readonly talks?: Talks;
  /** Its intern asks for permission in words of its own: what its prompt asks it to say, or the same before it asks and after. */
  readonly asks?: keyof typeof ASKERS;
  /** ms that its clock is off. */
  readonly clockOff?: number;
  /** Others create, change and delete interns of theirs in the same workspace meanwhile. */
  readonly crowded?: true;
  /** ms that one wait of a check may take. */
  readonly slow?: number;
  /** Turns that it takes of a caller in a minute; none is refused without it. */
  readonly turns?: number;
  /** ms between the pieces of what its intern says, word by word; it says all at once without it. */
  readonly pace?: number;
  /** Only these credentials are given; all without it. */
  readonly only?: readonly CredentialName[];
  /** Names and choices that it is published with. */
  readonly profile?: keyof typeof PROFILES;
  readonly habits?: readonly Habit[];
  /** Ways to break the interface. */
  readonly wrong?: readonly Serve[];
}

/** On a regional host nothing is served, whatever a service has of its own beside (BASE-4). */
const isRegional = ({ headers, url }: Request) => /^eu\./i.test(headers.get('host') ?? new URL(url).host);

/** An emulator as a deployment, and the driver that one would get. `start` gives the emulator; another may be wrong in some way. */
export async function deploy(
  deployment: Deployment,
  seed: string,
  start: (options: EmulatorOptions) => Emulator | Promise<Emulator> = newEmulator,
) {
  const random = createRandom(hash(`${seed} ${deployment.name}`));
  const emulator = await start({
    clock: 'virtual',
    seed,
    scripts: [...whims(seed, deployment.talks), ...Object.values(ASKERS)],
    settings: { turns_per_minute: deployment.turns ?? 0, pace: deployment.pace ?? 0 },
    ...(deployment.profile === undefined ? {} : { profile: deployment.profile }),
    // Its clock is moved by the virtual host.
    log: () => {},
  });
  const over = new AbortController();
  const machine = createVirtualHost(emulator.clock, seed, emulator.clock.now() - (deployment.clockOff ?? 0));
  const { host } = machine;
  const lives = machine.live(over.signal);
  const others =
    deployment.crowded === true ? crowd(emulator, host, createRandom(hash(`${seed} crowd`)), over.signal) : undefined;
  const log: string[] = [];
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
  const usual: Fetch = (request) => emulator.fetch(request);
  const among = (ways: readonly Serve[], from: Fetch) => ways.reduce((next, serve) => serve(next, setting), from);
  const lawful = among(
    (deployment.habits ?? []).flatMap(({ serve = [] }) => serve),
    usual,
  );
  const answers = among(deployment.wrong ?? [], (request) => (isRegional(request) ? usual : lawful)(request));

  const fetch: Fetch = async (request) => {
    log.push(`${request.method} ${new URL(request.url).pathname}`);
    machine.stir();
    if (request.url.startsWith(`${String(target.daemon_origin)}/`)) return emulator.daemon.fetch(request);
    if (/\/_emulator/.test(request.url)) return new Response('{"message":"no route"}', { status: 404 });
    let asked = request;
    if (isPrompt(about(request).operation)) {
      const text = await request.clone().text();
      const said = disobey(text, random, deployment.obeys);
      const other =
        deployment.asks === undefined
          ? said
          : said.replaceAll(/script: ask-permission(?!-)/g, `script: ${ASKERS[deployment.asks].name}`);
      if (other !== text) asked = new Request(request, { body: other });
    }
    const answer = await answers(asked);
    // The time of the target, as a server on a network says it.
    if (!answer.headers.has('date')) answer.headers.set('date', new Date(emulator.clock.now()).toUTCString());
    return answer;
  };
  const driver = createLiveDriver({
    baseUrl: String(target.base_url),
    fetch,
    host,
    profile: PROFILES[deployment.profile ?? 'svc'],
    workspaceId: String(target.workspace_id),
    credentials:
      deployment.only === undefined
        ? { ...credentials, own_key: own.api_key }
        : Object.fromEntries(deployment.only.map((name) => [name, credentials[name]])),
    facts:
      deployment.only !== undefined
        ? {}
        : {
            foreignWorkspaceId: String(target.foreign_workspace_id),
            oauthSubject: String(target.oauth_subject),
            peerOauthSubject: String(target.peer_oauth_subject),
            scimMappingId: String(target.scim_mapping_id),
            // The group of the seed that nobody has mapped: one that is mapped is somebody's.
            scimGroupId: '0d000000-0000-4000-8000-000000000003',
            scimSync: 'yes',
            ownInternId: own.id,
            regionalHost: `eu.${new URL(String(target.base_url)).host}`,
          },
    publicKeys: deployment.only === undefined ? (target.public_keys as []) : [],
    ...(deployment.slow === undefined ? {} : { slow: deployment.slow }),
  });
  return {
    driver,
    host,
    /** The needs of further habits of it. */
    setting,
    /** Method and path of every request. */
    log: log as readonly string[],
    async close() {
      over.abort();
      await Promise.all([lives, others]);
      await emulator.close();
    },
  };
}
export type Deployed = Awaited<ReturnType<typeof deploy>>;
