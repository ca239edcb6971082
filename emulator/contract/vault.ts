import { timestampSchema } from './intern.js';
import { type Infer, withZod } from './with-zod.js';

/** Rows of one vault at most (VAULT-3). */
export const MAX_SECRETS = 1_000;
/** Bounds of a list of secrets (VAULT-5). */
export const MAX_SECRETS_PAGE = 100;
export const MAX_SECRETS_OFFSET = 10_000;

const NAME = /^[a-z](?:_?[a-z0-9])*$/;

/** The name of a secret (VAULT-3). The message never quotes what was found: it may be a value in the wrong place. */
export const secretNameSchema = withZod((z) =>
  z
    .string()
    .max(255, 'expected at most 255 characters')
    .regex(NAME, 'expected lower-case letters, digits and single underscores, a letter first, no underscore last'),
);

const LABEL = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

/**
 * An exact DNS name as secrets are bound to it: in lower case, one trailing dot removed (VAULT-3). Undefined for what is
 * none: a scheme, port, path, wildcard, an address, an empty label, anything beyond ASCII.
 */
export function normalizeHost(text: string): string | undefined {
  // Only ASCII is lowered: a Kelvin sign must not become a k.
  if (!/^[\x21-\x7e]+$/.test(text)) return undefined;
  const host = text.toLowerCase().replace(/\.$/, '');
  if (host.length > 253) return undefined;
  const labels = host.split('.');
  // A host that ends in a number is an address.
  return labels.every((label) => LABEL.test(label)) && !/^\d+$/.test(labels.at(-1) ?? '') ? host : undefined;
}

/** A host that every URL parser reads as an address in hexadecimal. Stores of before may hold one. */
const HEXADECIMAL = /(?:^|\.)0x[\da-f]*$/;

const HOST = 'expected an exact DNS name: no scheme, port, path, wildcard or address';

/** A host that a secret may be released to, normalized. */
export const hostSchema = withZod((z) =>
  z.string(HOST).transform((text, context) => {
    const host = normalizeHost(text);
    if (host !== undefined && !HEXADECIMAL.test(host)) return host;
    context.addIssue({ code: 'custom', message: HOST });
    return z.NEVER;
  }),
);

/** Counted as they were sent, kept in the order in which each first came. */
const hostsSchema = withZod((z) =>
  z
    .array(hostSchema())
    .min(1)
    .max(100)
    .transform((hosts) => [...new Set(hosts)]),
);

/** Body of a store (VAULT-3). `value` counts in UTF-16 units. No message quotes anything of the body. */
export const storeSecretSchema = withZod((z) =>
  z.strictObject(
    {
      value: z
        .string('expected a text')
        // Zod counts code points.
        .refine(({ length }) => length >= 1 && length <= 65_536, 'expected 1 to 65536 characters')
        .refine((value) => !/\p{Surrogate}/u.test(value), 'expected well-formed text: found half of a surrogate pair')
        .meta({ minLength: 1, maxLength: 65_536 }),
      hosts: hostsSchema(),
    },
    { error: (issue) => (issue.code === 'unrecognized_keys' ? 'expected value and hosts alone' : undefined) },
  ),
);
export type StoreSecretBody = Infer<typeof storeSecretSchema>;

/** Body of a copy (VAULT-7). */
export const copySecretsSchema = withZod((z) =>
  z.strictObject({
    names: z
      .array(secretNameSchema())
      .min(1)
      .max(100)
      .refine((names) => new Set(names).size === names.length, 'expected each name once'),
  }),
);
export type CopySecretsBody = Infer<typeof copySecretsSchema>;

/** A secret as it is shown (VAULT-2): its value never is. Null are `hosts` and `fingerprint` of rows without hosts only. */
export const vaultSecretSchema = withZod((z) =>
  z.strictObject({
    name: secretNameSchema(),
    hosts: z.array(z.string()).nullable(),
    fingerprint: z
      .string()
      .regex(/^[0-9a-f]{64}$/)
      .nullable(),
    created_at: timestampSchema(),
  }),
);
export type VaultSecret = Infer<typeof vaultSecretSchema>;

/** The answer to an intern that asks for a secret for a host (VAULT-9). */
export type ReleaseVerdict = 'released' | 'refused: host' | 'refused: missing';

/** A secret as it is kept, its value sealed. `id` is vault and name, joined by a newline. */
export const secretRowSchema = withZod((z) =>
  z
    .strictObject({
      id: z.string(),
      /** Id of a workspace, or the `vault_id` of an intern. */
      vault: z.uuid(),
      ...vaultSecretSchema().shape,
      /** The value under the key of the emulator; null where there are no hosts to release it to. */
      sealed: z
        .string()
        .regex(/^[0-9a-f]{58,}$/)
        .nullable(),
    })
    .refine((row) => row.id === secretId(row.vault, row.name), { path: ['id'], message: 'expected vault and name' })
    .refine((row) => (row.hosts === null) === (row.fingerprint === null), {
      path: ['fingerprint'],
      message: 'expected null exactly where hosts is null',
    })
    .refine((row) => (row.hosts === null) === (row.sealed === null), {
      path: ['sealed'],
      message: 'expected null exactly where hosts is null',
    })
    .refine((row) => row.hosts?.every((host) => normalizeHost(host) === host) ?? true, {
      path: ['hosts'],
      message: 'expected normalized DNS names',
    }),
);
export type SecretRow = Infer<typeof secretRowSchema>;

export const secretId = (vault: string, name: string): string => `${vault}\n${name}`;
