import { envelope } from '../../../emulator/contract/errors.js';
import { after } from '../../../emulator/http/exchange.js';
import type { Proof, ProofRequest, Signer } from '../../../emulator/signing/signer.js';
import { failed } from '../answers.js';
import { type Call, isJson } from '../call.js';
import { named } from '../ways/named.js';
import type { Way } from '../world.js';
import { as, contentType, made, person } from './tools.js';

const SIGN = 'sign sign-alias';
const HEX = 'Must match `^[0-9a-f]{64}$`.';
const V1 = 'Ed25519 signature over the intern id, timestamp, user and body digest.';
const V2 = 'Ed25519 signature over the intern id, timestamp, nonce, user, method, path and body digest.';
const NO_STORE = 'The response carries `Cache-Control: no-store`.';
const SIGNED_USER = /^[\x21-\x2b\x2d-\x7e]{1,255}$/;

const signedOtherwise = (name: string, quote: string, sign: (signer: Signer, asked: ProofRequest) => Proof): Way =>
  made(name, quote, (usual, hit) => ({
    createProofs(deps) {
      const proofs = usual.createProofs(deps);
      const otherwise = (asked: ProofRequest) => {
        hit();
        return sign(proofs.signer, asked);
      };
      return { ...proofs, signer: { ...proofs.signer, sign: otherwise } };
    },
  }));

/** Accepts a digest that is not one, and signs the one that is in it. */
const lenient = (name: string, inside: (digest: string) => string | undefined): Way =>
  named(name, HEX, (w) =>
    w.asked(SIGN, ({ body }) => {
      const { bodySha256 } = body;
      if (typeof bodySha256 !== 'string' || /^[0-9a-f]{64}(?!\n)$/.test(bodySha256)) return undefined;
      const found = inside(bodySha256);
      return found !== undefined && /^[0-9a-f]{64}(?!\n)$/.test(found) ? { ...body, bodySha256: found } : undefined;
    }),
  );

const refusedCharset = (call: Call) => contentType(call).includes(';');

