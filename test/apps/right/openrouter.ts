import { HTTPClient, OpenRouter } from '@openrouter/sdk';
import { systemHost } from '../../../conformance/probe/time.js';
import type { App } from '../app.js';
import { check } from '../stories.js';
import { APPROVAL, approveWith, IDLE, limited, ofDefaultType, type Turn } from './sdk.js';

/**
 * `@openrouter/sdk`, against the profile `openrouter`. It repeats each 5xx for up to an hour, prompts too:
 * `retryConfig: { strategy: 'none' }`. `timeoutMs` is left aside where a signal is given, and ends no stream that falls
 * silent. It takes each event for a chunk, whatever its type: those of other types are kept from it.
 */
export const OPENROUTER: readonly App[] = [
  {
    id: 'openrouter',
    what: 'answers a question with the SDK of OpenRouter',
    run(context) {
      const { target, fetch, signal } = context;
      const limit = new AbortController();
      const sdk = new OpenRouter({
        serverURL: target.base_url,
        apiKey: target.credentials.api_key,
        retryConfig: { strategy: 'none' },
        httpClient: new HTTPClient({ fetcher: async (input, init) => ofDefaultType(await fetch(input, init)) }),
      });
      const internId = target.credentials.intern?.id;
      check(internId !== undefined, 'the seed has no intern');
      type Request = Parameters<typeof sdk.interns.chat>[0]['internChatCompletionRequest'];
      type Call = { id: string };
      return approveWith<Call>(context, async (question) => {
        const body = {
          stream: true,
          ...(question === undefined
            ? { messages: [{ role: 'user', content: APPROVAL }], approvalMode: 'manual' }
            : {
                sessionId: question.session,
                messages: [
                  { role: 'assistant', content: null, toolCalls: [question.asked] },
                  { role: 'tool', toolCallId: question.asked.id, content: 'allow_once' },
                ],
              }),
        } as unknown as Request;
        const late = systemHost.later(IDLE, () => limit.abort(new Error('no answer came')));
        const { result } = await sdk.interns
          .chat(
            { internId, internChatCompletionRequest: body },
            { fetchOptions: { signal: AbortSignal.any([signal, limit.signal]) } },
          )
          .finally(late);
        const turn: Turn<Call> = { text: '' };
        for await (const chunk of limited(result as AsyncIterable<Chunk>, () => limit.abort())) {
          if (chunk.error) throw new Error(chunk.error.message);
          const choice = chunk.choices?.[0];
          turn.text += choice?.delta.content ?? '';
          turn.finish = choice?.finishReason ?? turn.finish;
          turn.asked = choice?.delta.toolCalls?.[0] ?? turn.asked;
          turn.session = chunk.sessionId ?? turn.session;
        }
        return turn;
      });
    },
  },
];

interface Chunk {
  readonly choices?: readonly {
    readonly delta: { readonly content?: string | null; readonly toolCalls?: readonly { readonly id: string }[] };
    readonly finishReason?: string | null;
  }[];
  readonly sessionId?: string | null;
  readonly error?: { readonly message: string };
}
