import { hasKeys, TIMESTAMP, UUID } from '../framework/assert.js';
import { Finding } from '../framework/finding.js';
import { proofHeadersOf } from '../framework/profile.js';
import { type Proof, type ProofSubject, SIGNATURE, signaturesOf } from '../helpers/proofs.js';
import type { Model } from '../model/model.js';
import { DAEMON, SIGNING } from '../model/operations.js';
import { SKEW } from '../model/options.js';
import { isRecord } from '../probe/json.js';
import { all, each, holds, is, isBodyKnown, isDone, type Judgement, type Rule, rulesOf, type Seen } from './rule.js';

const isProof = (seen: Seen): boolean => isDone(seen) && seen.json !== undefined;
const noStore = (seen: Seen, of: string): Judgement =>
  holds(
    /\bno-store\b/i.test(seen.answered.header('cache-control') ?? ''),
    `cache-control of ${of}`,
    'no-store',
    seen.answered.header('cache-control') ?? null,
  );
const keysOf = (model: Model) => proofHeadersOf(model.options.profile);
const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/** A proof that an answer shows, and the request that it signs. */
function proofIn(seen: Seen, model: Model): { proof: Proof; subject: ProofSubject } | undefined {
  const { id, body, json } = seen;
  if (!isProof(seen) || id === undefined || json === undefined || typeof body?.bodySha256 !== 'string')
    return undefined;
  const names = keysOf(model);
  const proof = {
    signature: textOf(json[names.signature]),
    timestamp: textOf(json[names.timestamp]),
    user: textOf(json[names.user]),
  };
  const subject = { internId: id, bodySha256: body.bodySha256 };
  if (!SIGNATURE.test(proof.signature)) return undefined;
  const [signatureV2, nonce] = [textOf(json[names.signatureV2]), textOf(json[names.nonce])];
  const { method, path } = isRecord(body.route) ? body.route : {};
  if (typeof method !== 'string' || typeof path !== 'string' || !SIGNATURE.test(signatureV2)) return { proof, subject };
  return { proof: { ...proof, signatureV2, nonce }, subject: { ...subject, route: { method, path } } };
}

/** ms that are too short for a service to suspend an intern and wake it again. */
const BRIEF = 2_000;

/** Seconds by which the clocks of two servers of one service may differ. */
const DRIFT = 5;

/** The versions of signatures that have verified: their layout is that of the profile. */
const verifiedBy = new WeakMap<Model, Set<string>>();

const keysAre = (value: unknown, keys: readonly string[], of: string): Judgement => {
  try {
    hasKeys(value, keys, of);
    return 'kept';
  } catch (error) {
    if (!(error instanceof Finding)) throw error;
    return {
      what: `keys of ${of}`,
      expected: [...keys].sort(),
      actual: isRecord(value) ? Object.keys(value).sort() : value,
      because: [],
    };
  }
};

