import type { McpServer } from '@modelcontextprotocol/server';
import { loadZod } from '../contract/with-zod.js';

const z = loadZod();

const said = (text: string) => ({ messages: [{ role: 'user' as const, content: { type: 'text' as const, text } }] });

const WRONG = [
  'Replies are streamed only: send "stream": true.',
  'A question is a tool call; it is answered by a second request with the same session_id, the assistant message that echoes the tool call, and a tool message.',
  'Read every stream through data: [DONE]: the session_id comes after the finish chunk, and leaving earlier cancels the run.',
  'A create and each of its retries carry the same Idempotency-Key and the same body.',
  'Each request to a daemon needs a proof of its own, over exactly its bytes; a v2 proof is accepted once.',
].map((line) => `- ${line}`);

export function registerPrompts(server: McpServer): void {
  server.registerPrompt(
    'write-a-client',
    {
      title: 'Write a client of the interns interface',
      description: 'What to read, what clients get wrong, and how to try each step',
      argsSchema: z.object({ language: z.string().optional().describe('Such as TypeScript or Python') }),
    },
    ({ language }) =>
      said(
        [
          `Write a client of the interns interface in ${language ?? 'the language of this project'}.`,
          'Call status for the address and the key. Read docs:///chat-api and docs:///lifecycle-api, and openapi:///openapi.json for the shapes.',
          'What clients get wrong:',
          ...WRONG,
          'After each run of it call list_requests, and explain_request for whatever was refused. When it works, put it behind an adapter (docs:///lab) and call check_client.',
        ].join('\n'),
      ),
  );
  server.registerPrompt(
    'why-was-it-refused',
    {
      title: 'Find out why a request was refused',
      description: 'Explains a refusal, and has the client mended until nothing is wrong',
      argsSchema: z.object({ id: z.string().optional().describe('Its x-request-id; default the newest refused one') }),
    },
    ({ id }) =>
      said(
        `Call explain_request${id === undefined ? '' : ` with id ${id}`}. Say what was wrong and by which requirement, change the client so that it sends what "next" says, and run it again until explain_request says that nothing was wrong.`,
      ),
  );
  server.registerPrompt(
    'test-my-app',
    {
      title: 'Test an app against the emulator',
      description: 'Runs the app, then tries what can go wrong, one thing at a time',
      argsSchema: z.object({ command: z.string().optional().describe('What runs the tests of the app') }),
    },
    ({ command }) =>
      said(
        [
          'Call status, and give the app INTERN_BASE_URL and INTERN_API_KEY of it.',
          `Call snapshot keep. Run ${command ?? 'the tests of the app'}. Call list_requests with status 4xx, and explain_request for each.`,
          'Then restore the snapshot and try what can go wrong, one at a time: inject_fault with status 503, with disconnect mid-event, with disturb lost; a script that asks; advance_clock past a deadline.',
          'After each say what the app did, and whether its user would have known what happened.',
        ].join('\n'),
      ),
  );
}
