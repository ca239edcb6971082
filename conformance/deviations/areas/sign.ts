import { isObject, type Json } from '../combinators/exchange.js';
import { wrap } from '../combinators/parts.js';
import { rewriteJson, withoutHeader } from '../combinators/replies.js';
import { rewriteBody, rewriteTexts } from '../combinators/requests.js';
import { defineDeviations, type Mutant } from '../mutant.js';

/** Changes the body of a signing request. */
const asked = (change: (body: Json) => Json): Mutant =>
  rewriteBody('sign', (value) => (isObject(value) ? change(value) : value));

/** Changes the route of a signing request. */
const routed = (change: (route: unknown) => unknown): Mutant =>
  asked((body) => {
    if (!('route' in body)) return body;
    const { route, ...rest } = body;
    const changed = change(route);
    return changed === undefined ? rest : { ...rest, route: changed };
  });

export const SIGN = defineDeviations({
  'sign-without-v1': {
    description: 'With a route only the v2 signature is answered.',
    mutant: rewriteJson('sign', (body) =>
      'x-ori-invoke-nonce' in body
        ? Object.fromEntries(Object.entries(body).filter(([key]) => key !== 'x-ori-invoke-signature'))
        : body,
    ),
  },
  'sign-always-v2': {
    description: 'A nonce is answered without a route too.',
    mutant: rewriteJson('sign', (body) => ({ 'x-ori-invoke-nonce': 'x', ...body })),
  },
  'sign-without-nonce': {
    description: 'The nonce of a v2 proof is not answered.',
    mutant: rewriteJson('sign', ({ 'x-ori-invoke-nonce': _, ...body }) => body),
  },
  'sign-under-other-names': {
    description: 'The keys of the answer are no header names.',
    mutant: rewriteJson('sign', (body) =>
      Object.fromEntries(Object.entries(body).map(([key, value]) => [key.replace('x-ori-invoke-', ''), value])),
    ),
  },
  'sign-can-be-stored': {
    description: 'A proof is answered without Cache-Control: no-store.',
    mutant: withoutHeader('cache-control', { of: 'sign', status: 200 }),
  },
  'sign-takes-upper-case-digests': {
    description: 'A digest in upper case is taken.',
    mutant: rewriteTexts('sign', ['bodySha256'], (digest) => digest.toLowerCase()),
  },
  'sign-without-digest': {
    description: 'Without a digest that of an empty body is signed.',
    mutant: asked((body) => ({
      bodySha256: 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
      ...body,
    })),
  },
  'sign-takes-methods-in-any-case': {
    description: 'The method of a route is taken in any case.',
    mutant: routed((route) =>
      isObject(route) && typeof route.method === 'string'
        ? { ...route, method: route.method.trim().toUpperCase() }
        : route,
    ),
  },
  'sign-drops-the-query': {
    description: 'Query and fragment of a path are cut off.',
    mutant: routed((route) =>
      isObject(route) && typeof route.path === 'string'
        ? { ...route, path: route.path.replace(/[?#].*$/s, '') }
        : route,
    ),
  },
  'sign-route-null-is-none': {
    description: 'A route that is null is taken for none.',
    mutant: routed((route) => (route === null ? undefined : route)),
  },
  'sign-refuses-unknown-fields': {
    description: 'A signing request with an unknown field is 400.',
    mutant: asked((body) =>
      Object.keys(body).some((key) => !['bodySha256', 'route'].includes(key)) ? { ...body, bodySha256: '' } : body,
    ),
  },
  'sign-v2-without-the-method': {
    description: 'v2 does not sign the method.',
    mutant: wrap({
      loadProfile: (usual) => ({
        proof_layout: {
          ...usual.proof_layout,
          v2: ['intern_id', 'timestamp', 'nonce', 'user', 'path', 'body_sha256'],
        },
      }),
    }),
  },
  'sign-trims-the-digest': {
    description: 'A digest with a line feed after it is taken.',
    mutant: rewriteTexts('sign', ['bodySha256'], (digest) => digest.replace(/\n$/, '')),
  },
});
