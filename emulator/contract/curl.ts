import { curlParts } from './pasted.js';

export interface SentRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
}

/** The part of an entry of the journal that makes its curl command. */
interface Asked {
  readonly operation: string | null;
  readonly request: SentRequest;
  /** Of a stream. */
  readonly writes?: unknown;
}

/** Headers that curl makes by itself, or that belong to one connection. */
export const OWN_HEADERS =
  /^(?:host|content-length|connection|accept-encoding|transfer-encoding|user-agent|sec-.*|origin|referer|accept-language)$/;

/** The variable of the credential that a request needs, as `exec` and the target name it. */
export function credentialOf({ operation, request }: Pick<Asked, 'operation' | 'request'>): string {
  // A request that was refused for its key has no operation.
  const path = new URL(request.url, 'http://none').pathname;
  if (operation === 'scim' || path.includes('/api/v1/scim/')) return 'INTERN_MANAGEMENT_KEY';
  return operation === 'sign' || operation === 'daemon' || /\/daemon(-access)?(\/sign)?$/.test(path)
    ? 'INTERN_OAUTH_TOKEN'
    : operation === 'daemon-request'
      ? 'INTERN_DAEMON_TOKEN'
      : 'INTERN_API_KEY';
}

/**
 * A request of the journal as a curl command. The journal holds no credential: variables such as `$INTERN_API_KEY`
 * replace it, named as `exec` and the target name them.
 */
export function curlOf(entry: Asked, variable: string = credentialOf(entry)): string {
  const { headers, ...request } = entry.request;
  const bearer = /^bearer/i.test(headers.authorization ?? '');
  const own = Object.entries(headers).filter(
    ([name]) => !OWN_HEADERS.test(name) && !(bearer && name === 'authorization'),
  );
  const sent = { ...request, headers: Object.fromEntries(own), credential: bearer ? variable : undefined };
  return curlParts(sent, entry.writes === undefined ? [] : ['-N']).join(' \\\n  ');
}
