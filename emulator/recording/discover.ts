import { jsonOf } from '../contract/nesting.js';
import { SEARCHED_FROM } from '../credentials/beginnings.js';
import { literalsIn } from '../credentials/literals.js';
import { secretsIn } from '../credentials/named.js';
import { isSecretHeader } from '../credentials/names.js';
import type { Aliases, AliasKind } from './aliases.js';
import { type Body, DELTA, isSecretsName, kindOf, kindOfParameter, MOMENT, scimKind, timeOf } from './fields.js';

/** The name of a secret in a path; `copy` there is an operation as a rule, and short names stay as they are. */
const SECRET_IN_PATH = /\/vault(?:\/interns\/[^/]+)?\/secrets\/([^/]+)$/;
/** An id that somebody made up (`/interns/nope`) stays as it is. */
const LOOKS_LIKE_AN_ID = /^(?=.*\d)[\w-]{8,}$/;
/** A malformed digest was sent to be refused. */
const DIGEST = /^[0-9a-f]{64}$/;

/** The schemes that may precede a credential in a body. Any other word before it may be part of it. */
const SCHEMED = /^\s*(?:(bearer|basic|token)\s+)?(.*?)\s*$/is;
/** In the header, the first word always is one. */
const AUTHORIZATION = /^\s*(?:([A-Za-z]+)\s+)?(.*?)\s*$/s;

/** Gives a value its alias; a credential without its scheme, of Basic both the whole and the password in it. */
function give(aliases: Aliases, kind: AliasKind, value: string, schemes = SCHEMED): void {
  if (kind !== 'key') {
    const stays =
      value === '' || (kind === 'digest' && !DIGEST.test(value)) || (kind === 'value' && aliases.holdsSecret(value));
    if (!stays) aliases.of(kind, value);
    return;
  }
  const [, scheme = '', credential = ''] = schemes.exec(value) ?? [];
  const decoded = scheme.toLowerCase() === 'basic' ? Buffer.from(credential, 'base64').toString() : '';
  for (const one of [decoded.slice(decoded.indexOf(':') + 1), credential])
    if (one !== '' && !MOMENT.test(one)) aliases.of('key', one);
}

/** Gives aliases to the values of a body. */
export function discoverInBody(aliases: Aliases, body: Body): void {
  const { operation, text, isStream } = body;
  const deltas = new Map<string, string[]>();
  const texts = isStream ? [...text.matchAll(/^data: ?([^\r\n]*)/gm)].map(([, data = '']) => data) : [text];
  for (const one of texts)
    for (const literal of literalsIn(one)) {
      const { kind, value, within } = literal;
      if (kind === 'name' || kind === 'number' || timeOf(literal)) continue;
      const found = kindOf(literal, body);
      if (found) give(aliases, found, value);
      if (!isStream || within === undefined || !DELTA.has(within.name)) continue;
      const said = deltas.get(within.name);
      if (said) said.push(value);
      else deltas.set(within.name, [value]);
    }
  // A stored value may be anywhere in what is no JSON.
  if (operation === 'vault-store' && text.trim() !== '' && jsonOf(text) === undefined)
    give(aliases, 'key', text.trim());
  const whole = isStream ? text.replaceAll(/^data: ?/gm, '') : text;
  for (const one of [whole, ...[...deltas.values()].map((said) => said.join(''))])
    for (const value of secretsIn(one)) give(aliases, 'key', value);
}

/** Gives aliases to the values of a query, or of a form. */
export function discoverInPairs(aliases: Aliases, pairs: string): void {
  for (const [name, value] of new URLSearchParams(pairs)) {
    const kind = kindOfParameter(name, value);
    if (kind) give(aliases, kind, value);
  }
}

/** Gives aliases to the values of a path with its query. */
export function discoverInPath(aliases: Aliases, path: string): void {
  const [, bare = '', query = ''] = /^([^?]*)\??(.*)$/s.exec(path) ?? [];
  const intern = /\/interns\/([^/]+)/.exec(bare)?.[1];
  if (intern !== undefined && LOOKS_LIKE_AN_ID.test(intern)) aliases.of('intern', intern);
  const row = /\/scim\/[\w-]+\/([^/]+)$/.exec(bare)?.[1];
  const kind = scimKind(bare);
  if (row !== undefined && kind !== undefined && LOOKS_LIKE_AN_ID.test(row)) aliases.of(kind, row);
  const secret = SECRET_IN_PATH.exec(bare)?.[1];
  if (secret !== undefined && isSecretsName(secret)) aliases.of('secret', secret);
  discoverInPairs(aliases, query);
}

const cookieValues = (value: string) => value.split(/;\s*/).map((pair) => pair.slice(pair.indexOf('=') + 1));

/** Gives aliases to the credentials among headers, even those that are not recorded. */
export function discoverInHeaders(aliases: Aliases, headers: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(headers)) {
    if (name === 'idempotency-key') aliases.of('idempotency_key', value);
    if (!isSecretHeader(name)) {
      for (const secret of secretsIn(value)) give(aliases, 'key', secret);
    } else if (name === 'set-cookie') {
      for (const one of cookieValues(value)) if (one.length >= SEARCHED_FROM) give(aliases, 'key', one);
    } else {
      const schemes = name.endsWith('authorization') ? AUTHORIZATION : SCHEMED;
      for (const one of name === 'cookie' ? cookieValues(value) : [value]) give(aliases, 'key', one, schemes);
    }
  }
}
