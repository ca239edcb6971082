import { refusal } from '../../emulator/wire/answer.js';
import { isRecord, type Json } from '../../emulator/wire/json.js';
import { bodyOf as jsonIn, tokenOf } from '../../emulator/wire/request.js';
import type { Fetch, Serve } from '../../emulator/wire/serve.js';
import type { Explanation, Head, Knowledge, Sighting, Visit } from './visit.js';

/** A behaviour of a service that no sentence of the interface forbids. Files of habits import only each other to run. */
export interface Habit {
  readonly id: string;
  /** The behaviour of the service: `gives short pages`. */
  readonly what: string;
  /** The kit's reaction; with `what`, a row of docs/kit.md. Absent where another habit has the same row. */
  readonly kit?: string;
  /** Published requirements that the habit breaks: a warning. `reason`: any requirement, if only the reason differs. */
  readonly differs?: readonly string[];
  /** Makes a service with the habit. */
  readonly serve?: Serve;
  /** ms that a read must wait after an earlier write of the run. */
  before?(read: { readonly id: string | undefined; readonly path: string }, known: Knowledge): number;
  /** ms after which a request is repeated because of its answer; undefined if the answer counts. */
  again?(head: Head, known: Knowledge): number | undefined;
  /** Prepares for a check that runs alone. */
  prepare?(visit: Visit): Promise<void>;
  /** Explains a finding, if the habit can. May send requests. */
  explains?(sighting: Sighting, visit: Visit): Explanation | undefined | Promise<Explanation | undefined>;
  /** Whether it may explain a missing answer, too. */
  readonly silent?: true;
}

/** The body of a request as a JSON object; empty for any other body. */
export async function bodyOf(request: Request): Promise<Readonly<Json>> {
  const json = await jsonIn(request);
  return isRecord(json) ? json : {};
}

/** The id in the answer to a create. */
export const idIn = async (response: Response): Promise<string> =>
  ((await response.clone().json()) as { id: string }).id;

export const unknown = (): Response => refusal(404, 'Intern not found', 'not_found');

/** The address of the interface, by a request to any of its paths. */
const baseOf = ({ url }: Request): string => /^.*?\/api\/v1(?=[/?#]|$)/.exec(url)?.[0] ?? new URL('/api/v1', url).href;

/** Another request to the intern, with the credential of this request or another one. */
export const beside = (request: Request, id: string, method: string, rest = '', token = tokenOf(request)): Request =>
  new Request(`${baseOf(request)}/interns/${id}${rest}`, {
    method,
    headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
  });

/** Changes every intern of an answer, alone or in a list, but no secrets and mappings. */
export function eachRecord(json: unknown, change: (record: Json) => void): void {
  if (!isRecord(json)) return;
  if (typeof json.id === 'string' && 'vault_id' in json) change(json);
  const isIntern = (entry: unknown): entry is Json => isRecord(entry) && 'name' in entry && 'status' in entry;
  if (Array.isArray(json.data)) for (const entry of json.data) if (isIntern(entry)) change(entry);
}

/** The refusal of an unauthorized, unknown or otherwise invalid request, which precedes the habit; undefined for a valid one. */
export async function refusedAnyway(next: Fetch, request: Request): Promise<Response | undefined> {
  const response = await next(new Request(request.url, { headers: request.headers }));
  return [401, 404].includes(response.status) ? response : undefined;
}

/** ms to wait by a Retry-After header, in seconds or as a date. Undefined without a valid one. */
export function retryAfter(value: string | null, now: number): number | undefined {
  if (value === null) return undefined;
  const ms = /^\d+(\.\d+)?$/.test(value.trim()) ? Number(value) * 1000 : Date.parse(value) - now;
  return Number.isFinite(ms) && ms >= 0 ? ms : undefined;
}
