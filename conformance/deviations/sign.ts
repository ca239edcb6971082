import type { Alterations } from './alterations.js';
import { bodies, parses, reads } from './change.js';
import { isObject, type Json } from './change-lifecycle.js';
import { type Proof, signs, withoutHeader } from './change-signing.js';
import { defineDeviations, together } from './deviation.js';

/** Changes the body of a signing request. */
const asked = (change: (body: Json) => Json): Alterations =>
  reads('sign', (value) => (isObject(value) ? change(value) : value));

/** Changes the route of a signing request. */
const routed = (change: (route: unknown) => unknown): Alterations =>
  asked((body) => {
    if (!('route' in body)) return body;
    const { route, ...rest } = body;
    const changed = change(route);
    return changed === undefined ? rest : { ...rest, route: changed };
  });

export const SIGN = defineDeviations([
  {
    name: 'sign-without-v1',
    requirement: 'SIGN-1',
    description: 'With a route only the v2 signature is answered.',
    alters: bodies('sign', (body) =>
      'x-ori-invoke-nonce' in body
        ? Object.fromEntries(Object.entries(body).filter(([key]) => key !== 'x-ori-invoke-signature'))
        : body,
    ),
    caughtBy: ['sign/answer', 'sign/verifies'],
  },
  {
    name: 'sign-always-v2',
    requirement: 'SIGN-1',
    description: 'A nonce is answered without a route too.',
    alters: bodies('sign', (body) => ({ 'x-ori-invoke-nonce': 'x', ...body })),
    caughtBy: ['sign/answer', 'sign/unknown-fields'],
  },
  {
    name: 'sign-without-nonce',
    requirement: 'SIGN-1',
    description: 'The nonce of a v2 proof is not answered.',
    alters: bodies('sign', ({ 'x-ori-invoke-nonce': _, ...body }) => body),
    caughtBy: ['sign/answer', 'sign/nonces-never-repeat', 'sign/fresh-nonce-each-time'],
  },
  {
    name: 'sign-under-other-names',
    requirement: 'SIGN-1',
    description: 'The keys of the answer are no header names.',
    alters: bodies('sign', (body) =>
      Object.fromEntries(Object.entries(body).map(([key, value]) => [key.replace('x-ori-invoke-', ''), value])),
    ),
    caughtBy: ['sign/answer', 'sign/verifies', 'sign/user-is-the-subject'],
  },
  {
    name: 'sign-can-be-stored',
    requirement: 'SIGN-1',
    description: 'A proof is answered without Cache-Control: no-store.',
    alters: withoutHeader('sign', 'cache-control'),
    caughtBy: ['sign/answer'],
  },
  {
    name: 'sign-keeps-proofs-of-a-key',
    requirement: 'SIGN-1',
    description: 'A retry with the same Idempotency-Key gets the same proof.',
    alters: () => {
      const kept = new Map<string, Proof>();
      let key: string | null = null;
      return together(
        parses('sign', (parse, parts) => {
          key = parts.headers.get('idempotency-key');
          return parse(parts);
        }),
        signs((sign, request) => {
          if (key === null) return sign(request);
          const proof = kept.get(key) ?? sign(request);
          kept.set(key, proof);
          return proof;
        }),
      );
    },
    caughtBy: ['sign/fresh-nonce-each-time'],
  },
  {
    name: 'sign-takes-upper-case-digests',
    requirement: 'SIGN-2',
    description: 'A digest in upper case is taken.',
    alters: asked((body) =>
      typeof body.bodySha256 === 'string' ? { ...body, bodySha256: body.bodySha256.toLowerCase() } : body,
    ),
    caughtBy: ['sign/bad-digest'],
  },
  {
    name: 'sign-cuts-digests',
    requirement: 'SIGN-2',
    description: 'A digest that is too long is cut.',
    alters: asked((body) =>
      typeof body.bodySha256 === 'string' ? { ...body, bodySha256: body.bodySha256.slice(0, 64) } : body,
    ),
    caughtBy: ['sign/bad-digest'],
  },
  {
    name: 'sign-without-digest',
    requirement: 'SIGN-2',
    description: 'Without a digest that of an empty body is signed.',
    alters: asked((body) => ({
      bodySha256: 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
      ...body,
    })),
    caughtBy: ['sign/bad-digest', 'sign/alias'],
  },
  {
    name: 'sign-takes-methods-in-any-case',
    requirement: 'SIGN-3',
    description: 'The method of a route is taken in any case.',
    alters: routed((route) =>
      isObject(route) && typeof route.method === 'string'
        ? { ...route, method: route.method.trim().toUpperCase() }
        : route,
    ),
    caughtBy: ['sign/route-method'],
  },
  {
    name: 'sign-takes-any-method',
    requirement: 'SIGN-3',
    description: 'A route may name GET, PUT, PATCH and DELETE too.',
    alters: {
      profile: (usual) => ({ ...usual, route_methods: ['POST', 'GET', 'PUT', 'PATCH', 'DELETE'] }),
    },
    caughtBy: ['sign/route-method'],
  },
  {
    name: 'sign-drops-the-query',
    requirement: 'SIGN-3',
    description: 'Query and fragment of a path are cut off.',
    alters: routed((route) =>
      isObject(route) && typeof route.path === 'string'
        ? { ...route, path: route.path.replace(/[?#].*$/s, '') }
        : route,
    ),
    caughtBy: ['sign/route-path'],
  },
  {
    name: 'sign-puts-the-slash-before-a-path',
    requirement: 'SIGN-3',
    description: 'A path without a slash gets one.',
    alters: routed((route) =>
      isObject(route) && typeof route.path === 'string' && !route.path.startsWith('/')
        ? { ...route, path: `/${route.path}` }
        : route,
    ),
    caughtBy: ['sign/route-path'],
  },
  {
    name: 'sign-normalises-paths',
    requirement: 'SIGN-3',
    description: 'Dots of a path are resolved before it is signed.',
    alters: routed((route) => {
      if (!isObject(route) || typeof route.path !== 'string' || !/^\/(?!\/)[^?#]*$/.test(route.path)) return route;
      return { ...route, path: new URL(route.path, 'http://x').pathname };
    }),
    caughtBy: ['sign/path-as-sent'],
  },
  {
    name: 'sign-decodes-paths',
    requirement: 'SIGN-3',
    description: 'Escapes of a path are decoded before it is signed.',
    alters: signs((sign, request) => {
      if (!request.route) return sign(request);
      const path = request.route.path.replace(/%([2-7][0-9A-Fa-f])/g, (_, hex: string) =>
        String.fromCharCode(Number.parseInt(hex, 16)),
      );
      return sign({ ...request, route: { ...request.route, path } });
    }),
    caughtBy: ['sign/path-as-sent'],
  },
  {
    name: 'sign-route-null-is-none',
    requirement: 'SIGN-3',
    description: 'A route that is null is taken for none.',
    alters: routed((route) => (route === null ? undefined : route)),
    caughtBy: ['sign/route-form', 'sign/alias'],
  },
  {
    name: 'sign-route-without-method-is-post',
    requirement: 'SIGN-3',
    description: 'A route without a method is one with POST.',
    alters: routed((route) => (isObject(route) ? { method: 'POST', ...route } : route)),
    caughtBy: ['sign/route-form'],
  },
  {
    name: 'sign-route-that-is-none-is-ignored',
    requirement: 'SIGN-3',
    description: 'A route that is no object is ignored.',
    alters: routed((route) => (isObject(route) || route === null ? route : undefined)),
    caughtBy: ['sign/route-form'],
  },
  {
    name: 'sign-refuses-unknown-fields',
    requirement: 'SIGN-3',
    description: 'A signing request with an unknown field is 400.',
    alters: asked((body) =>
      Object.keys(body).some((key) => !['bodySha256', 'route'].includes(key)) ? { ...body, bodySha256: '' } : body,
    ),
    caughtBy: ['sign/unknown-fields', 'sign/user-of-the-request-is-ignored'],
  },
  {
    name: 'sign-in-another-order',
    requirement: 'SIGN-4',
    description: 'v1 signs user before timestamp.',
    alters: {
      profile: (usual) => ({
        ...usual,
        proof_layout: { ...usual.proof_layout, v1: ['intern_id', 'user', 'timestamp', 'body_sha256'] },
      }),
    },
    caughtBy: ['sign/verifies', 'sign/user-of-the-request-is-ignored'],
  },
  {
    name: 'sign-v2-without-the-method',
    requirement: 'SIGN-4',
    description: 'v2 does not sign the method.',
    alters: {
      profile: (usual) => ({
        ...usual,
        proof_layout: {
          ...usual.proof_layout,
          v2: ['intern_id', 'timestamp', 'nonce', 'user', 'path', 'body_sha256'],
        },
      }),
    },
    caughtBy: ['sign/verifies', 'sign/path-as-sent', 'proof/bound-to-its-route'],
  },
  {
    name: 'sign-v2-without-the-nonce',
    requirement: 'SIGN-4',
    description: 'v2 does not sign the nonce.',
    alters: {
      profile: (usual) => ({
        ...usual,
        proof_layout: {
          ...usual.proof_layout,
          v2: ['intern_id', 'timestamp', 'user', 'method', 'path', 'body_sha256'],
        },
      }),
    },
    caughtBy: ['sign/verifies', 'proof/one-bit'],
  },
  {
    name: 'sign-with-another-separator',
    requirement: 'SIGN-4',
    description: 'The signed fields are joined by a vertical bar.',
    alters: { profile: (usual) => ({ ...usual, proof_layout: { ...usual.proof_layout, separator: '|' } }) },
    caughtBy: ['sign/verifies'],
  },
  {
    name: 'sign-in-url-base64',
    requirement: 'SIGN-4',
    description: 'Signatures are in URL-safe Base64.',
    alters: signs((sign, request) => {
      const proof = sign(request);
      return { ...proof, signature: proof.signature.replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '') };
    }),
    caughtBy: ['sign/answer', 'sign/verifies'],
  },
  {
    name: 'sign-in-hex',
    requirement: 'SIGN-4',
    description: 'Signatures are in hexadecimal digits.',
    alters: signs((sign, request) => {
      const proof = sign(request);
      return { ...proof, signature: Buffer.from(proof.signature, 'base64').toString('hex') };
    }),
    caughtBy: ['sign/answer', 'sign/verifies'],
  },
  {
    name: 'sign-v2-is-v1',
    requirement: 'SIGN-4',
    description: 'The v2 signature is the v1 signature.',
    alters: signs((sign, request) => {
      const proof = sign(request);
      return proof.signatureV2 === undefined ? proof : { ...proof, signatureV2: proof.signature };
    }),
    caughtBy: ['sign/verifies', 'proof/v2-once'],
  },
  {
    name: 'sign-for-the-id-in-upper-case',
    requirement: 'SIGN-4',
    description: 'The intern id is signed in upper case.',
    alters: signs((sign, request) => sign({ ...request, internId: request.internId.toUpperCase() })),
    caughtBy: ['sign/verifies', 'proof/accepted'],
  },
]);
