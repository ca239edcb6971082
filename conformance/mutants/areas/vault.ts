import { isRecord, type Json, jsonOf } from '../../../emulator/wire/json.js';
import { withRequest } from '../../../emulator/wire/request.js';
import { defineMutants } from '../mutant.js';
import { answers, errorReply, field, jsonReply, refused, replies, status } from '../operators/answers.js';
import { all, by, type Of } from '../operators/exchange.js';
import { refusesCalls, routes } from '../operators/parts.js';
import { again, as, asked, instead, refuseBody, sends, texts, withoutFields } from '../operators/requests.js';
import { onAnyHost } from './base.js';

const EMPTY = jsonReply(200, { data: [], has_more: false });
const INVALID = refused('invalid_body');

const isText = (value: unknown): value is string => typeof value === 'string';
/** Changes the hosts of a body, where they are a list of texts. */
const hosts = (change: (hosts: readonly string[]) => unknown) =>
  sends<unknown>('vault-store', 'hosts', (given) =>
    Array.isArray(given) && given.every(isText) ? change(given) : given,
  );
const host = (change: (host: string) => string) => hosts((given) => given.map(change));
const refuseHosts = (refuses: (host: string) => boolean) =>
  refuseBody(
    'vault-store',
    (body) => isRecord(body) && Array.isArray(body.hosts) && body.hosts.filter(isText).some(refuses),
    INVALID,
  );
const value = (change: (value: string) => string) => texts('vault-store', 'value', change);
/** Stores under another name than the one that the path has. */
const underName = (change: (name: string) => string) =>
  asked('vault-store', (request, { secretName = '' }) => {
    const name = change(secretName);
    return name === secretName ? request : withRequest(request, { url: request.url.replace(/[^/]+$/, name) });
  });
const refuseName = (refuses: (name: string) => boolean) =>
  instead(
    all('vault-store', ({ secretName }) => secretName !== undefined && refuses(secretName)),
    INVALID,
  );

const ofAnIntern: Of = ({ internId }) => internId !== undefined;

