import { McpServer } from '@modelcontextprotocol/server';
import type * as Z from 'zod';
import { words } from '../contract/problem.js';
import { VERSION } from '../contract/version.js';
import { type Door, ToolError } from './door.js';
import { registerPrompts } from './prompts.js';
import { registerResources } from './resources.js';
import { bounded, type Tool } from './tool.js';
import { answerQuestion, chat } from './tools/chat.js';
import { checkClient, checkServer } from './tools/checks.js';
import { advanceClock, explainProof, injectFault, putScript, snapshot, status } from './tools/control.js';
import { listInterns, manageIntern } from './tools/interns.js';
import { explainRequest, listRequests } from './tools/requests.js';

/** The tools of agents, in the order of their list (AGENT-2). */
export const TOOLS: readonly Tool[] = [
  status,
  explainRequest,
  listRequests,
  listInterns,
  manageIntern,
  chat,
  answerQuestion,
  advanceClock,
  injectFault,
  putScript,
  snapshot,
  explainProof,
  checkServer,
  checkClient,
];

const INSTRUCTIONS =
  'An emulator of the interns interface. Call status for addresses and credentials. When a client fails, call explain_request first: it says what was wrong to the field, and what to send instead.';

/** The answer to a mistake of the caller: what is wrong and what to do next, without a stack. */
const failed = (error: unknown) => {
  const text =
    error instanceof ToolError
      ? `${error.message}\n${error.next}`
      : `${error instanceof Error ? error.message : String(error)}\nIs the emulator still there? Call status.`;
  return { isError: true, content: [{ type: 'text' as const, text: bounded(text) }] };
};

/** Tells the keywords of a schema that a reader of the list can do without. */
const saysNothing = (key: string, value: unknown): boolean =>
  key === '$schema' ||
  (key === 'propertyNames' && JSON.stringify(value) === '{"type":"string"}') ||
  (key === 'additionalProperties' && JSON.stringify(value) === '{}') ||
  Math.abs(Number(value)) === Number.MAX_SAFE_INTEGER;

/** A schema for the protocol: it tells problems in our words, and its listing leaves out keywords that say nothing. */
function listed(schema: Z.ZodType) {
  const { '~standard': standard } = schema;
  const shown = (side: 'input' | 'output') => (options: Parameters<typeof standard.jsonSchema.input>[0]) =>
    JSON.parse(
      JSON.stringify(standard.jsonSchema[side](options), (key, value) => (saysNothing(key, value) ? undefined : value)),
    ) as Record<string, unknown>;
  return {
    '~standard': {
      ...standard,
      validate(value: unknown) {
        const read = schema.safeParse(value, { error: words });
        return read.success ? { value: read.data } : { issues: read.error.issues };
      },
      jsonSchema: { input: shown('input'), output: shown('output') },
    },
  };
}

/** A server of the Model Context Protocol over the calls of one emulator (AGENT-1 to AGENT-3). */
export function createMcpServer(door: Door): McpServer {
  const server = new McpServer({ name: 'intern-emulator', version: VERSION }, { instructions: INSTRUCTIONS });
  for (const { name, description, input, output, readOnly, destructive, run } of TOOLS) {
    server.registerTool(
      name,
      {
        description,
        inputSchema: listed(input()),
        outputSchema: listed(output()),
        annotations: {
          readOnlyHint: readOnly,
          ...(readOnly ? {} : { destructiveHint: destructive === true }),
          openWorldHint: name === 'check_server' || name === 'check_client',
        },
      },
      async (given, { mcpReq }) => {
        const token = mcpReq._meta?.progressToken;
        const progress = (done: number, of: number | undefined, message: string) => {
          if (token === undefined || mcpReq.signal.aborted) return;
          const params = { progressToken: token, progress: done, ...(of === undefined ? {} : { total: of }), message };
          // A caller that has left hears nothing.
          mcpReq.notify({ method: 'notifications/progress', params }).catch(() => {});
        };
        try {
          const { data, text } = await run(given, { door, signal: mcpReq.signal, progress });
          return { structuredContent: data, content: [{ type: 'text' as const, text: bounded(text) }] };
        } catch (error) {
          return failed(error);
        }
      },
    );
  }
  registerResources(server, door);
  registerPrompts(server);
  return server;
}
