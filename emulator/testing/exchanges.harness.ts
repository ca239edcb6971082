import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import shipped from '../../schemas/openapi.json' with { type: 'json' };
import { eventsIn } from '../sse/events.harness.js';
import { QUICK } from './quick.harness.js';

/** An exchange, its response read to the end. */
export interface Observed {
  readonly method: string;
  /** Path or URL. */
  readonly url: string;
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

interface DescribedResponse {
  readonly headers: Readonly<Record<string, { readonly $ref: string }>>;
  readonly content?: Readonly<Record<string, unknown>>;
}
type Reference = { readonly $ref: string };
interface Document {
  readonly paths: Readonly<
    Record<string, Readonly<Record<string, { readonly responses: Record<string, DescribedResponse | Reference> }>>>
  >;
  readonly components: {
    readonly responses: Readonly<Record<string, DescribedResponse>>;
    readonly headers: Readonly<
      Record<string, { readonly schema: { readonly type: string }; readonly required?: boolean }>
    >;
  };
}

/** Everything is below this. */
const BASE = '/api/v1';

const pointer = (key: string): string => key.replaceAll('~', '~0').replaceAll('/', '~1');

/**
 * Validates responses of the interface by its OpenAPI document: the status must be one of the operation's, and headers,
 * content type and body as described. A request that is not an operation must be refused.
 */
function createExchangeValidator(document: Document): (observed: Observed) => string[] {
  const ajv = addFormats.default(new Ajv2020({ ...QUICK, allErrors: true }));
  ajv.addSchema(document, 'openapi');
  const validators = new Map<string, ValidateFunction>();
  const validate = (at: string, value: unknown, what: string): string[] => {
    const validator = validators.get(at) ?? ajv.compile({ $ref: `openapi#${at}` });
    validators.set(at, validator);
    if (validator(value)) return [];
    const text = JSON.stringify(value);
    return [`${what}: ${ajv.errorsText(validator.errors)} in ${text.length > 500 ? `${text.slice(0, 500)}…` : text}`];
  };

  const paths = Object.entries(document.paths).map(([path, operations]) => ({
    path,
    pattern: new RegExp(`^${path.replace(/\{\w+\}/g, '[^/]+')}/?$`),
    operations,
  }));

  const headerProblems = (response: DescribedResponse, headers: Headers): string[] =>
    Object.entries(response.headers).flatMap(([name, { $ref }]) => {
      const key = $ref.split('/').at(-1) ?? '';
      const described = document.components.headers[key];
      if (!described) throw new Error(`${$ref} leads nowhere`);
      const { schema, required = false } = described;
      const value = headers.get(name);
      if (value === null) return required ? [`header ${name}: missing`] : [];
      const typed = schema.type === 'integer' ? Number(value) : value;
      return validate(`/components/headers/${key}/schema`, typed, `header ${name}`);
    });

  const bodyProblems = (at: string, type: string, text: string): string[] => {
    if (type !== 'text/event-stream') return validate(at, JSON.parse(text), 'body');
    return eventsIn(text).data.flatMap((data) => (data === '[DONE]' ? [] : validate(at, JSON.parse(data), 'event')));
  };

  return ({ method, url, status, headers, text }) => {
    const path = new URL(url, 'http://127.0.0.1').pathname;
    if (!path.startsWith(BASE)) return [];
    const verb = (method === 'HEAD' ? 'GET' : method).toLowerCase();
    const candidates = paths.filter(({ pattern }) => pattern.test(path.slice(BASE.length)));
    const found = candidates.find(({ operations }) => operations[verb]) ?? candidates[0];
    const operation = found?.operations[verb];
    if (!found || !operation) {
      if (status >= 400 || (method === 'OPTIONS' && status === 204)) return [];
      return [`${method} ${path} is not an operation, and was answered ${status}`];
    }
    const described = operation.responses[String(status)];
    const name = described && '$ref' in described ? described.$ref.split('/').at(-1) : undefined;
    const response = name === undefined ? (described as DescribedResponse) : document.components.responses[name];
    if (!response) return [`status ${status} is not one of ${Object.keys(operation.responses).join(', ')}`];
    if (!response.content)
      return [...headerProblems(response, headers), ...(text === '' ? [] : ['a body, where there must be none'])];
    const type = headers.get('content-type') ?? '';
    if (!(type in response.content)) return [`content type ${type} is not one of ${Object.keys(response.content)}`];
    const place =
      name === undefined ? ['paths', found.path, verb, 'responses', String(status)] : ['components', 'responses', name];
    const at = ['', ...place, 'content', type, 'schema'];
    const problems = headerProblems(response, headers);
    return method === 'HEAD' ? problems : [...problems, ...bodyProblems(at.map(pointer).join('/'), type, text)];
  };
}

/** {@link createExchangeValidator} for the document that ships: that of an emulator with the default profile. */
export const validateExchange = createExchangeValidator(shipped);
