import type { Factories } from '../../../emulator/factories.js';
import { type Call, type Json, parsed, withHeaders } from '../call.js';
import type { Way, World } from '../world.js';

/** Another part in place of the usual one. */
export const made = (
  name: string,
  quote: string,
  factories: (usual: Factories, hit: () => void) => Partial<Factories>,
): Way => ({ name, quote, factories });

/** A caller's credentials, where they are one person's. */
export const person = (who: string): string => {
  if (who === 'api_key' || who.startsWith('oauth')) return 'caller';
  return who.startsWith('peer') ? 'peer' : who;
};
export const isMember = (who: string) => ['caller', 'peer', 'foreign_api_key', 'own_key'].includes(person(who));

export const contentType = ({ request }: Call) => request.headers.get('content-type') ?? '';
export const isRecord = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
export const bodyOf = async (response: Response): Promise<Json> => {
  const body = parsed(await response.clone().text());
  return isRecord(body) ? body : {};
};

/** The same request with the credential of somebody else. */
export const as = (w: World, call: Call, who: string): Request =>
  withHeaders(call, { authorization: `Bearer ${w.credentials[who] ?? who}` });

/** The intern of a path, as the lawful service shows it to this caller; undefined where it does not. */
export async function shown(w: World, call: Call): Promise<Json | undefined> {
  const url = new URL(call.url.pathname.replace(/(\/interns\/[^/]+).*/, '$1'), call.url);
  const headers = new Headers(call.request.headers);
  for (const name of ['content-type', 'content-length', 'transfer-encoding']) headers.delete(name);
  const response = await w.next(new Request(url, { headers }));
  return response.ok ? bodyOf(response) : undefined;
}

/** A further request of the same caller's, to another operation on the same intern. */
export const also = (w: World, call: Call, method: string, rest: string, body?: Json) =>
  w.ask(method, `/interns/${call.id}${rest}`, {
    as: call.who,
    ...(body === undefined ? {} : { body }),
  });

/** It was booted once, and its runtime was stopped. */
export const isSuspended = ({ status, hostname }: Json) => status === 'stopped' && hostname !== null;
