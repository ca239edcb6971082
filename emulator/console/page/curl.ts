import type { Entry } from './types.js';

/** Headers that curl makes by itself, or that belong to one connection. */
export const OWN_HEADERS =
  /^(?:host|content-length|connection|accept-encoding|transfer-encoding|user-agent|sec-.*|origin|referer|accept-language)$/;

const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

/** The variable of the credential that a request needs, as `exec` and the target name it. */
export function credentialOf({ operation, request }: Pick<Entry, 'operation' | 'request'>): string {
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
export function curlOf(
  entry: Pick<Entry, 'operation' | 'request' | 'writes'>,
  credential: string = credentialOf(entry),
): string {
  const { method, url, headers, body } = entry.request;
  const streams = entry.writes !== undefined;
  const key = `$${credential}`;
  const lines = [`curl ${streams ? '-N ' : ''}${method === 'GET' ? '' : `-X ${method} `}${quoted(url)}`];
  for (const [name, value] of Object.entries(headers)) {
    if (OWN_HEADERS.test(name)) continue;
    if (name === 'authorization' && /^bearer/i.test(value)) lines.push(`-H "Authorization: Bearer ${key}"`);
    else lines.push(`-H ${quoted(`${name}: ${value}`)}`);
  }
  // Otherwise curl declares a form.
  if (body !== null && body !== '' && !('content-type' in headers)) lines.push('-H content-type:');
  if (body !== null && body !== '') lines.push(`--data-raw ${quoted(body)}`);
  return lines.join(' \\\n  ');
}
