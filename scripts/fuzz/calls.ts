import fc from 'fast-check';
import { jsonOf } from '../../emulator/contract/nesting.js';
import { isRecord } from '../../emulator/contract/record.js';
import type { ListedCall } from '../../emulator/contract/views.js';
import script from '../../schemas/script.schema.json' with { type: 'json' };
import state from '../../schemas/state.schema.json' with { type: 'json' };
import { fromSchema, type JsonSchema } from './from-schema.js';
import { oddText, oddValue, spoilt } from './odd.js';
import type { Call } from './rows.js';

/** The values for the parameters of paths: existing ones, those made by earlier calls, and odd ones. */
const parameter = (known: readonly string[]) =>
  fc.oneof(
    { weight: 6, arbitrary: fc.constantFrom(...known) },
    { weight: 3, arbitrary: oddText.map(encodeOddly) },
    { weight: 1, arbitrary: oddText },
  );

/** Percent-encoded, halves of characters too. */
function encodeOddly(text: string): string {
  return encodeURIComponent(Buffer.from(text).toString());
}

/** No query, or one of known and unknown names. */
function queried(known: readonly string[], query: readonly string[]): fc.Arbitrary<string> {
  const value = fc.oneof(fc.constantFrom('1', '5', 'har', '4xx', 'running', ...known), oddText.map(encodeOddly));
  const pairs = fc.array(fc.tuple(fc.constantFrom(...query, 'unknown', '__proto__'), value), { maxLength: 2 });
  return fc.oneof(
    { weight: 2, arbitrary: fc.constant('') },
    pairs.map((asked) => asked.map(([name, given]) => `${name}=${given}`).join('&')),
  );
}

const withQuery = (path: string, ...queries: (string | undefined)[]) =>
  [path, queries.filter((one) => one).join('&')].filter((one) => one).join('?');

/** A path with something for each of its parameters, and a query. */
function addressed(path: string, known: readonly string[], query: readonly string[]): fc.Arbitrary<string> {
  const [start = '', ...pieces] = path.split(/\{\w+\}/);
  const given = fc.tuple(...pieces.map((piece) => parameter(known).map((one) => one + piece)));
  return fc.tuple(given, queried(known, query)).map(([parts, asked]) => withQuery(start + parts.join(''), asked));
}

const json = (value: fc.Arbitrary<unknown>): fc.Arbitrary<string> =>
  value.map((one) => JSON.stringify(one) ?? 'null').chain(spoilt);

/** Bodies with the keys and the values that a listing names in words: `{"advance": ms or "5m"} | {"freeze": true}`. */
function fromWords(words: string): fc.Arbitrary<unknown> {
  const quoted = [...words.matchAll(/"(\w[\w-]*)"/g)].map(([, name = '']) => name);
  const plain = [...words.matchAll(/\b\d{3}\b/g)].map(([text]) => Number(text));
  const value = fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom<unknown>(...quoted, ...plain, true, 5, '5m', 'chat', 'list', 'create') },
    { weight: 2, arbitrary: oddValue },
  );
  const fields = fc.dictionary(fc.constantFrom(...quoted, 'x', '__proto__'), value, {
    maxKeys: 4,
    noNullPrototype: true,
  });
  return fc.oneof(
    { weight: 6, arbitrary: fields },
    { weight: 1, arbitrary: fc.array(fields, { maxLength: 3 }) },
    { weight: 1, arbitrary: oddValue },
  );
}

/** Schemas of what the listing only names. */
const NAMED: readonly (readonly [RegExp, JsonSchema])[] = [
  [/^a script/, script],
  [/^what GET/, state],
];

function bodyOf({ body }: ListedCall, seen: unknown): fc.Arbitrary<string | undefined> {
  if (body === null) return fc.oneof({ weight: 5, arbitrary: fc.constant(undefined) }, oddText);
  const schema = NAMED.find(([pattern]) => pattern.test(body))?.[1];
  const drawn = json(schema === undefined ? fromWords(body) : fromSchema(schema, schema));
  // A nearly correct export reaches further than what a schema alone makes.
  return body.startsWith('what GET') ? fc.oneof(drawn, json(changed(seen))) : drawn;
}

/** A value with something odd in one of its places. */
export function changed(value: unknown): fc.Arbitrary<unknown> {
  if (Array.isArray(value) && value.length > 0)
    return fc.nat(value.length - 1).chain((at) => changed(value[at]).map((one) => value.with(at, one)));
  if (isRecord(value) && Object.keys(value).length > 0)
    return fc.oneof(
      {
        weight: 8,
        arbitrary: fc
          .constantFrom(...Object.keys(value))
          .chain((key) => changed(value[key]).map((one) => ({ ...value, [key]: one }))),
      },
      { weight: 1, arbitrary: oddValue },
    );
  return fc.oneof(oddValue, fc.constant(value));
}

/** Calls of the control interface, from its own listing. `seen` is an export of its state. */
export const controlCall = (
  calls: readonly ListedCall[],
  known: readonly string[],
  seen: unknown,
): fc.Arbitrary<Call> =>
  fc.oneof(
    ...calls.map((call) =>
      fc.record({
        method: fc.constant(call.method),
        path: addressed(call.path, known, Object.keys(call.query ?? {})),
        body: bodyOf(call, seen),
      }),
    ),
  );

const QUERY = ['limit', 'offset', 'status', 'starting_after', 'workspace_id', 'keep_members'];
/** Calls of the interface: rows of the kit, many of them with something odd in the path, the query or the body. */
export const interfaceCall = (rows: fc.Arbitrary<Call>, known: readonly string[]): fc.Arbitrary<Call> =>
  rows.chain(({ path, body, ...call }) => {
    const [place = '', query] = path.split('?');
    const segments = place.split('/');
    const at = fc.integer({ min: 3, max: segments.length - 1 });
    const bent = fc.tuple(at, parameter(known)).map(([nth, given]) => segments.with(nth, given).join('/'));
    const value = body === undefined ? undefined : jsonOf(body);
    return fc.record({
      method: fc.constant(call.method),
      headers: fc.constant(call.headers ?? {}),
      path: fc
        .tuple(fc.oneof({ weight: 5, arbitrary: fc.constant(place) }, bent), queried(known, QUERY))
        .map(([one, more]) => withQuery(one, query, more)),
      body:
        body === undefined
          ? fc.constant(body)
          : fc.oneof(
              { weight: 4, arbitrary: fc.constant(body) },
              { weight: 1, arbitrary: spoilt(body) },
              { weight: 2, arbitrary: value === undefined ? oddText : json(changed(value)) },
            ),
    });
  });
