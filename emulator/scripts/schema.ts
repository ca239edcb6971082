import { scriptSchema } from '../contract/script.js';
import { loadZod } from '../contract/with-zod.js';

const z = loadZod();

/** The published JSON Schema of scripts, made from the one that validates them. */
export const scriptJsonSchema = (): Record<string, unknown> => ({
  ...z.toJSONSchema(scriptSchema(), { target: 'draft-2020-12', io: 'input' }),
});
