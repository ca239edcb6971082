import { internPath, type Send } from '../probe/request.js';
import { alike, bad, bads, ours, type Value, v, whatever } from './value.js';

export const as = (name: NonNullable<Send['as']> & string): Value => v(name, () => ({ as: name }), [name]);
export const NOBODY = bad(v('nobody', () => ({ as: null })));
export const WRONG = bad(v('a key that opens nothing', ({ ctx }) => ({ as: ctx.wrongKey })));
/** Headers without a valid credential: another scheme, an empty token, and a valid key without a scheme. */
export const noBearer = (caller: NonNullable<Send['as']> & string): readonly Value[] =>
  alike(
    'no bearer',
    v('another scheme', () => ({ as: null, headers: { authorization: 'Basic a2V5Og==' } })),
    v('an empty credential', () => ({ as: null, headers: { authorization: 'Bearer ' } })),
    v('a credential without a scheme', () => ({ as: caller, present: (key) => ({ authorization: key }) }), [caller]),
  );
/** The key of a caller in a header that is no bearer token, or changed within one. */
const forms = (kind: string, changes: Readonly<Record<string, (key: string) => Record<string, string>>>) =>
  alike(kind, ...Object.entries(changes).map(([name, present]) => v(name, () => ({ present }))));
const bearer = (change: (key: string) => string) => (key: string) => ({ authorization: `Bearer ${change(key)}` });
export const NO_TOKENS: readonly Value[] = [
  ...forms('no bearer', {
    'a key as Basic': (key) => ({ authorization: `Basic ${key}` }),
    'a key as Basic credentials': (key) => ({ authorization: `Basic ${Buffer.from(`${key}:`).toString('base64')}` }),
    'a key as Token': (key) => ({ authorization: `Token ${key}` }),
    'a key after Bearer without a space': (key) => ({ authorization: `Bearer${key}` }),
    'no key after Bearer': () => ({ authorization: 'Bearer' }),
    'a key in x-api-key': (key) => ({ 'x-api-key': key }),
    'a key in a cookie': (key) => ({ cookie: `authorization=${key}` }),
  }),
  ...forms('another key', {
    'a key and a character': bearer((key) => `${key}x`),
    'a key without its last character': bearer((key) => key.slice(0, -1)),
    'the first half of a key': bearer((key) => key.slice(0, Math.ceil(key.length / 2))),
    'a key with another end': bearer((key) => `${key.slice(0, -4)}${key.slice(-4) === 'zzzz' ? 'yyyy' : 'zzzz'}`),
    'a character and a key': bearer((key) => `x${key}`),
    'a key in another case': bearer((key) =>
      key.replace(/[a-z]/gi, (letter) => (letter < 'a' ? letter.toLowerCase() : letter.toUpperCase())),
    ),
  }),
];
/** An intern's own key, for a request to that intern. */
export const OWN = (below: string, options: Partial<Send> = {}): Value =>
  v(
    "an intern's own key, of itself",
    ({ ctx }) => ({ as: 'own_key', path: internPath(ctx.target.ownInternId ?? '', below), ...options }),
    ['own_key'],
  );
/** A regional host, also in capitals, with a caller whom other hosts accept. */
export const regional = (caller: NonNullable<Send['as']> & string): readonly Value[] => {
  const at = (name: string, change: (host: string) => string) =>
    v(name, ({ ctx }) => ({ as: caller, host: change(ctx.target.regionalHost ?? '') }), ['regional_host', caller]);
  return alike(
    'regional host',
    at('a regional host', (host) => host),
    at('a regional host in capitals', (host) => host.toUpperCase()),
    v('a regional host, and a wrong key', ({ ctx }) => ({ as: ctx.wrongKey, host: ctx.target.regionalHost ?? '' }), [
      'regional_host',
      'control',
    ]),
  );
};

/** Hosts that begin with `eu.`, and others that only contain it. A listener on loopback takes names below localhost alone. */
export const HOSTS: readonly Value[] = ['eu.', 'EU.', 'Eu.', 'neu.', 'my.eu.', 'eu-x.', 'europe.'].flatMap((begin) =>
  ours({
    ...v(`the host ${begin}localhost`, ({ ctx }) => ({
      host: `${begin}localhost:${new URL(ctx.target.baseUrl).port || '80'}`,
    })),
    ...(/^eu\./i.test(begin) ? { bad: true, kind: 'regional host' } : {}),
  }),
);

export const blind = (...values: readonly Value[]): readonly Value[] =>
  values.map((value) => ({ ...value, blind: true }));
/** Callers who get 404: one outside the programme, and an intern's own key for the collection or another intern. */
export const NOTHING_TO: readonly Value[] = [...whatever(as('outsider_api_key')), ...blind(...whatever(as('own_key')))];
/** Callers who see other interns, or none. */
const OTHERS: readonly Value[] = [...blind(bad(as('foreign_api_key'))), bad(as('management_key'))];
/** The callers: members of the workspace, and everybody else. */
export const KEYS: readonly Value[] = [
  as('api_key'),
  as('peer_api_key'),
  NOBODY,
  WRONG,
  ...noBearer('api_key'),
  ...OTHERS,
  ...NOTHING_TO,
  ...regional('api_key'),
];
/** The callers of the vault, which is a path of its own. */
export const VAULT_KEYS: readonly Value[] = KEYS.map(({ whatever: _, ...value }) => value);
/** The callers of the vault, with one form of each mistake. */
export const PLAIN_KEYS: readonly Value[] = VAULT_KEYS.filter(
  ({ kind }, at) => kind === undefined || VAULT_KEYS.findIndex((one) => one.kind === kind) === at,
);
export const OWN_KEYS: readonly Value[] = KEYS.filter(({ name }) => name !== 'peer_api_key');
export const ACCESS: readonly Value[] = [
  as('oauth_token'),
  as('oauth_interns_only_token'),
  as('peer_oauth_token'),
  NOBODY,
  WRONG,
  ...noBearer('oauth_token'),
  ...bads(as('api_key'), as('peer_api_key')),
  ...OTHERS,
  ...NOTHING_TO,
  ...regional('oauth_token'),
];
export const SIGNERS: readonly Value[] = [
  as('oauth_token'),
  as('peer_oauth_token'),
  NOBODY,
  WRONG,
  ...noBearer('oauth_token'),
  ...alike('no person', as('api_key'), as('oauth_interns_only_token')),
  ...OTHERS,
  ...NOTHING_TO,
  ...regional('oauth_token'),
];
