import fc from 'fast-check';
import { isRecord } from '../../emulator/contract/record.js';
import { oddValue } from './odd.js';

/** The part of JSON Schema that our own documents use. */
export interface JsonSchema {
  readonly [key: string]: unknown;
}

const schemasIn = (value: unknown): JsonSchema[] => (Array.isArray(value) ? value.filter(isRecord) : []);

/** The part of a document that `#/a/b` leads to. */
function resolved(document: JsonSchema, schema: JsonSchema): JsonSchema {
  if (typeof schema.$ref !== 'string') return schema;
  let at: unknown = document;
  for (const key of schema.$ref.split('/').slice(1)) at = isRecord(at) ? at[key] : undefined;
  return isRecord(at) ? resolved(document, at) : {};
}

const DEEPEST = 8;

/** Values that a schema allows, more or less: at each place there may be something odd instead. */
export function fromSchema(document: JsonSchema, given: JsonSchema, depth = 0): fc.Arbitrary<unknown> {
  const schema = resolved(document, given);
  const more = (one: JsonSchema) => fromSchema(document, one, depth + 1);
  const odd = { weight: 1, arbitrary: oddValue };
  const mostly = (arbitrary: fc.Arbitrary<unknown>) => fc.oneof({ weight: 14, arbitrary }, odd);
  if (depth > DEEPEST) return oddValue;
  if ('const' in schema) return mostly(fc.constant(schema.const));
  if (Array.isArray(schema.enum)) return mostly(fc.constantFrom(...(schema.enum as unknown[])));
  const options = [...schemasIn(schema.anyOf), ...schemasIn(schema.oneOf)];
  if (options.length > 0) return mostly(fc.oneof(...options.map(more)));
  const type = Array.isArray(schema.type) ? schema.type[0] : schema.type;
  if (isRecord(schema.properties)) {
    const required = Array.isArray(schema.required) ? (schema.required as string[]) : [];
    const fields = Object.entries(schema.properties).filter((entry): entry is [string, JsonSchema] =>
      isRecord(entry[1]),
    );
    const known = fc.record(Object.fromEntries(fields.map(([name, one]) => [name, more(one)])), {
      requiredKeys: required.filter((name) => fields.some(([field]) => field === name)),
      noNullPrototype: true,
    });
    const unknown = fc.oneof(
      { weight: 9, arbitrary: fc.constant({}) },
      {
        weight: 1,
        arbitrary: fc.dictionary(fc.constantFrom('__proto__', 'constructor', 'x', ''), oddValue, {
          maxKeys: 2,
          noNullPrototype: true,
        }),
      },
    );
    return mostly(fc.tuple(known, unknown).map(([one, two]) => ({ ...one, ...two })));
  }
  if (type === 'array') {
    const items = isRecord(schema.items) ? more(schema.items) : oddValue;
    return mostly(fc.array(items, { maxLength: 4, minLength: Math.min(Number(schema.minItems ?? 0), 4) }));
  }
  if (type === 'object') {
    const values = isRecord(schema.additionalProperties) ? more(schema.additionalProperties) : oddValue;
    return mostly(fc.dictionary(fc.stringMatching(/^[a-z-]{1,12}$/), values, { maxKeys: 4, noNullPrototype: true }));
  }
  if (type === 'integer' || type === 'number')
    return mostly(
      fc.integer({
        min: Math.max(Number(schema.minimum ?? 0), -1e9),
        max: Math.min(Number(schema.maximum ?? 1e4), 1e9),
      }),
    );
  if (type === 'boolean') return mostly(fc.boolean());
  if (type === 'null') return mostly(fc.constant(null));
  if (type === 'string') return mostly(fc.constantFrom('hello', 'a-name', 'script: asks', 'script: echo', '5m', 'x'));
  return oddValue;
}
