import type { ZodType } from 'zod';
import { components, reference } from '../openapi/schemas.js';
import { answerSchemas } from './answer-schemas.js';
import { ANSWERS } from './answers.js';
import { type ControlRow, shownPath } from './router.js';

const ERROR = {
  type: 'object',
  required: ['error'],
  properties: {
    error: {
      type: 'object',
      required: ['code', 'message'],
      properties: {
        code: { type: 'integer', description: 'The status.' },
        message: { type: 'string', description: 'What was wrong, and where.' },
      },
    },
  },
};

/** `PUT /scripts/:name` as the name of an operation: `put_scripts_name`. */
const idOf = ({ method, path }: ControlRow): string =>
  [method.toLowerCase(), ...(path.match(/[a-z]+/gi) ?? ['calls'])].join('_');

const parametersOf = ({ path, query = {} }: ControlRow) => {
  const schema = { type: 'string' };
  return [
    ...[...path.matchAll(/:(\w+)/g)].map(([, name]) => ({ name, in: 'path', required: true, schema })),
    ...Object.entries(query).map(([name, description]) => ({ name, in: 'query', description, schema })),
  ];
};

/** A call that is documented by words alone takes any JSON. */
const contentOf = (row: ControlRow, isDescribed: boolean) => ({
  requestBody: {
    ...(row.shape === undefined ? {} : { description: row.shape }),
    content: { 'application/json': { schema: isDescribed ? reference(`${idOf(row)}_body`) : {} } },
  },
});

/** The answer of a row, from `answers.ts`: a row that it lacks shows nothing. */
const answerOf = ({ method, path }: ControlRow) => {
  const answer = ANSWERS[`${method} ${path}`];
  return answer && { [answer.status]: { description: 'Done', content: answer.content } };
};

const schemaOf = ({ body, described }: ControlRow) => (described ?? body)?.();

/** The control interface as an OpenAPI 3.1 document: its table, with the schemas that its calls validate with and those of its answers (SEE-2). */
export async function controlDocument(
  rows: readonly ControlRow[],
  { url, version, token }: { readonly url: string; readonly version: string; readonly token: string | undefined },
) {
  const schemas: Record<string, ZodType> = {};
  const paths: Record<string, Record<string, object>> = {};
  for (const row of rows) {
    const schema = await schemaOf(row);
    if (schema) schemas[`${idOf(row)}_body`] = schema;
    const path = shownPath(row.path).slice('/_emulator'.length) || '/';
    paths[path] = {
      ...paths[path],
      [row.method.toLowerCase()]: {
        operationId: idOf(row),
        summary: row.does,
        parameters: parametersOf(row),
        ...(row.body || row.shape !== undefined ? contentOf(row, schema !== undefined) : {}),
        responses: {
          ...answerOf(row),
          '4XX': { description: 'Refused', content: { 'application/json': { schema: reference('Error') } } },
        },
      },
    };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Control interface of intern-emulator',
      version,
      description: 'Steers the emulator that serves it. docs/control.md says more.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url }],
    security: [token === undefined ? {} : { controlToken: [] }],
    paths,
    components: {
      schemas: { Error: ERROR, ...components(schemas, 'input'), ...components(answerSchemas, 'output') },
      ...(token === undefined ? {} : { securitySchemes: { controlToken: { type: 'http', scheme: 'bearer' } } }),
    },
  };
}
