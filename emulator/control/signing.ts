import type { z } from 'zod';
import type { JwkSet, PublicJwk } from '../contract/signing.js';
import {
  type ExplainBody,
  type Explanation,
  explainBodySchema,
  type ForgeBody,
  type ForgeList,
  type Forgery,
  forgeBodySchema,
} from '../contract/signing-lab.js';

/** One row of the control interface. */
export interface LabRow {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  handle(request: Request): Promise<Response>;
}

export interface LabParts {
  readonly keys: () => PublicJwk[];
  /** Throws a TypeError for headers that no request can carry. */
  explain(body: ExplainBody): Explanation;
  /** Throws an error with `field` for what can't be forged. */
  forge(body: ForgeBody): Forgery;
  readonly defects: () => ForgeList;
}

/** Largest request the lab reads, in bytes: a body up to the daemon's cap in Base64, and its headers. */
const LARGEST = 2_097_152;

const HEADERS = { 'cache-control': 'no-store' };

const invalid = (message: string) =>
  Response.json(
    { error: { code: 400, message, metadata: { reason: 'invalid_body', retryable: false } } },
    { status: 400, headers: HEADERS },
  );

async function readJson(request: Request): Promise<unknown> {
  const text = await request.text();
  if (text.length > LARGEST) throw new SyntaxError(`more than ${LARGEST} characters`);
  return JSON.parse(text);
}

const issuesOf = (issues: readonly { path: PropertyKey[]; message: string }[]) =>
  issues.map(({ path, message }) => `${path.length === 0 ? 'body' : path.join('.')}: ${message}`).join('; ');

/** A handler for a JSON body: parse errors, schema errors and errors of the work itself become a 400 that says what. */
const posts =
  <Schema extends z.ZodType>(schema: Schema, work: (input: z.output<Schema>) => unknown) =>
  async (request: Request): Promise<Response> => {
    let value: unknown;
    try {
      value = await readJson(request);
    } catch (error) {
      return invalid(`The body is not JSON: ${(error as Error).message}`);
    }
    const parsed = schema.safeParse(value);
    if (!parsed.success) return invalid(issuesOf(parsed.error.issues));
    try {
      return Response.json(work(parsed.data), { headers: HEADERS });
    } catch (error) {
      if (error instanceof TypeError) return invalid(`headers: ${error.message}`);
      if (error instanceof Error && 'field' in error) return invalid(`${String(error.field)}: ${error.message}`);
      throw error;
    }
  };

/** The signing lab: the service's keys, and tools for whoever writes a signing client or a verifier. */
export function signingLab(parts: LabParts): LabRow[] {
  return [
    {
      method: 'GET',
      path: '/_emulator/keys',
      handle: async () => Response.json({ keys: parts.keys() } satisfies JwkSet),
    },
    {
      method: 'POST',
      path: '/_emulator/signing/explain',
      handle: posts(explainBodySchema, parts.explain),
    },
    {
      method: 'GET',
      path: '/_emulator/signing/forge',
      handle: async () => Response.json(parts.defects()),
    },
    {
      method: 'POST',
      path: '/_emulator/signing/forge',
      handle: posts(forgeBodySchema, parts.forge),
    },
  ];
}
