import type { InternsDeps } from '../../../emulator/domain/interns.js';
import type { LifecyclePlan } from '../../../emulator/scripts/behaviour.js';
import type { Json } from '../call.js';
import { isJson } from '../call.js';
import type { World } from '../world.js';

export type InternRow = Parameters<InternsDeps['plan']>[0];

/** True at every nth call. */
export function everyNth(n: number): () => boolean {
  let count = 0;
  return () => {
    count += 1;
    return count % n === 0;
  };
}

/** Interns of an answer: one, or those of a list. */
export const internsIn = (body: Json): Json[] => {
  if (Array.isArray(body.data)) return body.data.filter(isJson);
  return typeof body.status === 'string' && typeof body.name === 'string' ? [body] : [];
};

/** The bearer token of a request, or empty. */
export const bearer = (request: Request): string =>
  /^Bearer +(\S+)/i.exec(request.headers.get('authorization') ?? '')?.[1] ?? '';

/** The runs of an intern, as the service knows them. */
export async function runsOf(world: World, id: string): Promise<Json[]> {
  const url = `${world.target.control_url}/runs?intern_id=${encodeURIComponent(id)}`;
  const response = await world.emulator.fetch(url);
  if (!response.ok) return [];
  const { data } = (await response.json()) as { data: Json[] };
  return data;
}

/** Whether a credential sees an intern, and its record. */
export async function seen(world: World, id: string, token: string): Promise<Json | undefined> {
  const response = await world.ask('GET', `/interns/${id}`, { as: token });
  return response.ok ? ((await response.json()) as Json) : undefined;
}

/** The same plan with some of it replaced. */
export const planned =
  (deps: InternsDeps, change: (row: InternRow, plan: LifecyclePlan) => LifecyclePlan): InternsDeps['plan'] =>
  (row) =>
    change(row, deps.plan(row));

/** Members of the two workspaces by their API keys or OAuth tokens: nobody whom a sentence sends to 404 or 401. */
const MEMBERS = [
  'api_key',
  'peer_api_key',
  'foreign_api_key',
  'oauth_token',
  'oauth_interns_only_token',
  'peer_oauth_token',
];
export const isMember = (who: string): boolean => MEMBERS.includes(who);
