import { isObject, type Json, tokenOf, withRequest } from '../combinators/exchange.js';
import { beforeHandling, routes } from '../combinators/parts.js';
import { answers, errorReply, jsonReply, rewriteJson, rewriteStatus } from '../combinators/replies.js';
import {
  answerInstead,
  instead,
  refuseBody,
  rewriteFields,
  rewriteRequest,
  tryAgain,
  withTheKey,
} from '../combinators/requests.js';
import { defineDeviations } from '../mutant.js';
import { onAnyHost } from './base.js';

const EMPTY = jsonReply(200, { data: [], has_more: false });
const INVALID = errorReply(400, 'Invalid request body', 'invalid_body');

/** The hosts of a body, where they are a list of texts. */
const hostsOf = (body: Json): string[] =>
  Array.isArray(body.hosts) ? body.hosts.filter((host): host is string => typeof host === 'string') : [];
const withHosts = (change: (hosts: string[]) => unknown) =>
  rewriteFields('vault-store', (body) =>
    Array.isArray(body.hosts) && hostsOf(body).length === body.hosts.length
      ? { ...body, hosts: change(hostsOf(body)) }
      : body,
  );
const withValue = (change: (value: string) => string) =>
  rewriteFields('vault-store', (body) =>
    typeof body.value === 'string' ? { ...body, value: change(body.value) } : body,
  );
/** Stores under another name than the one that the path has. */
const underName = (change: (name: string) => string) =>
  rewriteRequest((request, { secretName, operation }) => {
    const name = secretName === undefined ? undefined : change(secretName);
    return operation !== 'vault-store' || name === undefined || name === secretName
      ? request
      : withRequest(request, { url: request.url.replace(/[^/]+$/, name) });
  });
const refuseName = (refuses: (name: string) => boolean) =>
  answerInstead(({ operation, secretName }) =>
    operation === 'vault-store' && secretName !== undefined && refuses(secretName) ? INVALID : undefined,
  );

