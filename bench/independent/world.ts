import { OBEDIENT } from '../../conformance/mutants/live.js';
import type { Target } from '../../emulator/contract/target.js';
import { assemble, type Emulator } from '../../emulator/emulator.js';
import { defaultFactories, type Factories } from '../../emulator/factories.js';
import type { Fetch, Serve, Setting } from '../../emulator/wire/serve.js';
import { type Deployed, deploy } from '../../test/targets/deployment.js';
import { type Answers, answersOf } from './answers.js';
import { type Call, readCall } from './call.js';

export type Next = (request?: Request) => Promise<Response>;
/** Answers a call, wrongly or not; `next` asks the lawful service. */
export type Answer = (call: Call, next: Next) => Promise<Response>;

/** One way to be wrong. */
export interface Way {
  readonly name: string;
  /** The sentence that it breaks. */
  readonly quote: string;
  readonly wrong?: (world: World) => Answer;
  /** The same of its daemons. */
  readonly daemons?: (world: World) => Answer;
  readonly factories?: (usual: Factories, hit: () => void) => Partial<Factories>;
  /** Why a caller cannot bring it about, where it turned out so: it keeps its number and is counted nowhere. */
  readonly unseen?: string;
  /** Breaks no sentence after all: judged as a false finding. */
  readonly lawful?: true;
  /** It keeps what is stated and not all that is published, as a deployment that does not declare it: that is warned of. */
  readonly unpublished?: true;
}

interface Asked {
  readonly as?: string;
  readonly body?: unknown;
}

/** What a wrong service knows and can do, beside what the lawful one does. */
export interface World extends Answers {
  readonly baseUrl: string;
  readonly target: Target;
  readonly emulator: Emulator;
  /** The lawful service itself. */
  readonly next: Fetch;
  readonly workspaces: { readonly own: string; readonly foreign: string };
  /** By the name that the kit's options give it. */
  readonly credentials: Readonly<Record<string, string>>;
  readonly setting: Setting;
  /** Asks the lawful service, as the caller's API key unless `as` names another credential. */
  ask(method: string, path: string, asked?: Asked): Promise<Response>;
  /** The wrongness showed. */
  hit(): void;
}

/** A deployment that is wrong in one way, and how often that showed so far. */
export async function deployWay(way: Way, seed: string): Promise<{ deployed: Deployed; hits: () => number }> {
  let hits = 0;
  const hit = () => {
    hits += 1;
  };
  let emulator: Emulator | undefined;
  const serve = (make: ((world: World) => Answer) | undefined): Serve | undefined => {
    if (make === undefined) return undefined;
    return (next, setting) => {
      let world: World | undefined;
      let answer: Answer | undefined;
      return async (request) => {
        if (emulator === undefined) throw new Error('a request came before the emulator');
        world ??= worldOf(emulator, next, setting, hit);
        answer ??= make(world);
        const call = await readCall(request, world.credentials);
        return answer(call, (changed) => next(changed ?? request));
      };
    };
  };
  const wrong = serve(way.wrong);
  const daemons = serve(way.daemons);
  const deployed = await deploy(
    {
      ...OBEDIENT,
      ...(way.unpublished ? { profile: 'svc' } : {}),
      ...(wrong ? { wrong: [wrong] } : {}),
      ...(daemons ? { daemons } : {}),
    },
    seed,
    (how) => {
      emulator = assemble(how, { ...defaultFactories, ...way.factories?.(defaultFactories, hit) });
      return emulator;
    },
  );
  return { deployed, hits: () => hits };
}

function worldOf(emulator: Emulator, next: Fetch, setting: Setting, hit: () => void): World {
  const { target, fetch } = emulator;
  const { intern, ...named } = target.credentials;
  const credentials: Record<string, string> = { ...named, ...(intern ? { own_key: intern.api_key } : {}) };
  const baseUrl = target.base_url;
  return {
    baseUrl,
    target,
    emulator,
    next,
    workspaces: { own: target.workspace_id, foreign: target.foreign_workspace_id ?? '' },
    credentials,
    setting,
    hit,
    ask(method, path, { as = 'api_key', body } = {}) {
      const headers = new Headers({ authorization: `Bearer ${credentials[as] ?? as}` });
      if (body !== undefined) headers.set('content-type', 'application/json');
      const sent = typeof body === 'string' ? body : JSON.stringify(body);
      return fetch(new Request(baseUrl + path, { method, headers, ...(body === undefined ? {} : { body: sent }) }));
    },
    ...answersOf(hit),
  };
}