export const signing: readonly Way[] = [
  signedOtherwise('the first signature is over milliseconds', V1, (signer, asked) => {
    const { route: _, ...plain } = asked;
    return {
      ...signer.sign(asked),
      signature: signer.sign({ ...plain, timestamp: asked.timestamp * 1_000 }).signature,
    };
  }),
  made('the second signature leaves out the method', V2, (usual, hit) => ({
    createProofs(deps) {
      const { proof_layout: layout } = deps.profile;
      const v2 = layout.v2.filter((field) => field !== 'method');
      const proofs = usual.createProofs({
        ...deps,
        profile: { ...deps.profile, proof_layout: { ...layout, v2 } },
      });
      const { signer } = proofs;
      const sign = (asked: ProofRequest) => {
        if (asked.route !== undefined) hit();
        return signer.sign(asked);
      };
      return { ...proofs, signer: { ...signer, sign } };
    },
  })),
  made('two uses of a nonce at the same time are both accepted', 'The intern accepts it once.', (usual, hit) => ({
    createProofs(deps) {
      const proofs = usual.createProofs(deps);
      const prefix = deps.profile.proof_header_prefix;
      const going = new Map<string, Promise<Response>>();
      const fetch: typeof proofs.daemon.fetch = async (request, incoming) => {
        const signature = request.headers.get(`${prefix}-signature-v2`);
        if (signature === null) return proofs.daemon.fetch(request, incoming);
        const key = [signature, request.method, request.url, request.headers.get('authorization')].join(' ');
        const other = going.get(key);
        if (other !== undefined) {
          hit();
          return (await other).clone();
        }
        const answer = proofs.daemon.fetch(request, incoming);
        going.set(key, answer);
        const response = await answer;
        going.delete(key);
        return response.clone();
      };
      return { ...proofs, daemon: { ...proofs.daemon, fetch } };
    },
  })),
  made('a daemon takes proofs of any age', 'The daemon refuses proofs older than its window.', (usual, hit) => ({
    createProofs(deps) {
      const proofs = usual.createProofs({ ...deps, settings: () => ({ proof_window: 1e12 }) });
      const fetch: typeof proofs.daemon.fetch = async (request, incoming) => {
        const seconds = Number(request.headers.get(`${deps.profile.proof_header_prefix}-timestamp`));
        const response = await proofs.daemon.fetch(request, incoming);
        if (response.ok && deps.clock.now() - seconds * 1_000 > deps.settings().proof_window) hit();
        return response;
      };
      return { ...proofs, daemon: { ...proofs.daemon, fetch } };
    },
  })),
  named('the time of a proof is a number', '`x-svc-invoke-timestamp`: string, Unix seconds', (w) =>
    w.ok(SIGN, (body) => {
      for (const name of Object.keys(body)) if (name.endsWith('-timestamp')) body[name] = Number(body[name]);
    }),
  ),
  named('a digest signed again within half a minute gets the proof of before', 'Time of signing.', (w) => {
    const before = new Map<string, { at: number; text: string }>();
    return w.later(SIGN, async (r, call) => {
      if (!r.ok || 'route' in call.body) return undefined;
      const key = [person(call.who), call.id, call.body.bodySha256].join(' ');
      const now = w.setting.host.now();
      const known = before.get(key);
      if (known === undefined || now - known.at >= 30_000) before.set(key, { at: now, text: await r.clone().text() });
      if (known === undefined || now - known.at >= 30_000 || now - known.at < 1_000) return undefined;
      return new Response(known.text, { status: r.status, headers: r.headers });
    });
  }),
  made(
    'a proof names the user that a header of the request names',
    'It is never taken from the request.',
    (usual, hit) => ({
      createRoutes: (deps) =>
        usual.createRoutes(deps).map((row) =>
          row.operation !== 'sign'
            ? row
            : {
                ...row,
                handle(call) {
                  const given = call.headers.get(`${deps.sign.profile.proof_header_prefix}-user`);
                  if (given === null || given === call.caller.subject || !SIGNED_USER.test(given))
                    return row.handle(call);
                  hit();
                  return row.handle(Object.create(call, { caller: { value: { ...call.caller, subject: given } } }));
                },
              },
        ),
    }),
  ),
  named('a nonce comes without a route too', 'present together with the v2 signature', (w) =>
    w.ok(SIGN, (body, call) => {
      const timestamp = Object.keys(body).find((name) => name.endsWith('-timestamp'));
      if (timestamp === undefined || isJson(call.body.route)) return;
      const bytes = Array.from({ length: 16 }, () => Math.floor(w.setting.random() * 256));
      body[timestamp.replace(/timestamp$/, 'nonce')] = Buffer.from(bytes).toString('base64url');
    }),
  ),
  lenient('a digest in capitals is signed', (digest) => digest.toLowerCase()),
  lenient('a digest with a line break behind it is signed', (digest) => digest.replace(/\n$/, '')),
  lenient('a digest with something before it is signed', (digest) => digest.slice(-64)),
  named('a proof for a route may be stored', NO_STORE, (w) =>
    w.head(SIGN, (headers, call, response) => {
      if (response.ok && isJson(call.body.route)) headers.delete('cache-control');
    }),
  ),
  named(
    "an intern's own key signs for its intern",
    'An API key is refused with 403, because it names no person.',
    (w) =>
      w.asked(SIGN, (call) =>
        call.who === 'own_key' && call.id === w.target.credentials.intern?.id ? as(w, call, 'oauth_token') : undefined,
      ),
  ),
  named('the cap of signing counts characters', 'Request body size: 1048576 bytes', (w) =>
    w.asked(SIGN, (call) => {
      const cap = 1_048_576;
      if (call.text.length > cap || Buffer.byteLength(call.text) <= cap) return undefined;
      const { bodySha256, route } = call.body;
      return { bodySha256, ...(route === undefined ? {} : { route }) };
    }),
  ),
  named('signing refuses a content type with its charset', 'Header `Content-Type: application/json`.', (w) =>
    w.later(SIGN, (r, call) =>
      r.ok && refusedCharset(call)
        ? failed(415, 'Request body must be sent as application/json', 'unsupported_media_type')
        : undefined,
    ),
  ),
  named(
    'the 401 of signing has metadata',
    'The `metadata` object is absent on the 401 error of the signing route',
    (w) =>
      w.error(SIGN, 401, (error) => {
        error.metadata = { reason: 'unauthorized', retryable: false };
      }),
  ),
  named('signing says that an intern of another workspace is forbidden', 'Intern unknown or not visible.', (w) =>
    w.later(SIGN, async (r, call) => {
      const from = person(call.who);
      if (r.status !== 404 || !['caller', 'peer', 'foreign_api_key'].includes(from)) return undefined;
      const other = from === 'foreign_api_key' ? 'api_key' : 'foreign_api_key';
      const there = await w.ask('GET', `/interns/${call.id}`, { as: other });
      return there.ok ? failed(403, 'Forbidden', 'forbidden') : undefined;
    }),
  ),
  made('signing that takes too long fails as if broken', '408: Operation exceeded 10 seconds.', (usual, hit) => ({
    createPipeline(deps) {
      const respond = usual.createPipeline(deps);
      return (request, resource, transport) =>
        after(respond(request, resource, transport), (answer) => {
          if (answer.status !== 408 || !resource.routes.some(({ operation }) => operation === 'sign')) return answer;
          hit();
          return { ...answer, status: 500, body: JSON.stringify(envelope('internal_error')) };
        });
    },
  })),
  named('a digest that is no text breaks the service', '400: Body invalid.', (w) =>
    w.later(SIGN, (r, { body }) =>
      r.status === 400 && 'bodySha256' in body && typeof body.bodySha256 !== 'string'
        ? failed(500, 'The request could not be completed', 'internal_error', true)
        : undefined,
    ),
  ),
];
