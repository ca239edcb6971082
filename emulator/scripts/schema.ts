import * as z from 'zod';
import { scriptSchema } from '../contract/script.js';

/** The published JSON Schema of scripts, made from the one that validates them. */
export const scriptJsonSchema = (): Record<string, unknown> => ({
  ...z.toJSONSchema(scriptSchema, { target: 'draft-2020-12', io: 'input' }),
});
