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
  // With a route only the v2 signature is answered.
  'sign-without-v1': rewriteJson('sign', (body) =>
    'x-ori-invoke-nonce' in body
      ? Object.fromEntries(Object.entries(body).filter(([key]) => key !== 'x-ori-invoke-signature'))
      : body,
  ),
  // A nonce is answered without a route too.
  'sign-always-v2': rewriteJson('sign', (body) => ({ 'x-ori-invoke-nonce': 'x', ...body })),
  // The nonce of a v2 proof is not answered.
  'sign-without-nonce': rewriteJson('sign', ({ 'x-ori-invoke-nonce': _, ...body }) => body),
  // The keys of the answer are no header names.
  'sign-under-other-names': rewriteJson('sign', (body) =>
    Object.fromEntries(Object.entries(body).map(([key, value]) => [key.replace('x-ori-invoke-', ''), value])),
  ),
  // A proof is answered without Cache-Control: no-store.
  'sign-can-be-stored': withoutHeader('cache-control', { of: 'sign', status: 200 }),
  'sign-takes-upper-case-digests': rewriteTexts('sign', ['bodySha256'], (digest) => digest.toLowerCase()),
  // Without a digest that of an empty body is signed.
  'sign-without-digest': asked((body) => ({
    bodySha256: 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
    ...body,
  })),
  'sign-takes-methods-in-any-case': routed((route) =>
    isObject(route) && typeof route.method === 'string'
      ? { ...route, method: route.method.trim().toUpperCase() }
      : route,
  ),
  // Query and fragment of a path are cut off.
  'sign-drops-the-query': routed((route) =>
    isObject(route) && typeof route.path === 'string' ? { ...route, path: route.path.replace(/[?#].*$/s, '') } : route,
  ),
  'sign-route-null-is-none': routed((route) => (route === null ? undefined : route)),
  // A signing request with an unknown field is 400.
  'sign-refuses-unknown-fields': asked((body) =>
    Object.keys(body).some((key) => !['bodySha256', 'route'].includes(key)) ? { ...body, bodySha256: '' } : body,
  ),
  'sign-v2-without-the-method': wrap({
    loadProfile: (usual) => ({
      proof_layout: {
        ...usual.proof_layout,
        v2: ['intern_id', 'timestamp', 'nonce', 'user', 'path', 'body_sha256'],
      },
    }),
  }),
  // A digest with a line feed after it is taken.
  'sign-trims-the-digest': rewriteTexts('sign', ['bodySha256'], (digest) => digest.replace(/\n$/, '')),
});
