import type { RecordFields } from '../model/intern.js';
import { LATE } from '../model/options.js';
import { isRecord } from '../probe/json.js';
import { areNumbers, isCopy, isExactSecret, isSecret, isSecretName } from './forms.js';
import { isHidden, isOf, isWithoutKey, noRight, OF_A_SECRET, tooLarge, VAULT, wrongObject } from './mistakes.js';
import { type AnyRule, each, holds, is, isDone, type Judgement, rulesOf, type Seen, shows } from './rule.js';

/** The secrets that an answer shows. */
const secretsOf = ({ operation, json }: Seen): readonly RecordFields[] => {
  const data = operation.area === 'vault' ? json?.data : undefined;
  return Array.isArray(data) ? data.filter(isRecord) : isRecord(data) ? [data] : [];
};

const ofSecrets =
  (judge: (secret: RecordFields) => Judgement) =>
  (seen: Seen): Judgement =>
    isDone(seen) ? each(secretsOf(seen), judge) : undefined;

/** The hosts that a store keeps: in lower case, without a trailing dot, each once. And those that it answers. */
function hostsIn(seen: Seen): { readonly kept: readonly string[]; readonly got: readonly string[] } | undefined {
  const sent = plainHosts(seen.body?.hosts);
  const got = isRecord(seen.json?.data) ? plainHosts(seen.json.data.hosts) : undefined;
  if (!isDone(seen) || sent === undefined || got === undefined) return undefined;
  return { kept: [...new Set(sent.map((host) => host.toLowerCase().replace(/\.$/, '')))], got };
}

/** Hosts, if all are plain names. A recording may hold aliases, and a service may write other names in another form. */
const plainHosts = (hosts: unknown): string[] | undefined =>
  Array.isArray(hosts) && hosts.every((host): host is string => typeof host === 'string' && /^[\w.-]+$/.test(host))
    ? [...hosts]
    : undefined;

