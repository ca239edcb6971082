import type { Entry } from './types.js';

/** Headers that curl makes by itself, or that belong to one connection. */
const OWN =
  /^(?:host|content-length|connection|accept-encoding|transfer-encoding|user-agent|sec-.*|origin|referer|accept-language)$/;

const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

/**
 * A request of the journal as a curl command. The journal holds no credential: variables such as `$INTERN_API_KEY`
 * replace it, named as `exec` and the target name them.
 */
export function curlOf(entry: Entry): string {
  const { method, url, headers, body } = entry.request;
  const streams = entry.writes !== undefined;
  const key =
    entry.operation === 'scim'
      ? '$INTERN_MANAGEMENT_KEY'
      : entry.operation === 'sign' || entry.operation === 'daemon'
        ? '$INTERN_OAUTH_TOKEN'
        : '$INTERN_API_KEY';
  const lines = [`curl ${streams ? '-N ' : ''}${method === 'GET' ? '' : `-X ${method} `}${quoted(url)}`];
  for (const [name, value] of Object.entries(headers)) {
    if (OWN.test(name)) continue;
    if (name === 'authorization' && /^bearer/i.test(value)) lines.push(`-H "Authorization: Bearer ${key}"`);
    else lines.push(`-H ${quoted(`${name}: ${value}`)}`);
  }
  // Otherwise curl declares a form.
  if (body !== null && body !== '' && !('content-type' in headers)) lines.push('-H content-type:');
  if (body !== null && body !== '') lines.push(`--data-raw ${quoted(body)}`);
  return lines.join(' \\\n  ');
}
