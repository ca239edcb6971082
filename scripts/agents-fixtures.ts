// The door of agents with the fixtures beside its own tools that the protocol's conformance suite calls by name. It prints its
// address, and ends with its standard input. scripts/test-agents.mjs runs the suite against it.
import { serve } from '@hono/node-server';
import { createMcpHandler, type McpServer, ResourceTemplate } from '@modelcontextprotocol/server';
import { createDoor } from '../emulator/agents/door.js';
import { createMcpServer } from '../emulator/agents/server.js';
import { loadZod } from '../emulator/contract/with-zod.js';
import { guardControl } from '../emulator/control/guard.js';
import { createEmulator } from '../emulator/index.js';

const z = loadZod();
const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const WAV = 'UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA=';

const text = (said: string) => ({ type: 'text' as const, text: said });
const image = { type: 'image' as const, data: PNG, mimeType: 'image/png' };
const audio = { type: 'audio' as const, data: WAV, mimeType: 'audio/wav' };
const embedded = (uri: string) => ({
  type: 'resource' as const,
  resource: { uri, mimeType: 'text/plain', text: 'This is an embedded resource content.' },
});

const CONTENTS = {
  test_simple_text: [text('This is a simple text response for testing.')],
  test_image_content: [image],
  test_audio_content: [audio],
  test_embedded_resource: [embedded('test://embedded-resource')],
  test_multiple_content_types: [text('Multiple content types test:'), image, embedded('test://mixed-content-resource')],
};

function registerTools(server: McpServer): void {
  for (const [name, content] of Object.entries(CONTENTS))
    server.registerTool(name, { description: 'A fixture of the suite' }, async () => ({ content }));
  server.registerTool('test_error_handling', { description: 'A fixture that fails' }, async () => {
    throw new Error('This tool intentionally returns an error for testing');
  });
  server.registerTool('test_tool_with_progress', { description: 'A fixture that takes steps' }, async ({ mcpReq }) => {
    const progressToken = mcpReq._meta?.progressToken;
    for (const progress of [0, 50, 100])
      if (progressToken !== undefined)
        await mcpReq.notify({ method: 'notifications/progress', params: { progressToken, progress, total: 100 } });
    return { content: [text('Done')] };
  });
}

function registerResources(server: McpServer): void {
  const uri = { text: 'test://static-text', binary: 'test://static-binary' };
  server.registerResource('static-text', uri.text, { mimeType: 'text/plain' }, async () => ({
    contents: [{ uri: uri.text, mimeType: 'text/plain', text: 'This is the content of the static text resource.' }],
  }));
  server.registerResource('static-binary', uri.binary, { mimeType: 'image/png' }, async () => ({
    contents: [{ uri: uri.binary, mimeType: 'image/png', blob: PNG }],
  }));
  server.registerResource(
    'template',
    new ResourceTemplate('test://template/{id}/data', { list: undefined }),
    { mimeType: 'application/json' },
    async ({ href }, { id }) => ({
      contents: [{ uri: href, mimeType: 'application/json', text: JSON.stringify({ id, templateTest: true }) }],
    }),
  );
}

function registerPrompts(server: McpServer): void {
  const described = { description: 'A fixture of the suite' };
  const said = (...contents: (ReturnType<typeof text> | typeof image | ReturnType<typeof embedded>)[]) => ({
    messages: contents.map((content) => ({ role: 'user' as const, content })),
  });
  server.registerPrompt('test_simple_prompt', described, () => said(text('This is a simple prompt for testing.')));
  server.registerPrompt(
    'test_prompt_with_arguments',
    { ...described, argsSchema: z.object({ arg1: z.string(), arg2: z.string() }) },
    ({ arg1, arg2 }) => said(text(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`)),
  );
  server.registerPrompt(
    'test_prompt_with_embedded_resource',
    { ...described, argsSchema: z.object({ resourceUri: z.string() }) },
    ({ resourceUri }) => said(embedded(resourceUri), text('Please process the embedded resource above.')),
  );
  server.registerPrompt('test_prompt_with_image', described, () =>
    said(image, text('Please analyze the image above.')),
  );
}

const emulator = createEmulator({ clock: 'auto' });
const door = createDoor(
  { fetch: emulator.fetch, control: '/_emulator', base: () => emulator.target.base_url },
  { token: undefined, checks: undefined, stdio: false, mayRun: false, listens: false },
);
const handler = createMcpHandler(() => {
  const server = createMcpServer(door);
  registerTools(server);
  registerResources(server);
  registerPrompts(server);
  return server;
});
const guarded = (request: Request) =>
  guardControl(request, undefined, false) === undefined ? handler.fetch(request) : new Response(null, { status: 403 });
const listener = serve({ fetch: guarded, port: 0, hostname: '127.0.0.1' }, ({ port }) =>
  console.log(`http://127.0.0.1:${port}/mcp`),
);
process.stdin.resume().once('end', () => {
  listener.close();
  void handler.close().then(emulator.close);
});
