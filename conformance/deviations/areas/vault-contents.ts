import { createHash } from 'node:crypto';
import { Refusal } from '../../../emulator/contract/errors.js';
import type { Vaults, VaultsDeps } from '../../../emulator/vault/vaults.js';
import { bodyOf, exchangeOf, isObject, type Json } from '../combinators/exchange.js';
import { rewire, routes, wrap } from '../combinators/parts.js';
import { answers, errors, jsonReply, rewriteJson } from '../combinators/replies.js';
import { byDefault, cutsLimit, refuseBody, rewriteFields, rewriteQuery, tryAgain } from '../combinators/requests.js';
import { defineDeviations, type Handler, type Mutant, together } from '../mutant.js';

const vaults = (change: (usual: Vaults) => Partial<Vaults>): Mutant => wrap({ createVaults: change });

/** Vaults that also know the settings. */
const vaultsBySettings = (change: (usual: Vaults, settings: VaultsDeps['settings']) => Partial<Vaults>): Mutant => ({
  factories: ({ createVaults }) => ({
    createVaults(deps) {
      const usual = createVaults(deps);
      return { ...usual, ...change(usual, deps.settings) };
    },
  }),
});

const fingerprints = (change: (usual: VaultsDeps['sealing']['fingerprint']) => VaultsDeps['sealing']['fingerprint']) =>
  rewire({
    createVaults: (deps) => [{ ...deps, sealing: { ...deps.sealing, fingerprint: change(deps.sealing.fingerprint) } }],
  });

const hash = (text: string) => createHash('sha256').update(text).digest('hex');

/** Adds the value that was sent to the answers that `shows` names: those of the vault, or of the control interface. */
function telling(shows: (path: string, status: number) => boolean, into: (text: string, value: string) => string) {
  return (): Mutant => ({
    around: (next): Handler => {
      let value: string | undefined;
      return async (request) => {
        const exchange = exchangeOf(request);
        if (exchange.operation === 'vault-store') {
          const body = await bodyOf(request);
          if (isObject(body) && typeof body.value === 'string') value = body.value;
        }
        const response = await next(request);
        const { status, headers } = response;
        if (value === undefined || !shows(`${exchange.area}${exchange.path}`, status)) return response;
        return new Response(into(await response.text(), value), { status, headers });
      };
    },
  });
}
/** No content. */
const NOTHING = { status: 204, headers: {}, body: null };

const inJson = (text: string, value: string) => text.replace(/\}$/, `,"was":${JSON.stringify(value)}}`);

