import { hash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Random } from '../clock/random.js';
import { ERRORS } from '../contract/errors.js';
import { suggestion } from '../contract/nearest.js';
import { givenRequestId } from '../contract/request-id.js';
import type { SpaceRequest } from '../contract/space.js';
import type { Target } from '../contract/target.js';
import { ControlError } from '../control/error.js';
import type { App } from '../http/app.js';
import { type Cors, withCors } from '../http/cors.js';
import type { NodeBindings } from '../http/exchange.js';
import { protocolError } from '../http/protocol.js';
import type { AnyResponse } from '../http/response.js';
import { BASE } from '../http/route.js';
import { type EmulatorOptions, OptionError } from '../options/options.js';
import type { Mount } from '../serving/addresses.js';
import { mountBelow } from '../serving/addresses.js';
import type { Bindings, Mounted } from '../serving/listen.js';
import { type DaemonTokens, TAG, taggedTokens } from './daemon-tokens.js';

/** An emulator as a function that answers requests. */
export interface Served extends App, Pick<Mounted, 'intercept'> {
  daemon(request: Request, bindings?: Bindings): Promise<AnyResponse>;
  readonly target: Target;
  close(): Promise<void>;
}

/**
 * A space as `GET /_emulator/spaces` lists it: a target descriptor, with what is the space's own beside it; `target` is
 * the descriptor alone, to pass on. Times are ISO 8601, of the machine's clock.
 */
export interface SpaceView extends Target {
  name: string;
  created_at: string;
  used_at: string;
  target: Target;
}

export interface SpacesDeps {
  readonly mount: Mount;
  readonly random: Pick<Random, 'seed' | 'uuid'>;
  /** ms of real time that an unused space stays. */
  readonly idle: number;
  readonly most: number;
  /** The machine's time, and its timers. */
  readonly host: { now(): number; every(ms: number, work: () => void): () => void };
  /** Another emulator, at a mount. Throws OptionError. */
  make(options: Partial<EmulatorOptions>, mount: Mount, tokens: DaemonTokens): Served;
  /** Whether a request came in by a regional hostname (BASE-4). */
  regional(host: string): boolean;
  readonly cors: Cors;
}

interface Space {
  readonly name: string;
  readonly tag: string;
  readonly served: Served;
  readonly createdAt: number;
  usedAt: number;
  /** Requests in progress. */
  open: number;
}

/** For how many ended spaces the reason is remembered. */
const ENDED_KEPT = 1_000;
/** How often idle spaces are looked for, as a share of the time that a space may be idle. */
const LOOKS = 4;

