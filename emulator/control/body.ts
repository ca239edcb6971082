import type { z } from 'zod';
import { parseJson, readBody } from '../request-body.js';
import { ControlError } from './error.js';

/** How deep a body may be nested: beyond, schemas and JSON itself run out of stack, here or when it is exported. */
const DEEPEST = 1_000;

/** Whether brackets outside of texts are nested deeper than {@link DEEPEST}. */
function isTooDeep(bytes: Uint8Array): boolean {
  let depth = 0;
  let quoted = false;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at];
    if (quoted) {
      if (byte === 0x5c) at++;
      else if (byte === 0x22) quoted = false;
    } else if (byte === 0x22) quoted = true;
    else if (byte === 0x5b || byte === 0x7b) {
      depth++;
      if (depth > DEEPEST) return true;
    } else if (byte === 0x5d || byte === 0x7d) depth--;
  }
  return false;
}

/**
 * The JSON body of a call, held against a schema.
 *
 * @throws ControlError 400 that names what was wrong and where
 */
export async function readJson<T>(request: Request, schema: z.ZodType<T>): Promise<T> {
  const bytes = await readBody(request, false, Number.POSITIVE_INFINITY);
  if (isTooDeep(bytes)) throw new ControlError(400, `the body is nested deeper than ${DEEPEST} levels`);
  let value: unknown;
  try {
    value = bytes.length === 0 ? undefined : parseJson(bytes);
  } catch (error) {
    throw new ControlError(400, `the body is not JSON: ${(error as Error).message}`);
  }
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  throw new ControlError(400, `${issue?.path.join('.') || 'body'}: ${issue?.message ?? 'invalid'}`);
}
