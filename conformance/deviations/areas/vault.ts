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

/** Who reaches which vault, and what a secret is made of (VAULT-1 to VAULT-3). */
export const VAULT = defineDeviations({
  'vault-delete-falls-back-to-the-workspace': {
    description: "A secret that an intern does not have is deleted from the workspace's vault.",
    mutant: tryAgain('vault-delete', (status, { message }, request) =>
      status === 404 && message === 'Secret not found'
        ? withRequest(request, { url: request.url.replace(/interns\/[^/]+\//, '') })
        : undefined,
    ),
  },
  'vault-lists-without-a-key': {
    description: 'A list of secrets needs no key.',
    mutant: instead(
      ({ operation, request }) => operation === 'vault-list' && !request.headers.has('authorization'),
      EMPTY,
    ),
  },
  'vault-reads-outside-the-programme': {
    description: 'Outside the programme secrets can be listed.',
    mutant: instead(
      ({ operation, request }, { target }) =>
        operation === 'vault-list' && tokenOf(request) === target.credentials.outsider_api_key,
      EMPTY,
    ),
  },
  'vault-of-an-unknown-intern-is-empty': {
    description: 'The secrets of an intern that is not there are an empty list.',
    mutant: answers({ of: 'vault-list', status: 404 }, EMPTY),
  },
  'vault-writes-to-an-unknown-intern': {
    description: 'A store for an intern that is not there is accepted.',
    mutant: answers(
      { of: ({ operation, internId }) => operation === 'vault-store' && internId !== undefined, status: 404 },
      jsonReply(200, { data: { name: 'a', hosts: [], fingerprint: '0', created_at: '2026-01-01T00:00:00.000Z' } }),
    ),
  },
  'vault-of-every-workspace': {
    description: 'A key of another workspace reaches the secrets of this one.',
    mutant: withTheKey(
      ({ area, request }, { foreign_api_key }) => area === 'vault' && tokenOf(request) === foreign_api_key,
    ),
  },
  'vault-on-regional-hosts': {
    description: 'Secrets are served on regional hostnames too.',
    mutant: onAnyHost(({ area }) => area === 'vault'),
  },
  'vault-copies-by-an-own-key': {
    description: "An intern's own key copies secrets of the workspace.",
    mutant: routes('vault-copy', ({ ofWorkspace: _, ...row }) => row),
  },
  'vault-refuses-oauth-tokens': {
    description: 'An interns-only OAuth token opens no vault.',
    mutant: instead(
      ({ area, request }, { target }) =>
        area === 'vault' && tokenOf(request) === target.credentials.oauth_interns_only_token,
      errorReply(403, 'Personal connections require the OIDC login', 'personal_identity_required'),
    ),
  },
  'vault-stopped-with-its-intern': {
    description: 'The secrets of an intern that ran and was suspended are 404.',
    mutant: beforeHandling('vault-list', ({ intern }) =>
      intern?.record.status === 'stopped' && intern.record.hostname !== null
        ? errorReply(404, 'Intern not found', 'not_found')
        : undefined,
    ),
  },
  'vault-judges-the-size-first': {
    description: 'A body that is too large is 413 for every caller.',
    mutant: instead(
      async ({ area, request }) =>
        area === 'vault' && request.body && (await request.clone().text()).length > 1_048_576,
      errorReply(413, 'Request body exceeds 1048576 bytes', 'payload_too_large'),
    ),
  },
  'vault-list-without-hosts': {
    description: 'A list shows no hosts.',
    mutant: rewriteJson('vault-list', (body) => ({
      ...body,
      data: (body.data as Json[]).map(({ hosts: _, ...secret }) => secret),
    })),
  },
  'vault-store-is-201': {
    description: 'A store is answered with 201.',
    mutant: rewriteStatus('vault-store', 200, 201),
  },
  'vault-hosts-with-a-trailing-dot-refused': {
    description: 'A host with a trailing dot is 400.',
    mutant: refuseBody(
      'vault-store',
      (body) => isObject(body) && hostsOf(body).some((host) => host.endsWith('.')),
      INVALID,
    ),
  },
  'vault-hosts-in-upper-case-refused': {
    description: 'A host with a letter in upper case is 400.',
    mutant: refuseBody(
      'vault-store',
      (body) => isObject(body) && hostsOf(body).some((host) => /[A-Z]/.test(host)),
      INVALID,
    ),
  },
  'vault-hosts-sorted': {
    description: 'Hosts are shown in the order of the alphabet.',
    mutant: rewriteJson(['vault-store', 'vault-list', 'vault-copy'], (body) => ({
      ...body,
      data: [body.data].flat().length === 0 || Array.isArray(body.data) ? body.data : sorted(body.data as Json),
    })),
  },
  'vault-hosts-with-a-port': {
    description: 'The port of a host is left out.',
    mutant: withHosts((hosts) => hosts.map((host) => host.replace(/:\d+$/, ''))),
  },
  'vault-wildcards': {
    description: 'A wildcard stands for the name below it.',
    mutant: withHosts((hosts) => hosts.map((host) => host.replace(/^\*\./, ''))),
  },
  'vault-hosts-that-are-addresses': {
    description: 'An address is a host.',
    mutant: withHosts((hosts) => hosts.map((host) => (/^\d+(\.\d+){3}$/.test(host) ? 'address.test' : host))),
  },
  'vault-hosts-trimmed': {
    description: 'White space around a host is left out.',
    mutant: withHosts((hosts) => hosts.map((host) => host.trim())),
  },
  'vault-secrets-for-no-host': {
    description: 'A secret may be stored without hosts.',
    mutant: withHosts((hosts) => (hosts.length === 0 ? ['nowhere.test'] : hosts)),
  },
  'vault-hosts-cut': {
    description: 'Of more than 100 hosts the first 100 are taken.',
    mutant: withHosts((hosts) => hosts.slice(0, 100)),
  },
  'vault-hosts-counted-once-collapsed': {
    description: 'Hosts are counted after duplicates were collapsed.',
    mutant: withHosts((hosts) => [...new Set(hosts)]),
  },
  'vault-empty-values': {
    description: 'An empty value is accepted.',
    mutant: withValue((value) => (value === '' ? ' ' : value)),
  },
  'vault-values-cut': {
    description: 'A value that is too long is cut.',
    mutant: withValue((value) => value.slice(0, 65_536)),
  },
  'vault-values-of-60000': {
    description: 'A value has at most 60000 characters.',
    mutant: refuseBody('vault-store', (body) => isObject(body) && String(body.value).length > 60_000, INVALID),
  },
  'vault-values-made-well-formed': {
    description: 'Half of a surrogate pair is replaced.',
    mutant: withValue((value) => value.replace(/\p{Surrogate}/gu, '\ufffd')),
  },
  'vault-numbers-as-values': {
    description: 'A number is taken for its digits.',
    mutant: rewriteFields('vault-store', (body) =>
      typeof body.value === 'number' ? { ...body, value: String(body.value) } : body,
    ),
  },
  'vault-one-host-without-a-list': {
    description: 'One host need not be in a list.',
    mutant: rewriteFields('vault-store', (body) =>
      typeof body.hosts === 'string' ? { ...body, hosts: [body.hosts] } : body,
    ),
  },
  'vault-unknown-fields-left-out': {
    description: 'Unknown fields of a store are left out.',
    mutant: rewriteFields('vault-store', ({ value, hosts }) => ({ value, hosts })),
  },
  'vault-needs-a-content-type': {
    description: 'A store must be declared as JSON.',
    mutant: instead(
      ({ operation, request }) => operation === 'vault-store' && request.headers.get('content-type') === 'text/plain',
      errorReply(415, 'Request body must be sent as application/json', 'unsupported_media_type'),
    ),
  },
  'vault-names-of-64': {
    description: 'A name has at most 64 characters.',
    mutant: refuseName((name) => name.length > 64),
  },
  'vault-names-of-two-letters': {
    description: 'A name has at least two characters.',
    mutant: refuseName((name) => name.length < 2),
  },
  'vault-names-in-any-case': {
    description: 'Names are lowered.',
    mutant: underName((name) => name.toLowerCase()),
  },
  'vault-names-with-hyphens': {
    description: 'A hyphen in a name is taken for an underscore.',
    mutant: underName((name) => name.replaceAll('-', '_')),
  },
  'vault-names-with-two-underscores': {
    description: 'Two underscores in a name are taken for one.',
    mutant: underName((name) => name.replaceAll('__', '_')),
  },
});

function sorted(secret: Json): Json {
  return Array.isArray(secret.hosts) ? { ...secret, hosts: [...(secret.hosts as string[])].sort() } : secret;
}