/** The vaults of workspaces and interns. */
export const VAULTS: readonly AnyRule[] = [
  ...rulesOf('VAULT-1', {
    'not-of-the-workspace': {
      says: 'The vault of an intern shows no secret of its workspace, unless that was copied or stored there, too.',
      of: ['intern secrets'],
      judge: (seen, model) => {
        const { intern } = seen;
        if (!isDone(seen) || !model.hasSeenAll || intern?.made === undefined) return undefined;
        const names = secretsOf(seen).map(({ name }) => String(name));
        const others = names.filter((name) => !intern.put.has(name) && model.storedInWorkspace(name) !== undefined);
        return is(
          `secrets of the workspace in ${seen.called}`,
          [],
          others,
          others.map((name) => model.storedInWorkspace(name) ?? 0),
        );
      },
    },
    kept: {
      says: 'A secret that was stored in the vault of an intern stays there until it is deleted.',
      of: ['intern secrets'],
      judge: (seen, { options }) => {
        const { asked, intern, json } = seen;
        // A list may be late.
        const latest = asked.at - (options.ours === true ? 0 : LATE);
        const isWhole = json?.has_more === false && Number(asked.query.get('offset') ?? 0) === 0;
        if (!isDone(seen) || intern?.made === undefined || !isWhole) return undefined;
        const before = [...intern.stored].filter(([, { at }]) => at <= latest);
        const shown = new Set(secretsOf(seen).map(({ name }) => name));
        const lost = before.filter(([name]) => !shown.has(name));
        return before.length === 0
          ? undefined
          : is(
              `secrets that ${seen.called} left out`,
              [],
              lost.map(([name]) => name),
              lost.map(([, { number }]) => number),
            );
      },
    },
    'vault-key-needed': {
      says: 'The vault needs an API key: without one the answer is 401.',
      step: 'credential',
      statuses: [401],
      of: VAULT,
      wrong: (seen) => isWithoutKey(seen) || isOf(seen, 'management'),
    },
    'vault-outside-the-programme': {
      says: 'Callers outside the programme receive 404 for every path under /vault.',
      step: 'programme',
      statuses: [404],
      of: VAULT,
      wrong: (seen) => isOf(seen, 'outsider'),
    },
    'vault-own-key': {
      level: 'C',
      says: "An intern's own key opens only the intern's vault: the workspace's vault, and a copy from it, answer 404.",
      step: 'visibility',
      statuses: [404],
      of: VAULT.filter((name) => name === 'copy secrets' || !name.includes('intern')),
      wrong: (seen) => isOf(seen, 'own'),
    },
    'vault-not-visible': {
      says: 'The vault of an intern that the caller cannot see answers 404.',
      step: 'visibility',
      statuses: [404],
      reason: 'not_found',
      of: VAULT,
      wrong: (seen, model) =>
        seen.id === undefined ? false : seen.caller === undefined ? undefined : isHidden(seen, model),
    },
  }),
  ...rulesOf('VAULT-2', {
    'never-the-value': {
      says: 'A secret is never shown with its value.',
      alone: true,
      judge: ofSecrets((secret) => holds(!('value' in secret), 'a secret', 'no value', Object.keys(secret))),
    },
    'value-in-no-answer': {
      says: 'No answer shows the value of a stored secret.',
      alone: true,
      judge: (seen, model) => shows(seen, model, 'value', 'the value of a secret'),
    },
    form: {
      says: 'A secret has a name, hosts, a fingerprint and a time of creation.',
      alone: true,
      judge: ofSecrets((secret) =>
        holds(
          typeof secret.name === 'string' &&
            (secret.hosts === null) === (secret.fingerprint === null) &&
            (secret.hosts === null || (Array.isArray(secret.hosts) && typeof secret.fingerprint === 'string')) &&
            typeof secret.created_at === 'string',
          'a secret',
          '{name, hosts, fingerprint, created_at}',
          secret,
        ),
      ),
    },
  }),
  ...rulesOf('VAULT-3', {
    'as-named': {
      says: 'A stored secret has the name of its path.',
      alone: true,
      of: ['store secret', 'store intern secret'],
      judge: (seen) =>
        isDone(seen) && isRecord(seen.json?.data)
          ? is('name of a stored secret', seen.secret, seen.json.data.name)
          : undefined,
    },
    'hosts-as-sent': {
      says: 'A stored secret has the hosts that were sent, in lower case, without a trailing dot, each once.',
      alone: true,
      of: ['store secret', 'store intern secret'],
      judge: (seen) => {
        const hosts = hostsIn(seen);
        return hosts && is('hosts of a stored secret', hosts.kept.toSorted(), hosts.got.toSorted());
      },
    },
    'hosts-in-order': {
      level: 'C',
      says: 'A stored secret has its hosts in the order in which each first came.',
      alone: true,
      of: ['store secret', 'store intern secret'],
      judge: (seen) => {
        const hosts = hostsIn(seen);
        return hosts && is('hosts of a stored secret, in order', hosts.kept, hosts.got);
      },
    },
    'vault-too-large': {
      says: 'A secret whose body is over the cap is refused with 413.',
      step: 'size',
      statuses: [413],
      reason: 'payload_too_large',
      of: VAULT,
      wrong: tooLarge,
    },
    'secret-name': {
      says: 'A name that no secret can have is refused with 400.',
      step: 'body',
      statuses: [400],
      reason: 'invalid_body',
      of: VAULT.filter((name) => /^(store|delete)/.test(name)),
      wrong: ({ secret }) => secret !== undefined && !isSecretName(secret),
    },
    'secret-value': {
      says: 'A secret without a value of 1 to 65536 characters and 1 to 100 hosts is refused with 400.',
      step: 'body',
      statuses: [400],
      reason: 'invalid_body',
      of: ['store secret', 'store intern secret'],
      wrong: noRight(isSecret),
    },
    'secret-exact': {
      level: 'C',
      says: 'A secret with a host that is no exact DNS name in ASCII, or with half a surrogate pair, is refused with 400.',
      step: 'body',
      statuses: [400],
      reason: 'invalid_body',
      of: ['store secret', 'store intern secret'],
      wrong: wrongObject(isExactSecret),
    },
  }),
  ...rulesOf('VAULT-5', ['secrets', 'intern secrets'], {
    form: {
      says: 'A list of secrets is {data, has_more}, by name.',
      alone: true,
      judge: (seen) => {
        if (!isDone(seen)) return undefined;
        const names = secretsOf(seen).map(({ name }) => String(name));
        return holds(
          Array.isArray(seen.json?.data) &&
            typeof seen.json?.has_more === 'boolean' &&
            names.every((name, at) => at === 0 || (names[at - 1] ?? '') < name),
          'a list of secrets',
          '{data, has_more}, each name once and in order',
          names,
        );
      },
    },
    'default-limit': {
      says: 'A list of secrets without a limit ends before the last secret only if it has 100.',
      alone: true,
      judge: (seen) =>
        !isDone(seen) || seen.asked.query.has('limit') || typeof seen.json?.has_more !== 'boolean'
          ? undefined
          : holds(
              !seen.json.has_more || secretsOf(seen).length === 100,
              'secrets of a list without a limit that has more',
              '100',
              secretsOf(seen).length,
            ),
    },
    'secret-query': {
      says: 'A list of secrets by an invalid limit or offset is refused with 400.',
      step: 'body',
      statuses: [400],
      reason: 'invalid_body',
      wrong: ({ asked: { query } }) => !areNumbers(query, 'limit', 1, 100) || !areNumbers(query, 'offset', 0, 10_000),
    },
  }),
  ...rulesOf('VAULT-6', {
    'secret-there': {
      open: true,
      says: 'A secret may not exist.',
      step: 'named',
      statuses: [404, 409],
      of: OF_A_SECRET,
      wrong: () => undefined,
    },
  }),
  ...rulesOf('VAULT-7', ['copy secrets'], {
    'each-as-asked': {
      says: 'A copy answers one secret for each name, in the order asked.',
      alone: true,
      judge: (seen) => {
        const names = seen.body?.names;
        if (!isDone(seen) || !Array.isArray(names) || new Set(names).size < names.length) return undefined;
        return is(
          'names of the copied secrets',
          names,
          secretsOf(seen).map(({ name }) => name),
        );
      },
    },
    'secrets-named': {
      says: 'A copy that does not name 1 to 100 secrets, each once, is refused with 400.',
      step: 'body',
      statuses: [400],
      reason: 'invalid_body',
      wrong: noRight(isCopy),
    },
  }),
];
