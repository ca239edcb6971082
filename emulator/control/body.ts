import type { z } from 'zod';
import { problem, words } from '../contract/problem.js';
import type { ReceivedRequest } from '../requests/received-request.js';
import { parseJson, readBody } from '../requests/request-body.js';
import { tooDeep } from '../scripts/depth.js';
import { ControlError } from './error.js';

/**
 * The JSON body of a call, validated by a schema.
 *
 * @throws ControlError 400 that names what was wrong and where
 */
export async function readJson<T>(request: ReceivedRequest, schema: () => z.ZodType<T>): Promise<T> {
  const bytes = await readBody(request, false, Number.POSITIVE_INFINITY);
  let value: unknown;
  try {
    value = bytes.length === 0 ? undefined : parseJson(bytes);
  } catch (error) {
    throw new ControlError(400, `the body is not JSON: ${(error as Error).message}`);
  }
  // A deeper value would overflow the stack in schemas and exports.
  const deep = tooDeep(value);
  if (deep !== undefined) throw new ControlError(400, deep);
  const result = schema().safeParse(value, { error: words });
  if (result.success) return result.data;
  throw new ControlError(400, problem(result.error, 'body'));
}