/** The reach of callers to vaults, and the parts of a secret (VAULT-1 to VAULT-3). */
export const VAULT = defineMutants({
  // A secret that an intern does not have is deleted from the workspace's vault.
  'vault-delete-falls-back-to-the-workspace': again(
    { of: 'vault-delete', status: 404, says: 'Secret not found' },
    (request) => withRequest(request, { url: request.url.replace(/interns\/[^/]+\//, '') }),
  ),
  // The vault of an intern shows the secrets of its workspace, too.
  'vault-shows-those-of-the-workspace': replies(async (reply, exchange) => {
    const { operation, request, emulator } = exchange;
    const own =
      reply.status === 200 && operation === 'vault-list' && ofAnIntern(exchange) ? jsonOf(String(reply.body)) : {};
    if (!isRecord(own) || !Array.isArray(own.data)) return reply;
    const above = await emulator.fetch(withRequest(request, { url: request.url.replace(/interns\/[^/]+\//, '') }));
    const { data } = (await above.json()) as { readonly data: readonly Json[] };
    const all = new Map([...data, ...(own.data as Json[])].map((secret) => [String(secret.name), secret]));
    return jsonReply(200, { ...own, data: [...all.keys()].sort().map((name) => all.get(name)) });
  }),
  'vault-lists-without-a-key': instead(all('vault-list', by('nobody')), EMPTY),
  'vault-reads-outside-the-programme': instead(all('vault-list', by('outsider_api_key')), EMPTY),
  'vault-of-an-unknown-intern-is-empty': answers({ of: 'vault-list', status: 404 }, EMPTY),
  // A store for an intern that is not there is accepted.
  'vault-writes-to-an-unknown-intern': answers(
    { of: all('vault-store', ofAnIntern), status: 404 },
    jsonReply(200, { data: { name: 'a', hosts: [], fingerprint: '0', created_at: '2026-01-01T00:00:00.000Z' } }),
  ),
  'vault-of-every-workspace': as('api_key', all('vault', by('foreign_api_key'))),
  'vault-on-regional-hosts': onAnyHost('vault'),
  // An intern's own key copies secrets of the workspace.
  'vault-copies-by-an-own-key': routes('vault-copy', { ofWorkspace: undefined }),
  // An interns-only OAuth token opens no vault.
  'vault-refuses-oauth-tokens': instead(
    all('vault', by('oauth_interns_only_token')),
    refused('personal_identity_required'),
  ),
  // The secrets of an intern that ran and was suspended are 404.
  'vault-stopped-with-its-intern': refusesCalls(
    'vault-list',
    ({ intern }) => intern?.record.status === 'stopped' && intern.record.hostname !== null,
    errorReply(404, 'Intern not found', 'not_found'),
  ),
  // A body that is too large is 413 for every caller.
  'vault-judges-the-size-first': instead(
    async ({ area, request }) => area === 'vault' && request.body && (await request.clone().text()).length > 1_048_576,
    refused('payload_too_large'),
  ),
  'vault-list-without-hosts': field('vault-list', 'data.[].hosts', undefined),
  'vault-store-is-201': status('vault-store', 200, 201),
  'vault-hosts-with-a-trailing-dot-refused': refuseHosts((host) => host.endsWith('.')),
  'vault-hosts-in-upper-case-refused': refuseHosts((host) => /[A-Z]/.test(host)),
  'vault-hosts-in-upper-case': field<string[] | null>(
    'vault-store',
    'data.hosts',
    (hosts) => hosts?.map((one) => one.toUpperCase()) ?? null,
  ),
  'vault-hosts-sorted': field<string[] | null>('vault', 'data.hosts', (hosts) => hosts?.toSorted() ?? null),
  'vault-hosts-with-a-port': host((one) => one.replace(/:\d+$/, '')),
  'vault-wildcards': host((one) => one.replace(/^\*\./, '')),
  'vault-hosts-that-are-addresses': host((one) => (/^\d+(\.\d+){3}$/.test(one) ? 'address.test' : one)),
  'vault-hosts-trimmed': host((one) => one.trim()),
  'vault-secrets-for-no-host': hosts((given) => (given.length === 0 ? ['nowhere.test'] : given)),
  'vault-hosts-cut': hosts((given) => given.slice(0, 100)),
  'vault-hosts-counted-once-collapsed': hosts((given) => [...new Set(given)]),
  'vault-empty-values': value((text) => (text === '' ? ' ' : text)),
  'vault-values-cut': value((text) => text.slice(0, 65_536)),
  'vault-values-of-60000': refuseBody(
    'vault-store',
    (body) => isRecord(body) && String(body.value).length > 60_000,
    INVALID,
  ),
  'vault-values-made-well-formed': value((text) => text.replace(/\p{Surrogate}/gu, '\ufffd')),
  'vault-numbers-as-values': sends<unknown>('vault-store', 'value', (given) =>
    typeof given === 'number' ? String(given) : given,
  ),
  'vault-one-host-without-a-list': sends<unknown>('vault-store', 'hosts', (given) => (isText(given) ? [given] : given)),
  'vault-unknown-fields-left-out': withoutFields('vault-store', (name) => !['value', 'hosts'].includes(name)),
  // A store must be declared as JSON.
  'vault-needs-a-content-type': instead(
    all('vault-store', ({ request }) => request.headers.get('content-type') === 'text/plain'),
    refused('unsupported_media_type'),
  ),
  'vault-names-of-64': refuseName((name) => name.length > 64),
  'vault-names-of-two-letters': refuseName((name) => name.length < 2),
  'vault-names-in-any-case': underName((name) => name.toLowerCase()),
  'vault-names-with-hyphens': underName((name) => name.replaceAll('-', '_')),
  'vault-names-with-two-underscores': underName((name) => name.replaceAll('__', '_')),
});
