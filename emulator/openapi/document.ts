import type { Profile } from '../contract/profile.js';
import type { Route } from '../http/route.js';
import { type ResponseDescription, textOf } from './operations.js';
import { refusalResponses } from './refusals.js';
import { bodyComponents, reference } from './schemas.js';

export interface DocumentSource {
  readonly routes: readonly Route[];
  readonly profile: Profile;
  readonly version: string;
  /** Up to and with `/api/v1`. */
  readonly baseUrl: string;
  readonly issuer: string;
}

const SECURITY: Readonly<Record<Route['credential'], readonly object[]>> = {
  any: [{ apiKey: [] }, { oauth: ['interns'] }],
  oauth: [{ oauth: ['interns'] }],
  oauth_vault: [{ oauth: ['interns', 'vault:read'] }],
};

const HEADERS = {
  RequestId: {
    description: "The id of this exchange: the request's own `x-request-id` if it has a valid one.",
    schema: { type: 'string', pattern: '^[A-Za-z0-9._:-]{1,128}$' },
    required: true,
  },
  RetryAfter: { description: 'Seconds to wait before a retry.', schema: { type: 'integer', minimum: 0 } },
  Detail: { description: 'Only the emulator sends it: what was wrong, and where.', schema: { type: 'string' } },
  NoStore: { description: 'Never cached.', schema: { type: 'string', const: 'no-store' }, required: true },
  Deprecation: { description: 'Marks a deprecated operation.', schema: { type: 'string' }, required: true },
  Location: { description: 'The address of what was started.', schema: { type: 'string' }, required: true },
  Link: {
    description: 'The operation to use instead.',
    schema: { type: 'string', pattern: 'rel="successor-version"$' },
    required: true,
  },
};

const header = (name: keyof typeof HEADERS) => ({ $ref: `#/components/headers/${name}` });

const answerOf = ({ status, description, schema, stream, noStore, location }: ResponseDescription) => [
  String(status),
  {
    description,
    headers: {
      'x-request-id': header('RequestId'),
      ...(noStore ? { 'cache-control': header('NoStore') } : {}),
      ...(location ? { location: header('Location') } : {}),
    },
    ...(schema === undefined
      ? {}
      : { content: { [stream ? 'text/event-stream' : 'application/json']: { schema: reference(schema) } } }),
  },
];

type Responses = Readonly<Record<string, { readonly headers?: object }>>;

/** Headers of the responses of an alias. A request that is refused before its route is known does not get them. */
const deprecated = (responses: Responses) =>
  Object.fromEntries(
    Object.entries(responses).map(([status, response]) => [
      status,
      Number(status) < 300
        ? { ...response, headers: { ...response.headers, deprecation: header('Deprecation'), link: header('Link') } }
        : response,
    ]),
  );

const PARAMETERS: Readonly<Record<string, string>> = { id: 'internId', scimId: 'id', secretName: 'name' };

/** The parameters of a path as OpenAPI has them, by the names that are published. */
const shownPath = (path: string): string =>
  path.replace(/:(\w+)/g, (_, name: string) => `{${PARAMETERS[name] ?? name}}`);

const PARAMETER = {
  internId: {
    name: 'internId',
    in: 'path',
    required: true,
    description: 'Id of a visible intern',
    schema: { type: 'string', minLength: 1 },
  },
  id: {
    name: 'id',
    in: 'path',
    required: true,
    description: 'Id of the mapping, or of the sync',
    schema: { type: 'string', minLength: 1 },
  },
  name: {
    name: 'name',
    in: 'path',
    required: true,
    description: 'Name of the secret',
    schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[a-z](?:_?[a-z0-9])*$' },
  },
} as const;

/** The parameters of an operation, with the name that the profile gives the header of keys. */
const named = (parameters: readonly { readonly name?: string }[] = [], { idempotency_header: name }: Profile) =>
  parameters.map((one) => (name !== undefined && one.name === 'Idempotency-Key' ? { ...one, name } : one));

interface Components {
  readonly schemas: Record<string, object>;
  readonly responses: Record<string, object>;
}

function operationOf(route: Route, profile: Profile, components: Components) {
  const text = textOf(route);
  const alias = route.successor !== undefined;
  const path = shownPath(route.path);
  const refusals = refusalResponses(route, text.refusals);
  Object.assign(components.schemas, refusals.schemas);
  Object.assign(components.responses, refusals.components);
  const responses = { ...Object.fromEntries(text.answers.map(answerOf)), ...refusals.responses };
  const parameters = [
    ...Object.values(PARAMETER).filter(({ name }) => path.includes(`{${name}}`)),
    ...named(text.parameters, profile),
    { $ref: '#/components/parameters/RequestId' },
  ];
  const description = alias
    ? `Deprecated: use \`${route.method} ${shownPath(route.successor ?? '')}\`.`
    : text.description;
  return {
    operationId: alias ? text.aliasId : text.id,
    tags: [text.tag],
    summary: text.summary,
    ...(description === undefined ? {} : { description }),
    ...(alias ? { deprecated: true } : {}),
    security: route.operation === 'scim' ? [{ managementKey: [] }] : SECURITY[route.credential],
    parameters,
    ...(text.body
      ? {
          requestBody: {
            required: text.body.required,
            content: { 'application/json': { schema: reference(text.body.schema) } },
          },
        }
      : {}),
    responses: alias ? deprecated(responses) : responses,
  };
}

/** The interface as an OpenAPI 3.1 document, from the route table, the error table and the schemas of the contract. */
export function openApiDocument({ routes, profile, version, baseUrl, issuer }: DocumentSource) {
  const components: Components = { schemas: bodyComponents(profile), responses: {} };
  const paths: Record<string, Record<string, object>> = {};
  for (const route of routes) {
    const path = shownPath(route.path);
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operationOf(route, profile, components) };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Interns',
      version,
      description: `The interns interface as intern-emulator serves it, with the names of the profile \`${profile.name}\`.`,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: baseUrl }],
    tags: [
      { name: 'Lifecycle', description: 'Create, inspect, update, provision, suspend and delete interns' },
      { name: 'Chat', description: 'Talk to an intern' },
      { name: 'Daemon', description: 'Attach a terminal client, and sign its requests' },
      { name: 'Vault', description: 'Secrets of the workspace and of interns: stored, and never shown again' },
      { name: 'SCIM', description: 'Groups, group-to-workspace mappings, and directory syncs' },
    ],
    paths,
    components: {
      ...components,
      headers: HEADERS,
      parameters: {
        RequestId: {
          name: 'x-request-id',
          in: 'header',
          description: 'Comes back on the response, if it is valid.',
          schema: { type: 'string' },
        },
      },
      securitySchemes: {
        apiKey: { type: 'http', scheme: 'bearer', description: "A person's API key, or an intern's own." },
        managementKey: { type: 'http', scheme: 'bearer', description: 'Opens SCIM, and nothing else.' },
        oauth: {
          type: 'openIdConnect',
          openIdConnectUrl: `${issuer}/.well-known/openid-configuration`,
          description: 'An OAuth access token, sent as a bearer token. Signing needs the scope `vault:read`.',
        },
      },
    },
  };
}
export type OpenApiDocument = ReturnType<typeof openApiDocument>;
