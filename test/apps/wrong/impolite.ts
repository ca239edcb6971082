/** Apps that hammer, that hang, that fall over their own promises, and that take half for the whole. */
import type { WrongApp } from '../app.js';
import { type Call, createClient, Refusal } from '../client.js';
import { answer, approve, ask, attach, check, host, prompt, seeded, talk } from '../stories.js';
import { dataOf } from '../stream.js';

export const IMPOLITE: readonly WrongApp[] = [
  {
    id: 'retries-at-once',
    what: 'tries again after a few milliseconds, whatever `Retry-After` says',
    seen: 'earendil-works/pi#9595: the retries of the agent followed their own delays, well under the `Retry-After` of 30 s',
    law: 'polite',
    run: (context) => host(createClient(context, { waits: (_, attempt) => 20 * attempt })),
  },
  {
    id: 'retries-what-stays-wrong',
    what: 'tries again what is not retryable',
    seen: 'Lexus2016/hermes-agent-evolution#366: 404 and 401 were tried again until all attempts were used',
    law: 'polite',
    run: (context) => approve(createClient(context, { retries: () => true })),
  },
  {
    id: 'loops-on-401',
    what: 'sends the same token again and again while it is refused',
    seen: 'medplum/medplum#9680: a token that the server rejected was sent again without end, as it had not expired',
    law: 'polite',
    run: (context) =>
      host(createClient(context, { attempts: 8, retries: ({ status, retryable }) => status === 401 || retryable })),
  },
  {
    id: 'answers-a-dead-question',
    what: 'keeps sending an answer to a question that is gone',
    seen: 'puritysb/AgentDeck#308: a failed response was taken for retryable, and the dead prompt came back at once',
    law: 'polite',
    async run(context) {
      const client = createClient(context);
      const id = seeded(client);
      const asked = await ask(client, id);
      for (let attempt = 1; ; attempt++) {
        try {
          context.print((await answer(client, id, asked)).text);
          return;
        } catch (error) {
          if (!(error instanceof Refusal) || attempt === 3) throw error;
          await client.pause(20);
        }
      }
    },
  },
  {
    id: 'retries-without-end',
    what: 'tries again as long as it is reported that it may',
    seen: 'anomalyco/opencode#40090: the retries of a provider had no maximum, and a persistent 5xx was tried for ever',
    law: 'polite',
    run: (context) => talk(createClient(context, { attempts: 40, waits: ({ retryAfter }) => retryAfter ?? 5 })),
  },
  {
    id: 'sends-an-expired-proof-again',
    what: 'sends a request to a daemon again with the proof that has expired',
    seen: 'aws-lite/aws-lite#217: a retry was signed with the time of the first attempt, and refused as expired',
    law: 'polite',
    run: (context) => attach(createClient(context), false),
  },
  {
    id: 'no-limit',
    what: 'waits for a silent stream without a limit',
    seen: 'anthropics/anthropic-sdk-typescript#867: a stream that stalled blocked the loop for ever, without an error',
    law: 'settles',
    run: (context) => talk(createClient(context, { idle: undefined })),
  },
  {
    id: 'ends-by-end-alone',
    what: 'settles when a stream ends, and never when it breaks',
    seen: 'tangramdotdev/tangram#1105: a stream that closed before its end left the promise of its body pending',
    law: 'settles',
    run: (context) =>
      talk(
        createClient(context, {
          idle: undefined,
          read: (client, response) =>
            new Promise((resolve) => {
              void response.text().then(
                async (whole) => {
                  const bytes = new Response(whole).body?.getReader();
                  let text = '';
                  for await (const data of client.data({
                    next: async () => bytes?.read() ?? { done: true, value: undefined },
                  }))
                    if (data !== '[DONE]') text += client.chunk(data)?.choices[0]?.delta?.content ?? '';
                  resolve({ text, session: null });
                },
                () => {},
              );
            }),
        }),
      ),
  },
  {
    id: 'keeps-its-lock',
    what: 'does not release its lock when a message fails, so that the next one waits for ever',
    seen: 'remorses/kimaki#74: a session that failed stayed busy, and its queue was never drained',
    law: 'settles',
    async run(context) {
      const client = createClient(context);
      let free = Promise.resolve();
      const send = async (text: string) => {
        await free;
        let release = () => {};
        free = new Promise((resolve) => {
          release = resolve;
        });
        const reply = await prompt(client, seeded(client), text);
        release();
        return reply.text;
      };
      const failed = await send('one').catch((error: Error) => error);
      context.print(await send('two'));
      if (failed instanceof Error) throw failed;
    },
  },
  {
    id: 'nobody-catches-its-usage',
    what: 'makes a second promise of each reply, which nobody waits for when the first one fails',
    seen: 'OpenRouterTeam/typescript-agent#113: the second rejection of one failure was handled by nobody',
    law: 'quiet',
    async run(context) {
      const client = createClient(context);
      const reply = prompt(client, seeded(client), 'hello');
      const usage = reply.then(({ session }) => session);
      const { text } = await reply;
      context.print(`${text} ${(await usage) === null ? 'without' : 'with'} a session`);
    },
  },
  {
    id: 'throws-in-a-callback',
    what: 'reads a stream beside its caller, and throws where nobody listens',
    seen: 'mastra-ai/mastra#20307: a rejection in the handler of a stream had no catch, and ended the process',
    law: 'quiet',
    async run(context) {
      const client = createClient(context);
      const path = `/interns/${seeded(client)}/chat/completions`;
      const body = { stream: true, messages: [{ role: 'user', content: 'hello' }] };
      const call: Call = { method: 'POST', path, body };
      const response = await client.send(client, call);
      await new Promise<void>((resolve) => {
        void client.read(client, response).then(({ text }) => {
          context.print(text);
          resolve();
        });
        void client.pause(2_000).then(resolve, resolve);
      });
    },
  },
  {
    id: 'end-is-done',
    what: 'takes a stream that breaks before [DONE] for a whole one',
    seen: 'Growth-Circle/cadis#2547: lines were read until the end or an error, and either was reported as completed',
    law: 'unnoticed',
    async run(context) {
      const client = createClient(context, {
        cut: () => {},
        data: (bytes) => dataOf({ next: () => bytes.next().catch(() => ({ done: true })) }),
      });
      client.context.print((await prompt(client, seeded(client), 'one two three')).text);
    },
  },
  {
    id: 'errors-are-chunks',
    what: 'takes a chunk with an error for one without text, and the reply for whole',
    seen: 'farzaa/clicky#132: an error within a stream was skipped, and the partial answer returned as the answer',
    law: 'unnoticed',
    async run(context) {
      const client = createClient(context, {
        chunk: (data) => ({ choices: [], ...JSON.parse(data) }),
        finished: () => {},
      });
      context.print((await prompt(client, seeded(client), 'one two three')).text);
    },
  },
  {
    id: 'length-is-stop',
    what: 'takes a reply that was cut at its length for a whole one',
    seen: 'ahwurm/localharness#77: `finish_reason: length` was ignored, and cut calls were carried out',
    law: 'unnoticed',
    async run(context) {
      const client = createClient(context, {
        finished: (reason) => check(reason !== 'error', `the run ended with ${reason}`),
      });
      context.print((await prompt(client, seeded(client), 'one two three')).text);
    },
  },
];