const PREFIXED = /^([a-z][a-z0-9+.-]*:\/\/[^/?#]*)?\/spaces\/([^/?#]+)(?=[/?#]|$)/i;

/** The name in a target below the prefix of a space, and the target without the prefix. */
function split(target: string): { name: string; rest: string } | undefined {
  const [whole, authority = '', name] = PREFIXED.exec(target) ?? [];
  if (whole === undefined || name === undefined) return undefined;
  const rest = target.slice(whole.length);
  return { name, rest: `${authority}${rest.startsWith('/') ? '' : '/'}${rest}` };
}

export function createSpaces(deps: SpacesDeps) {
  const { host } = deps;
  const { now } = host;
  const spaces = new Map<string, Space>();
  const byTag = new Map<string, Space>();
  const ended = new Map<string, string>();
  let stopLooking: (() => void) | undefined;

  const view = ({ name, createdAt, usedAt, served }: Space): SpaceView => ({
    ...served.target,
    name,
    created_at: new Date(createdAt).toISOString(),
    used_at: new Date(usedAt).toISOString(),
    target: served.target,
  });

  const end = (space: Space, why: string): Promise<void> => {
    spaces.delete(space.name);
    byTag.delete(space.tag);
    ended.delete(space.name);
    ended.set(space.name, why);
    for (const oldest of ended.keys()) {
      if (ended.size <= ENDED_KEPT) break;
      ended.delete(oldest);
    }
    if (spaces.size === 0) {
      stopLooking?.();
      stopLooking = undefined;
    }
    return space.served.close();
  };
  const endIdle = () => {
    const limit = now() - deps.idle;
    for (const space of [...spaces.values()])
      if (space.open === 0 && space.usedAt <= limit)
        end(space, `it was not used for ${deps.idle} ms (see --space-idle)`).catch(() => {});
  };

  const missing = (name: string): string => {
    const why = ended.get(name);
    const what = why === undefined ? `space ${name} does not exist` : `the space ${name} has ended: ${why}`;
    return `${what}; POST /_emulator/spaces makes one`;
  };
  const find = (name: string): Space => {
    const space = spaces.get(name);
    if (!space) throw new ControlError(404, missing(name) + suggestion(name, spaces.keys()));
    return space;
  };

  /** Answers for a space that does not exist. Pages may read the reason, except at its control interface. */
  const nobody = (name: string): Mounted => {
    const answer = async ({ headers, url }: Request) => {
      const row = deps.regional(headers.get('host') ?? new URL(url).host) ? ERRORS.regional : ERRORS.not_found;
      const requestId = givenRequestId(headers.get('x-request-id')) ?? deps.random.uuid();
      const message = row === ERRORS.regional ? {} : { message: missing(name) };
      return protocolError(row, { url, requestId }, message);
    };
    const forPages = withCors(deps.cors, deps.random.uuid, answer);
    return {
      answer: (request) => (new URL(request.url).pathname.startsWith(`${BASE}/`) ? forPages : answer)(request),
    };
  };

  const use = (space: Space) => {
    space.open++;
    space.usedAt = now();
    return () => {
      space.open--;
      space.usedAt = now();
    };
  };

  const tagOf = (name: string): string => {
    for (let number = 0; ; number++) {
      const tag = hash('sha256', `${name}\n${number}`, 'base64url').slice(0, TAG);
      if (!byTag.has(tag)) return tag;
    }
  };

  /** After the restore of a snapshot, the random source repeats the names of spaces that were made since. */
  const unused = (): string => {
    const name = `space-${deps.random.uuid().slice(0, 13)}`;
    return spaces.has(name) ? unused() : name;
  };

  return {
    /** Throws ControlError: 400 for an invalid value, 409 for a name that is taken or too many spaces. */
    create({ name = unused(), seed = `${deps.random.seed} ${name}`, ...wanted }: SpaceRequest): SpaceView {
      if (spaces.has(name)) throw new ControlError(409, `the space ${name} exists already: choose another name`);
      if (spaces.size >= deps.most)
        throw new ControlError(
          409,
          `there are ${spaces.size} spaces already (see --max-spaces): end one with DELETE /_emulator/spaces/{name}`,
        );
      const tag = tagOf(name);
      const options = Object.fromEntries(
        Object.entries({ ...wanted, seed }).filter(([, value]) => value !== undefined),
      );
      let served: Served;
      try {
        served = deps.make(options, mountBelow(deps.mount, `/spaces/${name}`), taggedTokens(tag));
      } catch (error) {
        throw error instanceof OptionError ? new ControlError(400, error.message) : error;
      }
      const createdAt = now();
      const space: Space = { name, tag, served, createdAt, usedAt: createdAt, open: 0 };
      spaces.set(name, space);
      byTag.set(tag, space);
      ended.delete(name);
      stopLooking ??= host.every(Math.min(30_000, Math.max(10, deps.idle / LOOKS)), endIdle);
      return view(space);
    },
    list: (): SpaceView[] => [...spaces.values()].map(view),
    /** Throws ControlError 404, which says what happened to the space. */
    get: (name: string): SpaceView => view(find(name)),
    /** Ends a space with all that goes on in it. Throws ControlError 404. */
    end: (name: string): Promise<void> => end(find(name), 'it was deleted'),
    /** The space that a request's prefix names, with the prefix taken off; undefined for any other request. */
    mounted(request: IncomingMessage, response: ServerResponse): Mounted | undefined {
      const found = request.url?.includes('/spaces/') ? split(request.url) : undefined;
      if (!found) return undefined;
      request.url = found.rest;
      const space = spaces.get(found.name);
      if (!space) return nobody(found.name);
      response.once('close', use(space));
      return space.served;
    },
    /** The same without a socket. */
    answer(request: Request, bindings: NodeBindings): AnyResponse | Promise<AnyResponse> | undefined {
      const found = split(request.url);
      if (!found) return undefined;
      const inside = new Request(found.rest, request);
      const space = spaces.get(found.name);
      if (!space) return nobody(found.name).answer(inside, bindings as Bindings);
      const leave = use(space);
      const answer = space.served.answer(inside, bindings);
      if (answer instanceof Promise) return answer.finally(leave);
      leave();
      return answer;
    },
    /** The space whose daemon a request is for; undefined if it is for no space. */
    daemonOf(request: Request): Served | undefined {
      if (byTag.size === 0) return undefined;
      const token = /^Bearer +(\S+)$/i.exec(request.headers.get('authorization') ?? '')?.[1];
      const space = byTag.get(token?.slice(-TAG) ?? '');
      if (space) space.usedAt = now();
      return space?.served;
    },
    close(): Promise<unknown> {
      stopLooking?.();
      return Promise.all([...spaces.values()].map((space) => end(space, 'the emulator was closed')));
    },
  };
}

/** Many emulators in one process, each behind a prefix (SPACE-1). */
export type Spaces = ReturnType<typeof createSpaces>;
