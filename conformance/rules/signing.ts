import { accessOf } from '../model/daemons.js';
import type { Model } from '../model/model.js';
import { DAEMON, SIGNING } from '../model/operations.js';
import { SKEW } from '../model/options.js';
import { proofHeadersOf } from '../model/target.js';
import { isRecord } from '../probe/json.js';
import { answerOf, isOurs, LIMITED, message, type SigningRow } from './errors.js';
import { isDigest, isRoute } from './forms.js';
import { isNotIn, isWithoutKey, maybe, REFUSED, wrongObject } from './mistakes.js';
import { headersIn, type Proof, type ProofSubject, SIGNATURE, signaturesOf } from './proofs.js';
import {
  type AnyRule,
  all,
  holds,
  is,
  isBodyKnown,
  isDone,
  type Judgement,
  keysAre,
  rulesOf,
  type Seen,
  textOf,
} from './rule.js';

/** The catalogue of signing (Signing route errors). */
const CATALOGUE: Readonly<Record<number, SigningRow>> = {
  400: [/^Invalid request body/, 'invalid_body', false],
  403: [/^Personal connections require the OIDC login/, 'personal_identity_required', false],
  404: [/^Intern not found/, 'not_found', false],
  408: [/^Operation timed out/, 'timeout', true],
  413: [/^Request body exceeds 1048576 bytes/, 'payload_too_large', false],
  415: [/^Request body must be sent as application\/json/, 'unsupported_media_type', false],
  429: LIMITED,
  500: [/^The request could not be completed/, 'internal_error', true],
};

/** Whether the signing operation itself answered: not a limiter or firewall before it, and not the gate of the programme. */
const isOfSigning = (seen: Seen): boolean =>
  isOurs(seen) &&
  !seen.asked.regional &&
  seen.caller?.kind !== 'outsider' &&
  (seen.answered.status !== 429 || seen.error?.reason === LIMITED[1] || LIMITED[0].test(String(seen.error?.message)));

const isProof = (seen: Seen): boolean => isDone(seen) && seen.json !== undefined;

const noStore = (seen: Seen, of: string): Judgement =>
  holds(
    /\bno-store\b/i.test(seen.answered.header('cache-control') ?? ''),
    `cache-control of ${of}`,
    'no-store',
    seen.answered.header('cache-control') ?? null,
  );

const keysOf = (model: Model) => proofHeadersOf(model.options.profile);

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

/** Daemon access, and the signing of daemon requests. */
export const PROOFS: readonly AnyRule[] = [
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
        // Under other names, which are published, nobody knows them.
        if (typeof json.origin !== 'string' || typeof json.token !== 'string') return undefined;
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
    'access-runs': {
      says: 'The daemon access is that of a running intern: for any other it is refused.',
      step: 'state',
      statuses: REFUSED,
      of: DAEMON,
      wrong: (seen, model) => isNotIn(seen, model, 'up'),
    },
    'access-runs-status': {
      level: 'P',
      says: 'The daemon access of an intern that does not run is refused with 409.',
      step: 'state',
      statuses: [409],
      reason: 'intern_not_running',
      of: DAEMON,
      wrong: (seen, model) => isNotIn(seen, model, 'up'),
    },
  }),
  ...rulesOf('DAEMON-3', {
    'as-the-operation': {
      says: 'The deprecated alias answers the same as the operation: among equal answers of the operation, its own is equal, too.',
      of: ['daemon'],
      judge: ({ asked, intern, json, ...seen }) => {
        const before = intern?.accesses.get(String(asked.caller));
        if (!isDone(seen) || json === undefined || before?.alias === undefined || asked.at < before.alias.at)
          return undefined;
        // Two servers may have a token each, and answer in turn.
        if (before.times < 2 || before.access !== accessOf(json)) return undefined;
        return holds(
          before.alias.access === before.access,
          'daemon access by the alias',
          'that of the operation before and after it',
          'another',
          [before.number, before.alias.number],
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
          // A service may have further headers of its own.
          headersIn(seen.json ?? {}, names),
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
  ...rulesOf('SIGN-2', {
    digest: {
      says: 'A bodySha256 that does not match ^[0-9a-f]{64}$ is refused with 400.',
      step: 'body',
      statuses: [400],
      reason: 'invalid_body',
      of: SIGNING,
      wrong: wrongObject(({ bodySha256 }) => isDigest(bodySha256)),
    },
  }),
  ...rulesOf('SIGN-3', SIGNING, {
    route: {
      says: 'A route is refused with 400 unless it has a permitted method and a path in its sent form.',
      step: 'body',
      statuses: [400],
      reason: 'invalid_body',
      wrong: (seen, { options }) =>
        wrongObject((row) => !('route' in row) || isRoute(row.route, options.profile.route_methods))(seen),
    },
    'route-unknown': {
      open: true,
      says: 'A service may sign only for routes that it knows.',
      step: 'body',
      statuses: [400],
      wrong: (seen, model) =>
        maybe(
          isRecord(seen.body?.route) &&
            model.options.ours !== true &&
            !model.routes.has(JSON.stringify(seen.body.route)),
        ),
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
  ...rulesOf('SIGN-10', {
    catalogue: {
      says: 'An error of the signing route has the message, reason and retryable flag of its status.',
      of: SIGNING,
      alone: true,
      judge: (seen) => {
        const row = isOfSigning(seen) ? CATALOGUE[seen.answered.status] : undefined;
        if (row === undefined || seen.error === undefined) return undefined;
        const [pattern, reason, retryable] = row;
        return all(
          is(`error.metadata.reason of ${answerOf(seen)}`, reason, seen.error.reason),
          is(`error.metadata.retryable of ${answerOf(seen)}`, retryable, seen.error.retryable),
          // A gateway may limit any request, with other words.
          seen.answered.status === 429 ? undefined : message(seen, pattern),
        );
      },
    },
    'key-message': {
      says: 'A missing or invalid key on the signing route gets the message: Invalid or missing API key.',
      of: SIGNING,
      alone: true,
      judge: (seen) =>
        isOurs(seen) && seen.answered.status === 401 && seen.caller === null
          ? message(seen, /^Invalid or missing API key/)
          : undefined,
    },
    'signing-key-needed': {
      says: 'A missing or invalid key on the signing route gives 401.',
      step: 'credential',
      statuses: [401],
      of: SIGNING,
      wrong: isWithoutKey,
    },
  }),
];
