import { createRequire } from 'node:module';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { App } from '../app.js';
import { check } from '../stories.js';
import { APPROVAL, approveWith, limited, ofDefaultType, type Turn } from './sdk.js';

/** The packages of the recipes: where `npm run test:recipes` installed them and runs, or in `examples/`. */
const paths = [process.cwd(), fileURLToPath(new URL('../../../examples', import.meta.url))];
const resolved = (name: string): string => createRequire(import.meta.url).resolve(name, { paths });

/** Whether the AI SDK is installed beside the recipes. */
export function hasAiSdk(): boolean {
  try {
    return resolved('ai') !== '' && resolved('@ai-sdk/openai-compatible') !== '';
  } catch {
    return false;
  }
}
const load = async (name: string) => await import(pathToFileURL(resolved(name)).href);

interface Asked {
  readonly toolCallId: string;
  readonly toolName: string;
}

/**
 * The AI SDK. It repeats requests twice by itself: `maxRetries: 0`. A stream that was cut finishes like a whole one, with
 * the reason `other`: the reason and `session_id` of the raw chunks are looked at. It takes each event for a chunk,
 * whatever its type: those of other types are kept from it.
 */
export const AI_SDK: readonly App[] = [
  {
    id: 'ai-sdk',
    what: 'answers a question with the AI SDK',
    async run(context) {
      const { target, fetch, signal } = context;
      const { streamText, tool, jsonSchema } = await load('ai');
      const { createOpenAICompatible } = await load('@ai-sdk/openai-compatible');
      const interns = createOpenAICompatible({
        name: 'interns',
        baseURL: `${target.base_url}/interns/${target.credentials.intern?.id}`,
        apiKey: target.credentials.api_key,
        fetch: async (input: URL, init: RequestInit) => ofDefaultType(await fetch(input, init)),
      });
      const prompt = { role: 'user', content: APPROVAL };
      let reply: unknown[] = [];
      await approveWith<Asked>(context, async (question) => {
        const limit = new AbortController();
        const output = { type: 'text', value: 'allow_once' };
        const result = streamText({
          model: interns('any'),
          maxRetries: 0,
          abortSignal: AbortSignal.any([signal, limit.signal]),
          tools: { 'service.provide_input': tool({ inputSchema: jsonSchema({ type: 'object' }) }) },
          includeRawChunks: true,
          onError: () => {},
          ...(question === undefined
            ? { messages: [prompt], providerOptions: { interns: { approval_mode: 'manual' } } }
            : {
                messages: [
                  prompt,
                  ...reply,
                  { role: 'tool', content: [{ type: 'tool-result', ...question.asked, output }] },
                ],
                providerOptions: { interns: { session_id: question.session } },
              }),
        });
        const turn: Turn<Asked> = { text: '' };
        for await (const part of limited<Part>(result.fullStream, () => limit.abort())) {
          if (part.type === 'error') throw part.error;
          if (part.type === 'text-delta') turn.text += part.text;
          if (part.type === 'tool-call')
            turn.asked = { toolCallId: part.toolCallId ?? '', toolName: part.toolName ?? '' };
          if (part.type === 'raw') turn.session = part.rawValue?.session_id ?? turn.session;
          if (part.type === 'finish') turn.finish = part.finishReason;
        }
        check(turn.finish !== undefined, 'the reply was cut');
        reply = (await result.response).messages;
        return turn;
      });
    },
  },
];

interface Part {
  readonly type: string;
  readonly text?: string;
  readonly error?: unknown;
  readonly toolCallId?: string;
  readonly toolName?: string;
  readonly rawValue?: { readonly session_id?: string };
  readonly finishReason?: string;
}
