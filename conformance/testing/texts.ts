import type { Manner } from './manners.js';

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** What an unauthorised, unknown or otherwise unfit request is answered is told first: nobody learns more by its text. */
async function refusedAnyway(next: Parameters<Manner>[0], request: Request): Promise<Response | undefined> {
  const response = await next(new Request(request.url, { headers: request.headers }));
  return [401, 404].includes(response.status) ? response : undefined;
}

/** A description and instructions are of letters, digits, spaces, dots and commas. */
export const takesPlainTextsOnly: Manner = (next) => async (request) => {
  const settings = /\/interns(\/[^/]+)?$/.test(new URL(request.url).pathname) && /POST|PATCH/.test(request.method);
  if (!settings) return next(request);
  const body = parsed(await request.clone().text());
  const odd = (text: unknown) => typeof text === 'string' && /^$|[^A-Za-z0-9 .,]/.test(text);
  if (!isRecord(body) || !(odd(body.description) || odd(body.instructions))) return next(request);
  return (
    (await refusedAnyway(next, request)) ??
    Response.json(
      {
        error: {
          code: 400,
          message: 'Invalid request body',
          metadata: { reason: 'invalid_body', retryable: false },
        },
      },
      { status: 400 },
    )
  );
};

/** A firewall before the service takes what is not plain for an attack, and answers a page of its own. */
export const isBehindAFirewall: Manner = (next) => async (request) => {
  if (!/POST|PATCH|DELETE/.test(request.method)) return next(request);
  const text = await request.clone().text();
  // Outsiders find nothing (AUTH-5), and a large body is not looked into.
  const attack = text.length < 10_000 && /<|'|--|;|\\u00|\$|[^\x20-\x7e]{3}/.test(text) && !text.includes('"tool"');
  if (!attack) return next(request);
  return (
    (await refusedAnyway(next, request)) ??
    new Response('<!DOCTYPE html><html><body><h1>Sorry, you have been blocked</h1></body></html>', {
      status: 403,
      headers: { 'content-type': 'text/html; charset=UTF-8', connection: 'close' },
    })
  );
};
