import { type McpServer, ResourceNotFoundError, ResourceTemplate } from '@modelcontextprotocol/server';
import { REQUIREMENTS } from '../../conformance/requirements/index.js';
import { visibleJson } from '../contract/visible.js';
import { controlJson, type Door, ToolError } from './door.js';
import { pages, pageText } from './pages.js';
import { requirementOf } from './requirement.js';

const JSON_TYPE = 'application/json';
const MARKDOWN = 'text/markdown';

const contents = (uri: URL, mimeType: string, text: string) => ({ contents: [{ uri: uri.href, mimeType, text }] });
const none = (uri: URL): never => {
  throw new ResourceNotFoundError(uri.href, `${uri.href} does not exist; resources/list has what does`);
};

/** A requirement as text: our sentence, the interface's own sentence, and its place. */
function requirementText(id: string): string | undefined {
  const row = requirementOf(id);
  if (!row) return undefined;
  return [
    `# ${row.id} (${row.level}; ${row.where})`,
    row.sentence,
    ...(row.quote ? [`> ${row.quote}`] : []),
    ...(row.published ? [`Published: ${row.published}`] : []),
    ...(row.chosen ? [`Chosen: ${row.chosen}`] : []),
  ].join('\n\n');
}

/** A path of the control interface as a template. It never shows the key of an intern that was created. */
const things = [
  { name: 'intern', path: '/interns', list: '/interns', what: 'An intern with its script and runs' },
  { name: 'run', path: '/runs', list: '/runs', what: 'A run with what was said in it' },
  {
    name: 'request',
    path: '/journal',
    list: '/journal?limit=50',
    what: 'A request and its response, without credentials',
  },
  { name: 'case', path: '/lab/cases', list: '/lab/cases', what: 'A case of the client lab, byte for byte' },
] as const;

export function registerResources(server: McpServer, door: Door): void {
  for (const [name, title] of [
    ['openapi', 'The interface as OpenAPI 3.1'],
    ['control-openapi', 'The control interface as OpenAPI 3.1'],
  ] as const)
    server.registerResource(name, `openapi:///${name}.json`, { title, mimeType: JSON_TYPE }, async (uri) =>
      contents(uri, JSON_TYPE, JSON.stringify(await controlJson(door, 'GET', `/${name}.json`))),
    );
  server.registerResource(
    'docs',
    new ResourceTemplate('docs:///{page}', {
      list: () => ({
        resources: pages().map(({ name, title }) => ({ uri: `docs:///${name}`, name, title, mimeType: MARKDOWN })),
      }),
      complete: { page: (given) => pages().flatMap(({ name }) => (name.startsWith(given) ? [name] : [])) },
    }),
    { title: 'A page of the documentation', mimeType: MARKDOWN },
    (uri, { page }) => contents(uri, MARKDOWN, pageText(String(page)) ?? none(uri)),
  );
  server.registerResource(
    'requirement',
    new ResourceTemplate('requirement:///{id}', {
      list: () => ({
        resources: REQUIREMENTS.map(({ id }) => ({ uri: `requirement:///${id}`, name: id, mimeType: MARKDOWN })),
      }),
      complete: {
        id: (given) => REQUIREMENTS.flatMap(({ id }) => (id.startsWith(given.toUpperCase()) ? [id] : [])).slice(0, 100),
      },
    }),
    { title: 'A requirement with the sentence of the interface', mimeType: MARKDOWN },
    (uri, { id }) => contents(uri, MARKDOWN, requirementText(String(id)) ?? none(uri)),
  );
  for (const { name, path, list, what } of things) {
    const ids = async () => {
      const { data } = await controlJson<{ data: { id: string }[] }>(door, 'GET', list);
      return data.map(({ id }) => id);
    };
    server.registerResource(
      name,
      new ResourceTemplate(`${name}:///{id}`, {
        list: undefined,
        complete: { id: async (given) => (await ids()).filter((id) => id.startsWith(given)).slice(0, 100) },
      }),
      { title: what, mimeType: JSON_TYPE },
      async (uri, { id }) => {
        const found = await controlJson<Record<string, unknown>>(
          door,
          'GET',
          `${path}/${encodeURIComponent(String(id))}`,
        ).catch((error: unknown) => {
          throw error instanceof ToolError ? new ResourceNotFoundError(uri.href, error.message) : error;
        });
        const { api_key: _, ...shown } = found;
        return contents(uri, JSON_TYPE, visibleJson(shown, 2));
      },
    );
  }
}
