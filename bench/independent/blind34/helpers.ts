import { rewritten } from '../../../emulator/wire/answer.js';
import type { Chunk } from '../answers.js';
import { finishing, jsonIn, rowsOf } from '../blind32/helpers.js';
import type { Call, Json } from '../call.js';
import type { Next, World } from '../world.js';

/** Serves another request in place of one that the lawful service refuses. */
export async function served(w: World, next: Next, request: Request): Promise<Response> {
  const response = await next(request);
  if (response.ok) w.hit();
  return response;
}

/** Answers one read in place of another. */
export async function swapped(w: World, next: Next, other: Request): Promise<Response> {
  const response = await next(other);
  if ((await response.clone().text()) !== (await (await next()).text())) w.hit();
  return response;
}

/** Says of an answer with records whether one of them shows the fault. */
export async function showing(
  w: World,
  call: Call,
  response: Response,
  shows: (record: Json) => boolean,
): Promise<void> {
  const body = /^(list|get|update|create)$/.test(call.op) ? await jsonIn(response) : undefined;
  if (body !== undefined && (call.op === 'list' ? rowsOf(body) : [body]).some(shows)) w.hit();
}

/** The same stream, with what is done when it is over or its client has left. */
export const closing = (response: Response, over: () => void): Promise<Response> =>
  rewritten(response, {
    text(event) {
      if (event === 'data: [DONE]') over();
      return `${event}\n\n`;
    },
    left(cancel) {
      over();
      cancel();
    },
  });

export const CHANGEABLE = ['name', 'description', 'instructions', 'model'] as const;

export const settingsIn = (record: Json): Json => Object.fromEntries(CHANGEABLE.map((field) => [field, record[field]]));

export const among = (statuses: URLSearchParams): string[] =>
  statuses
    .getAll('status')
    .join(',')
    .split(',')
    .filter((status) => status !== '');

export const typeOf = ({ request }: Call): string => request.headers.get('content-type') ?? '';

export const isKnown = ({ who }: Call): boolean => who !== 'none' && who !== 'unknown' && who !== 'outsider_api_key';

/** The finish of a failed run as that of one that stopped. */
export function stopping({ error: _error, ...chunk }: Chunk): Chunk {
  return finishing(chunk, 'stop');
}
