import { byKey } from '../contract/by-key.js';
import { ERRORS, type ErrorKey, type ErrorRow } from '../contract/errors.js';
import type { Route } from '../http/route.js';
import { reference } from './schemas.js';

/** Refusals that any request can meet before its operation is known, and those of injected faults. */
const ANYWHERE: readonly ErrorKey[] = [
  'malformed_request',
  'regional',
  'request_timeout',
  'timeout',
  'expectation_failed',
  'misdirected',
  'rate_limited',
  'headers_too_large',
  'internal_error',
  'upstream_unavailable',
  'service_unavailable',
  'gateway_timeout',
];

const WITHIN_SCIM: readonly ErrorKey[] = ['scim_unauthorized', 'scim_not_found', 'scim_internal'];

const isScim = ({ operation }: Route): boolean => operation === 'scim';

/** The refusals of a row of the route table, derived from the row itself; the rest is `own`. */
export function refusalsOf(route: Route, own: readonly ErrorKey[]): ErrorKey[] {
  const found: ErrorKey[] = [
    ...ANYWHERE.filter((key) => !(isScim(route) && key === 'internal_error')),
    ...(isScim(route) ? WITHIN_SCIM : (['unauthorized', 'not_found'] as const)),
    ...(route.credential === 'any' ? [] : (['personal_identity_required'] as const)),
    ...(route.body.read ? (['payload_too_large', route.body.invalid] as const) : []),
    ...(route.body.read && route.body.json === 'required' ? (['unsupported_media_type'] as const) : []),
    ...own,
  ];
  return [...new Set(found)];
}

const pascal = (key: string): string => key.replace(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase());

/** A failed turn says itself whether a retry helps. */
const ANY_RETRYABLE: readonly ErrorKey[] = ['turn_failed', 'intern_unreachable'];

function refusalSchema(key: ErrorKey, { status, message, reason, retryable }: ErrorRow) {
  const code = { type: 'integer', const: status };
  const text = { type: 'string', examples: [message] };
  const metadata = {
    type: 'object',
    required: ['reason', 'retryable'],
    properties: {
      reason: { type: 'string', const: reason },
      retryable: ANY_RETRYABLE.includes(key) ? { type: 'boolean' } : { type: 'boolean', const: retryable },
    },
  };
  const error =
    reason === undefined
      ? { required: ['code', 'message'], properties: { code, message: text }, additionalProperties: false }
      : { required: ['code', 'message', 'metadata'], properties: { code, message: text, metadata } };
  return { type: 'object', required: ['error'], properties: { error: { type: 'object', ...error } } };
}

/** A refusal as a component: its name, and its schema. On SCIM none has metadata (SCIM-2). */
function componentOf(key: ErrorKey, scim: boolean): { name: string; schema: object; reason: string } {
  const row: ErrorRow = ERRORS[key];
  const bare = scim && row.reason !== undefined;
  const shown = bare ? { status: row.status, message: row.message } : row;
  const reason = shown.reason === undefined ? '' : `\`${shown.reason}\`: `;
  return {
    name: `${bare ? 'Scim' : ''}${pascal(key)}Error`,
    schema: refusalSchema(key, shown),
    reason: `${reason}${row.message}`,
  };
}

const headersOf = (keys: readonly ErrorKey[]) => ({
  'x-request-id': { $ref: '#/components/headers/RequestId' },
  'x-emulator-detail': { $ref: '#/components/headers/Detail' },
  ...(keys.some((key) => ['rate_limited', 'busy', 'too_many_waiting', 'vault_writes_disabled'].includes(key))
    ? { 'retry-after': { $ref: '#/components/headers/RetryAfter' } }
    : {}),
});

/** The refusals of a route as references by their status, and the components that they lead to. */
export function refusalResponses(route: Route, own: readonly ErrorKey[]) {
  const schemas: Record<string, object> = {};
  const components: Record<string, object> = {};
  const byStatus = byKey(refusalsOf(route, own), (key) => ERRORS[key].status);
  const responses = [...byStatus].map(([status, keys]) => {
    const made = keys.map((key) => componentOf(key, isScim(route)));
    for (const { name, schema } of made) schemas[name] = schema;
    const references = made.map(({ name }) => reference(name));
    const name = made.map((one) => one.name.replace(/Error$/, '')).join('Or');
    components[name] = {
      description: made.map(({ reason }) => reason).join('. '),
      headers: headersOf(keys),
      content: { 'application/json': { schema: references.length === 1 ? references[0] : { anyOf: references } } },
    };
    return [String(status), { $ref: `#/components/responses/${name}` }] as const;
  });
  return { schemas, components, responses: Object.fromEntries(responses) };
}
