import { type Infer, withZod } from './with-zod.js';

/** The body of a signing request that names no route; `route` is validated against the profile's methods. */
export const BODY_SHA256 = /^[0-9a-f]{64}$/;

/**
 * A path as it is sent (RFC 3986 `path-absolute`): one slash first, percent-encoded, no origin, query or fragment
 * (SIGN-3).
 */
export const ROUTE_PATH = /^\/(?!\/)(?:[A-Za-z0-9\-._~!$&'()*+,;=:@/]|%[0-9A-Fa-f]{2})*$/;

/** Body of sign (SIGN-2, SIGN-3). Unknown fields are ignored (SIGN-6). `methods` are the profile's `route_methods`. */
export const signBodySchema = (methods: readonly string[]) =>
  withZod((z) =>
    z.object({
      bodySha256: z.string().regex(BODY_SHA256, 'expected 64 lower-case hexadecimal digits'),
      route: z
        .object({
          method: z.string().refine((method) => methods.includes(method), `expected one of: ${methods.join(', ')}`),
          path: z
            .string()
            .regex(ROUTE_PATH, 'expected a percent-encoded path that starts with one slash, without query'),
        })
        .optional(),
    }),
  );
export type SignBody = Infer<ReturnType<typeof signBodySchema>>;

/** A public Ed25519 key as it is published (RFC 8037, RFC 7517); `kid` is its RFC 7638 thumbprint. */
export const publicJwkSchema = withZod((z) =>
  z.strictObject({
    kty: z.literal('OKP'),
    crv: z.literal('Ed25519'),
    x: z.string(),
    kid: z.string(),
    alg: z.literal('EdDSA'),
    use: z.literal('sig'),
  }),
);
export type PublicJwk = Infer<typeof publicJwkSchema>;
