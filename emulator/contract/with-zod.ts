import { createRequire } from 'node:module';
import type * as Z from 'zod';
import type * as Zod from './zod.js';

const require = createRequire(import.meta.url);

/**
 * zod is loaded when something is first validated. It and the schemas would be a fifth of a start, and a plain start
 * validates nothing. It is loaded by `require`, since createEmulator returns at once and can await no import.
 */
export const loadZod = (): typeof Zod => require('zod');

/** A schema, or anything else made with zod, created on first use: `const nameSchema = withZod((z) => z.string())`. */
export function withZod<T>(make: (zod: typeof Zod) => T): () => T {
  let made: { readonly it: T } | undefined;
  return () => {
    made ??= { it: make(loadZod()) };
    return made.it;
  };
}

/** The type of what a schema returns. */
export type Infer<Schema extends () => Z.ZodType> = Z.infer<ReturnType<Schema>>;

/** The type of what a schema accepts, before its defaults and transformations. */
export type Input<Schema extends () => Z.ZodType> = Z.input<ReturnType<Schema>>;

/** {@link Infer}, for code that only reads it. */
export type View<Schema extends () => Z.ZodType> = Frozen<Infer<Schema>>;

type Frozen<T> = T extends object ? { readonly [K in keyof T]: Frozen<T[K]> } : T;
