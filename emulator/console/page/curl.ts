import type { Entry } from './types.js';

/** Headers that curl makes by itself, or that belong to one connection. */
export const OWN_HEADERS =
  /^(?:host|content-length|connection|accept-encoding|transfer-encoding|user-agent|sec-.*|origin|referer|accept-language)$/;

const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

/** The variable of the credential that a request needs, as `exec` and the target name it. */
export const credentialOf = ({ operation }: Pick<Entry, 'operation'>): string =>
  operation === 'scim'
    ? 'INTERN_MANAGEMENT_KEY'
    : operation === 'sign' || operation === 'daemon'
      ? 'INTERN_OAUTH_TOKEN'
      : 'INTERN_API_KEY';

/**
 * A request of the journal as a curl command. The journal holds no credential: variables such as `$INTERN_API_KEY`
 * replace it, named as `exec` and the target name them.
 */
export function curlOf(entry: Entry): string {
  const { method, url, headers, body } = entry.request;
  const streams = entry.writes !== undefined;
  const key = `$${credentialOf(entry)}`;
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