/** The reach of callers to vaults, and the parts of a secret (VAULT-1 to VAULT-3). */
export const VAULT = defineDeviations({
  // A secret that an intern does not have is deleted from the workspace's vault.
  'vault-delete-falls-back-to-the-workspace': tryAgain('vault-delete', (status, { message }, request) =>
    status === 404 && message === 'Secret not found'
      ? withRequest(request, { url: request.url.replace(/interns\/[^/]+\//, '') })
      : undefined,
  ),
  // A list of secrets needs no key.
  'vault-lists-without-a-key': instead(
    ({ operation, request }) => operation === 'vault-list' && !request.headers.has('authorization'),
    EMPTY,
  ),
  // Outside the programme secrets can be listed.
  'vault-reads-outside-the-programme': instead(
    ({ operation, request }, { target }) =>
      operation === 'vault-list' && tokenOf(request) === target.credentials.outsider_api_key,
    EMPTY,
  ),
  // The secrets of an intern that is not there are an empty list.
  'vault-of-an-unknown-intern-is-empty': answers({ of: 'vault-list', status: 404 }, EMPTY),
  // A store for an intern that is not there is accepted.
  'vault-writes-to-an-unknown-intern': answers(
    { of: ({ operation, internId }) => operation === 'vault-store' && internId !== undefined, status: 404 },
    jsonReply(200, { data: { name: 'a', hosts: [], fingerprint: '0', created_at: '2026-01-01T00:00:00.000Z' } }),
  ),
  // A key of another workspace reaches the secrets of this one.
  'vault-of-every-workspace': withTheKey(
    ({ area, request }, { foreign_api_key }) => area === 'vault' && tokenOf(request) === foreign_api_key,
  ),
  // Secrets are served on regional hostnames too.
  'vault-on-regional-hosts': onAnyHost(({ area }) => area === 'vault'),
  // An intern's own key copies secrets of the workspace.
  'vault-copies-by-an-own-key': routes('vault-copy', ({ ofWorkspace: _, ...row }) => row),
  // An interns-only OAuth token opens no vault.
  'vault-refuses-oauth-tokens': instead(
    ({ area, request }, { target }) =>
      area === 'vault' && tokenOf(request) === target.credentials.oauth_interns_only_token,
    errorReply(403, 'Personal connections require the OIDC login', 'personal_identity_required'),
  ),
  // The secrets of an intern that ran and was suspended are 404.
  'vault-stopped-with-its-intern': beforeHandling('vault-list', ({ intern }) =>
    intern?.record.status === 'stopped' && intern.record.hostname !== null
      ? errorReply(404, 'Intern not found', 'not_found')
      : undefined,
  ),
  // A body that is too large is 413 for every caller.
  'vault-judges-the-size-first': instead(
    async ({ area, request }) => area === 'vault' && request.body && (await request.clone().text()).length > 1_048_576,
    errorReply(413, 'Request body exceeds 1048576 bytes', 'payload_too_large'),
  ),
  // A list shows no hosts.
  'vault-list-without-hosts': rewriteJson('vault-list', (body) => ({
    ...body,
    data: (body.data as Json[]).map(({ hosts: _, ...secret }) => secret),
  })),
  'vault-store-is-201': rewriteStatus('vault-store', 200, 201),
  // A host with a trailing dot is 400.
  'vault-hosts-with-a-trailing-dot-refused': refuseBody(
    'vault-store',
    (body) => isObject(body) && hostsOf(body).some((host) => host.endsWith('.')),
    INVALID,
  ),
  // A host with a letter in upper case is 400.
  'vault-hosts-in-upper-case-refused': refuseBody(
    'vault-store',
    (body) => isObject(body) && hostsOf(body).some((host) => /[A-Z]/.test(host)),
    INVALID,
  ),
  // Hosts are shown in the order of the alphabet.
  'vault-hosts-sorted': rewriteJson(['vault-store', 'vault-list', 'vault-copy'], (body) => ({
    ...body,
    data: [body.data].flat().length === 0 || Array.isArray(body.data) ? body.data : sorted(body.data as Json),
  })),
  // The port of a host is left out.
  'vault-hosts-with-a-port': withHosts((hosts) => hosts.map((host) => host.replace(/:\d+$/, ''))),
  // A wildcard stands for the name below it.
  'vault-wildcards': withHosts((hosts) => hosts.map((host) => host.replace(/^\*\./, ''))),
  'vault-hosts-that-are-addresses': withHosts((hosts) =>
    hosts.map((host) => (/^\d+(\.\d+){3}$/.test(host) ? 'address.test' : host)),
  ),
  // White space around a host is left out.
  'vault-hosts-trimmed': withHosts((hosts) => hosts.map((host) => host.trim())),
  // A secret may be stored without hosts.
  'vault-secrets-for-no-host': withHosts((hosts) => (hosts.length === 0 ? ['nowhere.test'] : hosts)),
  // Of more than 100 hosts the first 100 are taken.
  'vault-hosts-cut': withHosts((hosts) => hosts.slice(0, 100)),
  // Hosts are counted after duplicates were collapsed.
  'vault-hosts-counted-once-collapsed': withHosts((hosts) => [...new Set(hosts)]),
  // An empty value is accepted.
  'vault-empty-values': withValue((value) => (value === '' ? ' ' : value)),
  // A value that is too long is cut.
  'vault-values-cut': withValue((value) => value.slice(0, 65_536)),
  // A value has at most 60000 characters.
  'vault-values-of-60000': refuseBody(
    'vault-store',
    (body) => isObject(body) && String(body.value).length > 60_000,
    INVALID,
  ),
  // Half of a surrogate pair is replaced.
  'vault-values-made-well-formed': withValue((value) => value.replace(/\p{Surrogate}/gu, '\ufffd')),
  // A number is taken for its digits.
  'vault-numbers-as-values': rewriteFields('vault-store', (body) =>
    typeof body.value === 'number' ? { ...body, value: String(body.value) } : body,
  ),
  // One host need not be in a list.
  'vault-one-host-without-a-list': rewriteFields('vault-store', (body) =>
    typeof body.hosts === 'string' ? { ...body, hosts: [body.hosts] } : body,
  ),
  'vault-unknown-fields-left-out': rewriteFields('vault-store', ({ value, hosts }) => ({ value, hosts })),
  // A store must be declared as JSON.
  'vault-needs-a-content-type': instead(
    ({ operation, request }) => operation === 'vault-store' && request.headers.get('content-type') === 'text/plain',
    errorReply(415, 'Request body must be sent as application/json', 'unsupported_media_type'),
  ),
  // A name has at most 64 characters.
  'vault-names-of-64': refuseName((name) => name.length > 64),
  // A name has at least two characters.
  'vault-names-of-two-letters': refuseName((name) => name.length < 2),
  'vault-names-in-any-case': underName((name) => name.toLowerCase()),
  // A hyphen in a name is taken for an underscore.
  'vault-names-with-hyphens': underName((name) => name.replaceAll('-', '_')),
  'vault-names-with-two-underscores': underName((name) => name.replaceAll('__', '_')),
});

function sorted(secret: Json): Json {
  return Array.isArray(secret.hosts) ? { ...secret, hosts: [...(secret.hosts as string[])].sort() } : secret;
}
