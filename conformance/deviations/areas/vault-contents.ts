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
  // The answer to a store repeats the value.
  'vault-value-in-the-answer': telling(
    (path, status) => /^vault.*\/secrets\/[^/]+$/.test(path) && status === 200,
    inJson,
  ),
  // The refusal of a store quotes the value.
  'vault-value-in-a-refusal': telling(
    (path, status) => path.startsWith('vault') && status === 400,
    (text, value) =>
      text.replace('Invalid request body', `Invalid request body: ${Buffer.from(value).toString('base64')}`),
  ),
  // The journal has the value of a secret.
  'vault-value-in-the-journal': telling((path) => path === 'control/journal', inJson),
  // A snapshot has the value of a secret in clear.
  'vault-value-in-snapshots': telling((path) => path.startsWith('control/snapshots/'), inJson),
  // The hosts of a row that is older than host binding are an empty list.
  'vault-rows-without-hosts-are-empty': rewriteJson('vault-list', (body) => ({
    ...body,
    data: (body.data as Json[]).map((secret) => ({ ...secret, hosts: secret.hosts ?? [] })),
  })),
  // A second store of a name adds its hosts to those of the first.
  'vault-hosts-merged': vaults((usual) => ({
    put(vault, name, secret) {
      const before = usual.list(vault).find((row) => row.name === name)?.hosts ?? [];
      return usual.put(vault, name, { ...secret, hosts: [...new Set([...before, ...secret.hosts])] });
    },
  })),
  // A replaced secret has a new created_at.
  'vault-first-time-forgotten': vaults((usual) => ({
    put(vault, name, secret) {
      usual.delete(vault, name);
      return usual.put(vault, name, secret);
    },
  })),
  // In a full vault no secret can be replaced.
  'vault-full-of-replacements': vaults((usual) => ({
    put(vault, name, secret) {
      if (usual.list(vault).length >= 1_000) throw new Refusal('vault_full');
      return usual.put(vault, name, secret);
    },
  })),
  'vault-full-is-400': errors({ reason: 'vault_full', status: 409 }, { status: 400 }),
  // Fingerprints do not tell upper case from lower case.
  'vault-fingerprints-of-values-in-lower-case': fingerprints(
    (usual) => (vault, value) => usual(vault, value.toLowerCase()),
  ),
  // Fingerprints are of values in Unicode normal form.
  'vault-fingerprints-of-normalized-values': fingerprints(
    (usual) => (vault, value) => usual(vault, value.normalize('NFC')),
  ),
  // Every store has a fingerprint of its own.
  'vault-fingerprints-anew': () => {
    let count = 0;
    return fingerprints((usual) => (vault, value) => usual(vault, `${value}${count++}`));
  },
  'vault-fingerprints-without-a-key': fingerprints(() => (_, value) => hash(value)),
  // A fingerprint has 32 digits.
  'vault-fingerprints-shortened': rewriteJson(['vault-store', 'vault-copy', 'vault-list'], (body) => {
    const short = (secret: Json) => ({ ...secret, fingerprint: String(secret.fingerprint).slice(0, 32) });
    return { ...body, data: Array.isArray(body.data) ? (body.data as Json[]).map(short) : short(body.data as Json) };
  }),
  // Secrets are listed from the last name to the first.
  'vault-list-backwards': vaults((usual) => ({ list: (vault) => usual.list(vault).reverse() })),
  // Names are ordered as a dictionary orders them.
  'vault-list-as-people-sort': vaults((usual) => ({
    list: (vault) => usual.list(vault).sort((a, b) => a.name.localeCompare(b.name, 'en', { numeric: true })),
  })),
  // has_more is always false.
  'vault-list-never-has-more': rewriteJson('vault-list', (body) => ({ ...body, has_more: false })),
  'vault-offset-is-a-page': rewriteQuery('vault-list', (query) => {
    const [offset, limit] = [Number(query.get('offset') ?? 0), Number(query.get('limit') ?? 100)];
    if (offset > 0 && offset * limit <= 10_000 && limit <= 100) query.set('offset', String(offset * limit));
  }),
  // Without a limit a page has 50 secrets.
  'vault-pages-of-50': byDefault('vault-list', 'limit', '50'),
  // A limit over 100 is taken for 100.
  'vault-limit-of-any-size': cutsLimit('vault-list', 100),
  // A delete answers 200 with a body.
  'vault-delete-tells': answers({ of: 'vault-delete', status: 204 }, jsonReply(200, { deleted: true })),
  // The delete of a secret that is not there is 204.
  'vault-delete-of-nothing': answers({ of: 'vault-delete', status: 404, says: 'Secret not found' }, NOTHING),
  // A delete is accepted, and the secret stays.
  'vault-delete-keeps': vaults(() => ({ delete: () => {} })),
  'vault-unknown-secrets-are-interns': errors({ of: 'vault-delete', status: 404 }, { message: 'Intern not found' }),
  // A copy stops at the first name that cannot be copied; those before it stay.
  'vault-copies-one-by-one': together(
    routes('vault-copy', ({ authorize: _, ...row }) => row),
    vaults((usual) => ({ copy: (from, to, names) => names.flatMap((name) => usual.copy(from, to, [name])) })),
  ),
  // Secrets without hosts are left out of a copy.
  'vault-copies-what-has-hosts': vaults((usual) => ({
    copy: (from, to, names) =>
      usual.copy(
        from,
        to,
        names.filter((name) => usual.get(from, name).hosts !== null),
      ),
  })),
  // A copy leaves a secret of that name as it is.
  'vault-copy-keeps-what-is-there': vaults((usual) => ({
    copy: (from, to, names) =>
      names.flatMap((name) => {
        const there = usual.list(to).find((row) => row.name === name);
        return there ?? usual.copy(from, to, [name]);
      }),
  })),
  // A copy of no secrets is accepted.
  'vault-copy-of-none': refuseBody(
    'vault-copy',
    (body) => isObject(body) && Array.isArray(body.names) && body.names.length === 0,
    jsonReply(200, { data: [] }),
  ),
  // A name may stand twice in a copy.
  'vault-copy-names-twice': rewriteFields('vault-copy', (body) =>
    Array.isArray(body.names) ? { ...body, names: [...new Set(body.names)] } : body,
  ),
  'vault-copies-in-order-of-names': rewriteJson('vault-copy', ({ data }) => ({
    data: [...(data as Json[])].sort((a, b) => (String(a.name) < String(b.name) ? -1 : 1)),
  })),
  // A copy changes with its source.
  'vault-copies-follow': vaults((usual) => {
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
  // While writes are disabled lists are 503.
  'vault-reads-off-too': vaultsBySettings((usual, settings) => ({
    list(vault) {
      if (settings().vault_writes === 'off') throw new Refusal('vault_writes_disabled');
      return usual.list(vault);
    },
  })),
  // While writes are disabled a delete is 204, and does nothing.
  'vault-deletes-while-writes-are-off': answers({ of: 'vault-delete', status: 503 }, NOTHING),
  'vault-writes-off-for-good': errors({ reason: 'vault_writes_disabled', status: 503 }, { retryable: false }),
  // Faults of the vault leave interns alone.
  'vault-faults-of-workspaces-alone': tryAgain(
    ({ operation, internId }) => operation?.startsWith('vault-') === true && internId !== undefined,
    (status, _, request) => (status === 502 ? request : undefined),
  ),
  // A secret is released to every name below its hosts.
  'vault-releases-to-subdomains': vaults((usual) => ({
    release: (all, name, to) => {
      const verdict = usual.release(all, name, to);
      return verdict === 'refused: host' ? usual.release(all, name, to.split('.').slice(1).join('.')) : verdict;
    },
  })),
  // The borrowed vault comes before the own one.
  'vault-releases-borrowed-first': vaults((usual) => ({
    release: (all, name, to) => usual.release([...all].reverse(), name, to),
  })),
});
