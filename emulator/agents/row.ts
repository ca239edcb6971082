import { createFairQueue } from '../clock/fair-queue.js';
import type { Scope } from '../clock/scope.js';
import type { LoadChecks } from '../contract/checks.js';
import { ControlError } from '../control/error.js';
import { type ControlRow, controlRow } from '../control/router.js';
import { asRequest, PlainRequest } from '../requests/received-request.js';
import { createCalls } from './calls.js';

export interface AgentsDeps {
  /** Answers a request to the control interface or the interface of this emulator. */
  readonly serve: (url: string, init: RequestInit) => Promise<Response>;
  /** `http://127.0.0.1:4683/api/v1`, without the prefix of a space: `serve` has no prefix. */
  readonly base: () => string;
  readonly token: string | undefined;
  readonly checks: LoadChecks | undefined;
  readonly mayRun: boolean;
  listens(): boolean;
  /** Ends with the emulator. */
  readonly scope: Pick<Scope, 'defer'>;
}

/** The calls of agents: `POST /_emulator/mcp` and `GET /_emulator/llms.txt` (AGENT-1, AGENT-4). */
export function agentRows({ serve, base, scope, ...deps }: AgentsDeps): ControlRow[] {
  const load = async () => {
    const { createMcpHandler } = await import('@modelcontextprotocol/server');
    const { createMcpServer } = await import('./server.js');
    const { createDoor } = await import('./door.js');
    const door = createDoor(
      { fetch: serve, control: 'http://127.0.0.1/_emulator', base },
      { ...deps, stdio: false, listens: deps.listens() },
    );
    const handler = createMcpHandler(() => createMcpServer(door));
    scope.defer(() => handler.close());
    return handler;
  };
  let handler: ReturnType<typeof load> | undefined;
  // Each call makes a server of its own, which takes milliseconds: others come in between. None holds the clock.
  const calls = createCalls();
  const queue = createFairQueue({ hold: () => () => {} }, 10);
  return [
    controlRow('POST /mcp', {
      does: 'Serves the Model Context Protocol to coding agents, over streamable HTTP without sessions',
      shape: 'a message of JSON-RPC',
      async handle(call) {
        handler ??= load();
        // Without the queue, all callers that wait for it to load would be served in one round.
        const { fetch } = await handler;
        await queue.next();
        const { request } = call;
        const response = await calls.serve(request instanceof PlainRequest ? asRequest(request) : request, fetch);
        const { status, body } = response;
        const headers = Object.fromEntries(response.headers);
        if (!headers['content-type']?.startsWith('text/event-stream'))
          return { status, headers, body: body && (await response.text()) };
        call.streams();
        return { status, headers, body };
      },
    }),
    controlRow('GET /llms.txt', {
      does: 'Says to coding agents where everything is',
      async handle() {
        const { llmsText } = await import('./pages.js');
        return { status: 200, body: llmsText(), headers: { 'content-type': 'text/plain; charset=utf-8' } };
      },
    }),
    controlRow('GET /docs/:page', {
      does: 'Shows a page of the documentation, as Markdown: `chat-api.md`',
      async handle({ params, request }) {
        const { pageText, pages } = await import('./pages.js');
        const text = pageText(params.page.replace(/\.md$/, ''));
        if (text === undefined)
          throw new ControlError(
            404,
            `no page ${params.page}; known: ${pages()
              .map(({ name }) => name)
              .join(', ')}`,
          );
        // Browsers save Markdown to a file.
        const type = request.headers.get('accept')?.includes('text/html') ? 'text/plain' : 'text/markdown';
        return { status: 200, body: text, headers: { 'content-type': `${type}; charset=utf-8`, vary: 'accept' } };
      },
    }),
  ];
}
