import { isRecord, type Json, jsonOf } from '../../emulator/wire/json.js';
import { withRequest } from '../../emulator/wire/request.js';

export { isRecord as isJson, type Json, jsonOf as parsed };

const OPS: readonly (readonly [method: string, path: RegExp, op: string])[] = [
  ['GET', /^\/interns$/, 'list'],
  ['POST', /^\/interns$/, 'create'],
  ['GET', /^\/interns\/[^/]+$/, 'get'],
  ['PATCH', /^\/interns\/[^/]+$/, 'update'],
  ['DELETE', /^\/interns\/[^/]+$/, 'delete'],
  ['POST', /\/provision$/, 'provision'],
  ['POST', /\/suspend$/, 'suspend'],
  ['POST', /\/chat\/completions$/, 'chat'],
  ['POST', /\/invoke$/, 'invoke'],
  ['GET', /\/daemon$/, 'daemon'],
  ['GET', /\/daemon-access$/, 'daemon-alias'],
  ['POST', /\/daemon\/sign$/, 'sign'],
  ['POST', /\/daemon-access\/sign$/, 'sign-alias'],
  ['GET', /^\/scim\/group-mappings\/[^/]+$/, 'scim'],
  ['GET', /^\/vault\/interns\/[^/]+\/secrets$/, 'vault-list'],
];

/** A request as a wrong service looks at it. */
export interface Call {
  readonly request: Request;
  readonly url: URL;
  /** One of the operations, or empty. */
  readonly op: string;
  /** The intern or the mapping that the path names. */
  readonly id: string;
  /** The credential's name; `none` without one, `unknown` for any other. */
  readonly who: string;
  readonly text: string;
  /** The body as an object; empty for any other. */
  readonly body: Json;
  readonly regional: boolean;
}

export async function readCall(request: Request, credentials: Readonly<Record<string, string>>): Promise<Call> {
  const url = new URL(request.url);
  const path = url.pathname.replace(/^\/api\/v1/, '');
  const bearer = /^Bearer (.+)$/i.exec(request.headers.get('authorization') ?? '')?.[1];
  const text = request.body === null ? '' : await request.clone().text();
  const body = jsonOf(text);
  return {
    request,
    url,
    op: OPS.find(([method, pattern]) => method === request.method && pattern.test(path))?.[2] ?? '',
    id: path.split('/')[path.startsWith('/vault') || path.startsWith('/scim') ? 3 : 2] ?? '',
    who:
      bearer === undefined ? 'none' : (Object.entries(credentials).find(([, key]) => key === bearer)?.[0] ?? 'unknown'),
    text,
    body: isRecord(body) ? body : {},
    regional: /^eu\./i.test(request.headers.get('host') ?? url.host),
  };
}

/** The same request with another body. */
export const withBody = ({ request }: Call, body: unknown): Request =>
  withRequest(request, { body: typeof body === 'string' ? body : JSON.stringify(body) });

/** The same request with other headers, at another path if that is given; `null` deletes a header. */
export const withHeaders = (call: Call, changed: Readonly<Record<string, string | null>>, url = call.url): Request =>
  withRequest(call.request, {
    url: url.href,
    headers: Object.fromEntries(Object.entries(changed).map(([name, value]) => [name, value ?? undefined])),
    body: call.text === '' ? undefined : call.text,
  });