/** Daemon access, and the signing of daemon requests. */
export const ACCESS: readonly Rule[] = [
  ...rulesOf('DAEMON-1', {
    'not-stored': {
      says: 'The daemon access carries Cache-Control: no-store.',
      alone: true,
      of: DAEMON,
      judge: (seen) => (isDone(seen) ? noStore(seen, 'the daemon access') : undefined),
    },
    form: {
      level: 'P',
      says: 'The daemon access is {origin, token}: a scheme, a host and a port, and a token.',
      alone: true,
      of: DAEMON,
      judge: (seen) =>
        isDone(seen)
          ? all(
              holds(
                typeof seen.json?.origin === 'string' && /^https?:\/\/[^/\s?#]+$/.test(seen.json.origin),
                'origin of the daemon access',
                'scheme, host and port',
                seen.json?.origin,
              ),
              holds(
                typeof seen.json?.token === 'string' && seen.json.token !== '',
                'token of the daemon access',
                'a token',
                typeof seen.json?.token,
              ),
            )
          : undefined,
    },
    'of-one-intern': {
      says: 'The daemon access attaches to one intern: no other intern has the same origin and token.',
      of: DAEMON,
      judge: (seen, model) => {
        const { id, json } = seen;
        if (!isDone(seen) || id === undefined || json === undefined) return undefined;
        const before = model.accessBy(json);
        return holds(
          before === undefined || before.value === id,
          `origin and token of ${seen.called}`,
          'those of no other intern',
          'those of another',
          before === undefined ? [] : [before.number],
        );
      },
    },
    'not-while-it-boots': {
      says: 'Only a running intern has a daemon access: an intern that got one is not still booting afterwards.',
      of: ['get'],
      judge: (seen) => {
        const { answered, asked, intern, json } = seen;
        const before = intern?.attached;
        if (answered.status >= 300 || intern?.made === undefined) return undefined;
        // After a longer time a service may have suspended the intern and woken it again.
        if (before === undefined || before.at > asked.at || asked.at - before.at > BRIEF) return undefined;
        return holds(
          !['queued', 'provisioning'].includes(String(json?.status)),
          'status of an intern after its daemon was attached to',
          'running',
          json?.status,
          [before.number],
        );
      },
    },
  }),
  ...rulesOf('SIGN-1', SIGNING, {
    'not-stored': {
      says: 'A proof carries Cache-Control: no-store.',
      alone: true,
      judge: (seen) => (isProof(seen) ? noStore(seen, 'a proof') : undefined),
    },
    keys: {
      says: 'A proof has signature, timestamp and user; v2 signature and nonce exactly where the request named a route.',
      alone: true,
      judge: (seen, model) => {
        if (!isProof(seen) || seen.body === undefined) return undefined;
        const names = keysOf(model);
        const routed = isRecord(seen.body.route);
        // A service of another profile may have other names for the fields of a route.
        if (!routed && Object.keys(seen.body).length > 1) return undefined;
        const wanted = [names.signature, names.timestamp, names.user];
        return keysAre(
          seen.json,
          routed ? [...wanted, names.signatureV2, names.nonce] : wanted,
          routed ? 'a proof for a route' : 'a proof',
        );
      },
    },
    forms: {
      says: 'Signatures are Base64 of 64 bytes, the timestamp is Unix seconds, user and nonce are texts.',
      alone: true,
      judge: (seen, model) => {
        if (!isProof(seen) || seen.json === undefined) return undefined;
        const names = keysOf(model);
        const { json } = seen;
        const length = (key: string) => `${textOf(json[key]).length} characters`;
        return all(
          holds(
            SIGNATURE.test(textOf(json[names.signature])),
            names.signature,
            SIGNATURE.words,
            length(names.signature),
          ),
          names.signatureV2 in json
            ? holds(
                SIGNATURE.test(textOf(json[names.signatureV2])),
                names.signatureV2,
                SIGNATURE.words,
                length(names.signatureV2),
              )
            : undefined,
          holds(
            /^[1-9]\d{8,10}$/.test(textOf(json[names.timestamp])),
            names.timestamp,
            'Unix seconds, as a string',
            json[names.timestamp],
          ),
          holds(textOf(json[names.user]) !== '', names.user, 'the user, as a string', typeof json[names.user]),
          names.nonce in json
            ? holds(textOf(json[names.nonce]) !== '', names.nonce, 'a single-use id', typeof json[names.nonce])
            : undefined,
        );
      },
    },
  }),
  ...rulesOf('SIGN-4', SIGNING, {
    verifies: {
      says: 'Signatures are Ed25519 over the fields as the profile lays them out.',
      judge: (seen, model) => {
        const { publicKeys } = model.options;
        const one = publicKeys.length > 0 ? proofIn(seen, model) : undefined;
        if (one === undefined) return undefined;
        const verified = verifiedBy.get(model) ?? new Set();
        verifiedBy.set(model, verified);
        const all = signaturesOf({ profile: model.options.profile, target: { publicKeys } }, one.proof, one.subject);
        for (const { which, holds } of all) if (holds) verified.add(which);
        const wrong = all.find((signature) => !signature.holds);
        // If no signature ever verifies, the target has another layout, which is no breach.
        if (wrong === undefined) return 'kept';
        return verified.size > 0
          ? holds(false, `${wrong.which} signature of a proof`, 'one that verifies as others do', seen.called)
          : undefined;
      },
    },
    'of-its-request': {
      says: 'A signature covers the intern, the time, the user and the digest of its request: no two requests share one.',
      judge: (seen, model) => {
        if (!isProof(seen) || !isBodyKnown(seen)) return undefined;
        const before = model.signedBefore(seen);
        return holds(
          before === undefined,
          `signature of ${seen.called}`,
          'one that no other request has',
          'that of another request',
          before === undefined ? [] : [before.number],
        );
      },
    },
  }),
  ...rulesOf('SIGN-5', SIGNING, {
    'time-of-signing': {
      says: 'The timestamp of a proof is the time of signing.',
      judge: (seen, model) => {
        // An emulator of ours has its own clock, but sends the real time as `Date`.
        const isByDate = model.options.ours !== true && !model.hasOwnClock;
        const stamp = isProof(seen) && isByDate ? Number(seen.json?.[keysOf(model).timestamp]) : Number.NaN;
        const date = Date.parse(seen.answered.header('date') ?? '');
        if (Number.isNaN(stamp) || Number.isNaN(date)) return undefined;
        const took = Math.max(0, seen.answered.at - seen.asked.at) / 1000;
        const off = date / 1000 - stamp;
        const skew = SKEW / 1000;
        return holds(off >= -skew && off <= took + skew, 'timestamp of a proof', 'the time of the target at signing', {
          timestamp: stamp,
          date: date / 1000,
        });
      },
    },
    'moves-with-time': {
      says: 'The timestamp of a proof is the time of signing: between two proofs it moves as far as time does.',
      judge: (seen, model) => {
        const first = model.stamped;
        const stamp = Number(seen.json?.[keysOf(model).timestamp]);
        if (!isProof(seen) || first === undefined || Number.isNaN(stamp) || model.options.ours === true)
          return undefined;
        const moved = stamp - first.value.stamp;
        const least = (seen.asked.at - first.value.to) / 1000 - DRIFT;
        const most = (seen.answered.at - first.value.from) / 1000 + DRIFT;
        return holds(
          moved >= least && moved <= most,
          'timestamp of a proof after another',
          'as much later as it was made',
          { moved, made: (seen.asked.at - first.value.from) / 1000 },
          [first.number],
        );
      },
    },
  }),
  ...rulesOf('SIGN-6', SIGNING, {
    subject: {
      says: 'A proof names the verified subject of the token that it is made for.',
      alone: true,
      judge: (seen, model) => {
        const { subject } = seen.caller ?? {};
        return isProof(seen) && subject !== undefined
          ? is(`user in a proof for ${seen.asked.caller}`, subject, seen.json?.[keysOf(model).user])
          : undefined;
      },
    },
    'one-person': {
      says: 'All proofs for one token name the same user.',
      judge: (seen, model) => {
        const before = typeof seen.asked.caller === 'string' ? model.signers.get(seen.asked.caller) : undefined;
        return isProof(seen) && before !== undefined
          ? is(`user in a proof for ${seen.asked.caller}`, before.value, seen.json?.[keysOf(model).user], [
              before.number,
            ])
          : undefined;
      },
    },
  }),
  ...rulesOf('SIGN-7', SIGNING, {
    'nonce-once': {
      says: 'No two proofs have the same nonce.',
      judge: (seen, model) => {
        const nonce = isProof(seen) ? seen.json?.[keysOf(model).nonce] : undefined;
        const before = typeof nonce === 'string' ? model.nonces.get(nonce) : undefined;
        return typeof nonce === 'string'
          ? holds(
              before === undefined,
              'nonce of a proof',
              'one that no other proof has',
              seen.called,
              before === undefined ? [] : [before.number],
            )
          : undefined;
      },
    },
  }),
  ...rulesOf('SCIM-1', ['scim'], {
    fields: {
      says: 'A mapping is {data} with exactly the stated fields.',
      alone: true,
      judge: (seen) =>
        isDone(seen)
          ? all(
              keysAre(seen.json, ['data'], 'a mapping'),
              keysAre(
                seen.json?.data,
                ['id', 'scim_group_id', 'workspace_id', 'organization_id', 'role', 'created_at', 'updated_at'],
                'data of a mapping',
              ),
            )
          : undefined,
    },
    forms: {
      says: 'The ids of a mapping are UUIDs, its times ISO 8601 in UTC with milliseconds.',
      alone: true,
      judge: (seen) => {
        const data = isDone(seen) && isRecord(seen.json?.data) ? seen.json.data : undefined;
        if (data === undefined) return undefined;
        const right = (key: string, pattern: typeof UUID) =>
          holds(pattern.test(textOf(data[key])), `${key} of a mapping`, pattern.words, data[key]);
        return all(
          each(['id', 'scim_group_id', 'workspace_id'], (key) => right(key, UUID)),
          each(['created_at', 'updated_at'], (key) => right(key, TIMESTAMP)),
          each(['organization_id', 'role'], (key) =>
            holds(textOf(data[key]) !== '', `${key} of a mapping`, 'a string', data[key]),
          ),
          holds(
            Date.parse(textOf(data.updated_at)) >= Date.parse(textOf(data.created_at)),
            'updated_at of a mapping',
            'no earlier than created_at',
            data.updated_at,
          ),
        );
      },
    },
    'named-by-path': {
      says: 'A mapping has the id that the path names.',
      alone: true,
      judge: (seen) =>
        isDone(seen) && isRecord(seen.json?.data)
          ? is('id of a mapping', seen.id?.toLowerCase(), textOf(seen.json.data.id).toLowerCase())
          : undefined,
    },
    stays: {
      says: 'A mapping that nobody changed reads the same again.',
      judge: (seen, model) => {
        const data = isDone(seen) ? seen.json?.data : undefined;
        const before = isRecord(data) && seen.id !== undefined ? model.mapping(seen.id) : undefined;
        if (!isRecord(data) || before === undefined || !isRecord(before.value)) return undefined;
        const known = before.value;
        const isSame = data.updated_at === known.updated_at;
        return each(isSame ? Object.keys(known) : ['scim_group_id', 'organization_id', 'created_at'], (key) =>
          is(`${key} of a mapping`, known[key], data[key], [before.number]),
        );
      },
    },
    role: {
      level: 'P',
      says: 'The role of a mapping is admin or member.',
      alone: true,
      judge: (seen) =>
        isDone(seen) && isRecord(seen.json?.data)
          ? holds(
              seen.json.data.role === 'admin' || seen.json.data.role === 'member',
              'role of a mapping',
              'admin or member',
              seen.json.data.role,
            )
          : undefined,
    },
  }),
];
