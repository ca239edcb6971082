import type fc from 'fast-check';
import type { Ctx } from '../framework/context.js';
import * as expect from '../framework/expect.js';
import type { Answer } from '../probe/client.js';
import type { As, Send } from '../probe/request.js';
import { JSON_TYPE, textBytes } from './bytes.js';
import { type OperationRow, request } from './operations.js';

/** A request to which faults are added one by one. */
export interface Draft {
  readonly row: OperationRow;
  send: Send;
}

/** A fault, in its place in the order of refusals (BODY-5). */
export interface Stage {
  readonly name: string;
  readonly status: number;
  /** Whether an operation can have the fault. */
  applies(row: OperationRow): boolean;
  /** Adds the fault to the request. */
  spoil(draft: Draft, ctx: Ctx): void | Promise<void>;
}

const READS_BODY = ({ method }: OperationRow) => method !== 'GET';
const LOOKS_AT_TYPE = (row: OperationRow) => READS_BODY(row) && row.name !== 'chat' && row.name !== 'invoke';
const OAUTH = ({ as }: OperationRow) => as === 'oauth_token';

/** Of one byte too many. It is one text for all, since a megabyte takes long to make. */
const TOO_LARGE = ' '.repeat(1_048_577);

const turn = (row: OperationRow, as: As): As => as ?? row.as;

/** The faults in the order in which a service checks them. */
export const STAGES: readonly Stage[] = [
  {
    name: 'regional host',
    status: 403,
    applies: () => true,
    spoil: (draft, { target }) => {
      draft.send = { ...draft.send, host: target.regionalHost ?? '' };
    },
  },
  {
    name: 'wrong key',
    status: 401,
    applies: () => true,
    spoil: (draft, { wrongKey }) => {
      draft.send = { ...draft.send, as: wrongKey };
    },
  },
  {
    name: 'outside the programme',
    status: 404,
    applies: () => true,
    spoil: (draft) => {
      draft.send = { ...draft.send, as: 'outsider_api_key' };
    },
  },
  {
    name: 'wrong method',
    status: 405,
    applies: () => true,
    spoil: (draft) => {
      draft.send = { ...draft.send, method: 'PUT' };
    },
  },
  {
    name: 'unknown intern',
    status: 404,
    applies: ({ on }) => on === 'intern',
    spoil: (draft, { interns }) => {
      draft.send = { ...draft.send, path: draft.row.path(interns.unknownId()) };
    },
  },
  {
    name: 'wrong kind of credential',
    status: 403,
    applies: OAUTH,
    spoil: (draft) => {
      draft.send = { ...draft.send, as: 'api_key' };
    },
  },
  {
    name: 'too large',
    status: 413,
    applies: READS_BODY,
    spoil: (draft) => {
      const { json: _, ...rest } = draft.send;
      draft.send = { ...rest, body: TOO_LARGE, headers: { ...JSON_TYPE, ...rest.headers } };
    },
  },
  {
    name: 'media type',
    status: 415,
    applies: LOOKS_AT_TYPE,
    spoil: (draft) => {
      const { json, ...rest } = draft.send;
      const body = rest.body ?? textBytes(JSON.stringify(json ?? {}));
      draft.send = { ...rest, body, headers: { ...rest.headers, 'content-type': 'text/plain' } };
    },
  },
  {
    name: 'invalid body or query',
    status: 400,
    applies: (row) => row.name === 'list' || READS_BODY(row),
    spoil: (draft) => {
      const { send, row } = draft;
      if (row.name === 'list') draft.send = { ...send, path: `${send.path}?limit=0` };
      // The body that is too large is invalid, too: it is white space.
      else if (send.body === TOO_LARGE) return;
      else {
        const { json: _, ...rest } = send;
        draft.send = { ...rest, body: textBytes('{"'), headers: { ...JSON_TYPE, ...rest.headers } };
      }
    },
  },
];

/** Pairs of faults in the same part of a request, which exclude each other. */
const EXCLUSIVE = [
  ['wrong key', 'outside the programme'],
  ['wrong key', 'wrong kind of credential'],
  ['outside the programme', 'wrong kind of credential'],
];

export const compatible = (one: Stage, other: Stage): boolean =>
  !EXCLUSIVE.some((pair) => pair.includes(one.name) && pair.includes(other.name));

/** A request for an operation on an intern, with these faults. */
export async function spoilt(ctx: Ctx, row: OperationRow, id: string, stages: readonly Stage[]): Promise<Send> {
  const draft: Draft = { row, send: request(ctx, row, id) };
  // In this order each fault keeps the earlier ones: size, media type, content.
  for (const stage of stages) await stage.spoil(draft, ctx);
  return { ...draft.send, as: turn(row, draft.send.as ?? row.as), limited: true };
}

/** Invalid values, and their valid twins. */
export interface Refused<T> {
  /** The request, for findings: `a prompt with`. */
  readonly of: string;
  readonly as: expect.ExpectedError;
  readonly twins: readonly T[];
  /** `few` (1) of these where requests cost, each with one thing wrong. */
  readonly wrong: readonly T[];
  readonly few?: number;
  /** Generated values, too. */
  readonly more?: fc.Arbitrary<T>;
  send(value: T): Promise<Answer>;
}

/** The valid twins are accepted, and each invalid value is refused. */
export async function refuses<T>(ctx: Pick<Ctx, 'property' | 'sample'>, refused: Refused<T>): Promise<void> {
  const { of, as, twins, wrong, few, more, send } = refused;
  for (const twin of twins) expect.success(await send(twin), `${of} ${JSON.stringify(twin)}, a valid twin`);
  const look = async (value: T) => expect.error(await send(value), as, `${of} ${JSON.stringify(value)}`);
  for (const value of ctx.sample(wrong, few)) await look(value);
  if (more !== undefined) await ctx.property(of, more, look);
}
