import type * as Z from 'zod';
import type { ListedCall } from '../contract/views.js';
import { loadZod } from '../contract/with-zod.js';
import { type ControlRow, shownPath } from './router.js';

const z = loadZod();

type Schema = Z.core.JSONSchema.BaseSchema;

/** `{"name": string, "script"?: string|null}`: a JSON Schema as a person reads it. */
function inWords(schema: Schema): string {
  const { anyOf, properties, required = [], additionalProperties, items, type } = schema;
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join('|');
  if (anyOf) return [...new Set(anyOf.map((option) => inWords(option as Schema)))].join('|');
  if (properties) {
    const fields = Object.entries(properties).map(
      ([name, value]) => `${JSON.stringify(name)}${required.includes(name) ? '' : '?'}: ${inWords(value as Schema)}`,
    );
    return `{${fields.join(', ')}}`;
  }
  if (typeof additionalProperties === 'object') return `{name: ${inWords(additionalProperties as Schema)}, …}`;
  if (items && !Array.isArray(items) && typeof items === 'object') return `[${inWords(items as Schema)}, …]`;
  return [type ?? 'any'].flat().join('|');
}

const bodyOf = ({ body, shape }: ControlRow): string | null => {
  if (shape !== undefined) return shape;
  return body ? inWords(z.toJSONSchema(body(), { io: 'input', unrepresentable: 'any' })) : null;
};

/** Every call of a table, with the shape of its body (SEE-2). */
export const listing = (rows: readonly ControlRow[]): ListedCall[] =>
  rows.map((row) => ({
    method: row.method,
    path: shownPath(row.path),
    does: row.does,
    body: bodyOf(row),
    ...(row.query ? { query: row.query } : {}),
  }));