/** What is kept of secrets, and shown: secrecy, fingerprints, lists, deletes, copies (VAULT-2, VAULT-4 to VAULT-9). */
export const VAULT_CONTENTS = defineDeviations({
  'vault-value-in-the-answer': {
    description: 'The answer to a store repeats the value.',
    mutant: telling((path, status) => /^vault.*\/secrets\/[^/]+$/.test(path) && status === 200, inJson),
  },
  'vault-value-in-a-refusal': {
    description: 'The refusal of a store quotes the value.',
    mutant: telling(
      (path, status) => path.startsWith('vault') && status === 400,
      (text, value) =>
        text.replace('Invalid request body', `Invalid request body: ${Buffer.from(value).toString('base64')}`),
    ),
  },
  'vault-value-in-the-journal': {
    description: 'The journal has the value of a secret.',
    mutant: telling((path) => path === 'control/journal', inJson),
  },
  'vault-value-in-snapshots': {
    description: 'A snapshot has the value of a secret in clear.',
    mutant: telling((path) => path.startsWith('control/snapshots/'), inJson),
  },
  'vault-rows-without-hosts-are-empty': {
    description: 'The hosts of a row that is older than host binding are an empty list.',
    mutant: rewriteJson('vault-list', (body) => ({
      ...body,
      data: (body.data as Json[]).map((secret) => ({ ...secret, hosts: secret.hosts ?? [] })),
    })),
  },
  'vault-hosts-merged': {
    description: 'A second store of a name adds its hosts to those of the first.',
    mutant: vaults((usual) => ({
      put(vault, name, secret) {
        const before = usual.list(vault).find((row) => row.name === name)?.hosts ?? [];
        return usual.put(vault, name, { ...secret, hosts: [...new Set([...before, ...secret.hosts])] });
      },
    })),
  },
  'vault-first-time-forgotten': {
    description: 'A replaced secret has a new created_at.',
    mutant: vaults((usual) => ({
      put(vault, name, secret) {
        usual.delete(vault, name);
        return usual.put(vault, name, secret);
      },
    })),
  },
  'vault-full-of-replacements': {
    description: 'In a full vault no secret can be replaced.',
    mutant: vaults((usual) => ({
      put(vault, name, secret) {
        if (usual.list(vault).length >= 1_000) throw new Refusal('vault_full');
        return usual.put(vault, name, secret);
      },
    })),
  },
  'vault-full-is-400': {
    description: 'A full vault is 400.',
    mutant: errors({ reason: 'vault_full', status: 409 }, { status: 400 }),
  },
  'vault-fingerprints-of-values-in-lower-case': {
    description: 'Fingerprints do not tell upper case from lower case.',
    mutant: fingerprints((usual) => (vault, value) => usual(vault, value.toLowerCase())),
  },
  'vault-fingerprints-of-normalized-values': {
    description: 'Fingerprints are of values in Unicode normal form.',
    mutant: fingerprints((usual) => (vault, value) => usual(vault, value.normalize('NFC'))),
  },
  'vault-fingerprints-anew': {
    description: 'Every store has a fingerprint of its own.',
    mutant: () => {
      let count = 0;
      return fingerprints((usual) => (vault, value) => usual(vault, `${value}${count++}`));
    },
  },
  'vault-fingerprints-without-a-key': {
    description: 'A fingerprint is a hash of the value: it is the same in every vault.',
    mutant: fingerprints(() => (_, value) => hash(value)),
  },
  'vault-fingerprints-shortened': {
    description: 'A fingerprint has 32 digits.',
    mutant: rewriteJson(['vault-store', 'vault-copy', 'vault-list'], (body) => {
      const short = (secret: Json) => ({ ...secret, fingerprint: String(secret.fingerprint).slice(0, 32) });
      return { ...body, data: Array.isArray(body.data) ? (body.data as Json[]).map(short) : short(body.data as Json) };
    }),
  },
  'vault-list-backwards': {
    description: 'Secrets are listed from the last name to the first.',
    mutant: vaults((usual) => ({ list: (vault) => usual.list(vault).reverse() })),
  },
  'vault-list-as-people-sort': {
    description: 'Names are ordered as a dictionary orders them.',
    mutant: vaults((usual) => ({
      list: (vault) => usual.list(vault).sort((a, b) => a.name.localeCompare(b.name, 'en', { numeric: true })),
    })),
  },
  'vault-list-never-has-more': {
    description: 'has_more is always false.',
    mutant: rewriteJson('vault-list', (body) => ({ ...body, has_more: false })),
  },
  'vault-offset-is-a-page': {
    description: 'The offset counts pages.',
    mutant: rewriteQuery('vault-list', (query) => {
      const [offset, limit] = [Number(query.get('offset') ?? 0), Number(query.get('limit') ?? 100)];
      if (offset > 0 && offset * limit <= 10_000 && limit <= 100) query.set('offset', String(offset * limit));
    }),
  },
  'vault-pages-of-50': {
    description: 'Without a limit a page has 50 secrets.',
    mutant: byDefault('vault-list', 'limit', '50'),
  },
  'vault-limit-of-any-size': {
    description: 'A limit over 100 is taken for 100.',
    mutant: cutsLimit('vault-list', 100),
  },
  'vault-delete-tells': {
    description: 'A delete answers 200 with a body.',
    mutant: answers({ of: 'vault-delete', status: 204 }, jsonReply(200, { deleted: true })),
  },
  'vault-delete-of-nothing': {
    description: 'The delete of a secret that is not there is 204.',
    mutant: answers({ of: 'vault-delete', status: 404, says: 'Secret not found' }, NOTHING),
  },
  'vault-delete-keeps': {
    description: 'A delete is accepted, and the secret stays.',
    mutant: vaults(() => ({ delete: () => {} })),
  },
  'vault-unknown-secrets-are-interns': {
    description: 'An unknown secret is `Intern not found`.',
    mutant: errors({ of: 'vault-delete', status: 404 }, { message: 'Intern not found' }),
  },
  'vault-copies-one-by-one': {
    description: 'A copy stops at the first name that cannot be copied; those before it stay.',
    mutant: together(
      routes('vault-copy', ({ authorize: _, ...row }) => row),
      vaults((usual) => ({ copy: (from, to, names) => names.flatMap((name) => usual.copy(from, to, [name])) })),
    ),
  },
  'vault-copies-what-has-hosts': {
    description: 'Secrets without hosts are left out of a copy.',
    mutant: vaults((usual) => ({
      copy: (from, to, names) =>
        usual.copy(
          from,
          to,
          names.filter((name) => usual.get(from, name).hosts !== null),
        ),
    })),
  },
  'vault-copy-keeps-what-is-there': {
    description: 'A copy leaves a secret of that name as it is.',
    mutant: vaults((usual) => ({
      copy: (from, to, names) =>
        names.flatMap((name) => {
          const there = usual.list(to).find((row) => row.name === name);
          return there ?? usual.copy(from, to, [name]);
        }),
    })),
  },
  'vault-copy-of-none': {
    description: 'A copy of no secrets is accepted.',
    mutant: refuseBody(
      'vault-copy',
      (body) => isObject(body) && Array.isArray(body.names) && body.names.length === 0,
      jsonReply(200, { data: [] }),
    ),
  },
  'vault-copy-names-twice': {
    description: 'A name may stand twice in a copy.',
    mutant: rewriteFields('vault-copy', (body) =>
      Array.isArray(body.names) ? { ...body, names: [...new Set(body.names)] } : body,
    ),
  },
  'vault-copies-in-order-of-names': {
    description: 'Copies are answered by name.',
    mutant: rewriteJson('vault-copy', ({ data }) => ({
      data: [...(data as Json[])].sort((a, b) => (String(a.name) < String(b.name) ? -1 : 1)),
    })),
  },
  'vault-copies-follow': {
    description: 'A copy changes with its source.',
    mutant: vaults((usual) => {
      const links = new Map<string, string[]>();
      return {
        copy(from, to, names) {
          for (const name of names) links.set(`${from} ${name}`, [...(links.get(`${from} ${name}`) ?? []), to]);
          return usual.copy(from, to, names);
        },
        put(vault, name, secret) {
          for (const to of links.get(`${vault} ${name}`) ?? []) usual.put(to, name, secret);
          return usual.put(vault, name, secret);
        },
      };
    }),
  },
  'vault-reads-off-too': {
    description: 'While writes are disabled lists are 503.',
    mutant: vaultsBySettings((usual, settings) => ({
      list(vault) {
        if (settings().vault_writes === 'off') throw new Refusal('vault_writes_disabled');
        return usual.list(vault);
      },
    })),
  },
  'vault-deletes-while-writes-are-off': {
    description: 'While writes are disabled a delete is 204, and does nothing.',
    mutant: answers({ of: 'vault-delete', status: 503 }, NOTHING),
  },
  'vault-writes-off-for-good': {
    description: 'The 503 is not retryable.',
    mutant: errors({ reason: 'vault_writes_disabled', status: 503 }, { retryable: false }),
  },
  'vault-faults-of-workspaces-alone': {
    description: 'Faults of the vault leave interns alone.',
    mutant: tryAgain(
      ({ operation, internId }) => operation?.startsWith('vault-') === true && internId !== undefined,
      (status, _, request) => (status === 502 ? request : undefined),
    ),
  },
  'vault-releases-to-subdomains': {
    description: 'A secret is released to every name below its hosts.',
    mutant: vaults((usual) => ({
      release: (all, name, to) => {
        const verdict = usual.release(all, name, to);
        return verdict === 'refused: host' ? usual.release(all, name, to.split('.').slice(1).join('.')) : verdict;
      },
    })),
  },
  'vault-releases-borrowed-first': {
    description: 'The borrowed vault comes before the own one.',
    mutant: vaults((usual) => ({ release: (all, name, to) => usual.release([...all].reverse(), name, to) })),
  },
});
