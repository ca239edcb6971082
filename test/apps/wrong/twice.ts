/** Apps that do something twice. */
import type { WrongApp } from '../app.js';
import { createClient, type Reply } from '../client.js';
import { answer, approve, ask, check, create, prompt, seeded, talk, tearDown, untilRunning } from '../stories.js';

const law = 'once';

export const TWICE: readonly WrongApp[] = [
  {
    id: 'prompts-again-after-a-cut',
    what: 'sends its prompt again when the stream of the reply is cut',
    seen: 'dyad-sh/dyad#2851: the whole stream was tried again after a lost connection, and tools that had run ran twice',
    law,
    also: { polite: 'it takes each refusal for a cut, and tries again' },
    async run(context) {
      const client = createClient(context);
      for (let attempt = 1; ; attempt++) {
        try {
          return await talk(client);
        } catch (error) {
          if (attempt === 3) throw error;
        }
      }
    },
  },
  {
    id: 'prompts-again-after-a-loss',
    what: 'sends any request again that got no answer, prompts too',
    seen: 'PrimeIntellect-ai/prime-agent#1700: a message whose confirmation was lost was sent again, and delivered twice',
    law,
    run: (context) => talk(createClient(context, { repeats: () => true })),
  },
  {
    id: 'prompts-again-after-a-silence',
    what: 'aborts a reply that is silent, and sends its prompt again',
    seen: 'AlaeddineMessadi/opencode-mcp#17: the own timeout was taken for a failure of the network; a prompt came four times',
    law,
    async run(context) {
      const client = createClient(context, { idle: 700 });
      const again = (error: unknown) => {
        if (!(error instanceof Error && error.message === 'nothing came')) throw error;
        return talk(client);
      };
      await talk(client).catch(again);
    },
  },
  {
    id: 'prompts-again-after-an-error',
    what: 'sends its prompt again when the run fails within the stream',
    seen: 'yiichuan/oddeNova#200: failures of a stream are tried again like requests that never began',
    law,
    async run(context) {
      const client = createClient(context);
      await talk(client).catch((error: Error) => {
        if (!error.message.startsWith('the run ')) throw error;
        return talk(client);
      });
    },
  },
  {
    id: 'invokes-again-after-a-loss',
    what: 'starts a run anew when the answer to `invoke` is lost',
    seen: 'pleaseai/shunt#126: a retry after a timeout could create a second agent run, as it had no identity',
    law,
    async run(context) {
      const client = createClient(context, { repeats: () => true });
      const path = `/interns/${seeded(client)}/invoke`;
      const started = await client.send(client, { method: 'POST', path, body: { input: 'Water the plants' } });
      check(started.status === 202, `expected 202, got ${started.status}`);
    },
  },
  {
    id: 'key-per-attempt',
    what: 'takes a new idempotency key and name for each attempt of one create',
    seen: 'PrimeIntellect-ai/prime#678: the key was generated anew for each retry of a create',
    law,
    async run(context) {
      const client = createClient(context, { attempts: 1 });
      let made = await create(client, 'attempt-one').catch(() => undefined);
      made ??= await create(client, 'attempt-two');
      await untilRunning(client, made.id);
      await tearDown(client, made.id);
    },
  },
  {
    id: 'creates-again-without-a-key',
    what: 'makes an intern without an idempotency key, and another when it does not hear of the first',
    seen: 'e2b-dev/E2B#1658: where the response to a create is lost, a retry makes a second sandbox',
    law,
    async run(context) {
      const client = createClient(context);
      const make = async (name: string) => {
        const body = { name, workspace_id: context.target.workspace_id, provision: false };
        const response = await client.send(client, { method: 'POST', path: '/interns', body });
        return ((await response.json()) as { id: string }).id;
      };
      const id = await make('one').catch(() => make('two'));
      await tearDown(client, id);
    },
  },
  {
    id: 'approves-again-from-the-start',
    what: 'begins the conversation anew when the stream after its answer fails, and approves once more',
    seen: 'chenhg5/cc-connect#1592: a session that was resumed ran the interrupted tool calls again, unasked',
    law,
    also: { polite: 'it begins again after every refusal' },
    async run(context) {
      const client = createClient(context);
      await approve(client).catch(() => approve(client));
    },
  },
  {
    id: 'asks-two-at-once',
    what: 'sends its prompt a second time beside the first when the first word takes long, and keeps the quicker reply',
    seen: 'VladShifter/tobira-protocol#5: without a quick confirmation the send was triggered again; four messages came',
    law,
    also: { polite: 'its second prompt does not wait for what the first is answered' },
    async run(context) {
      const client = createClient(context, { idle: 3_000 });
      const id = seeded(client);
      const send = () => prompt(client, id, 'Tell me a story');
      const first = send();
      const late = client.pause(500).then((): Promise<Reply> => send());
      late.catch(() => {});
      first.catch(() => {});
      await Promise.any([first, late]);
    },
  },
  {
    id: 'answers-again-in-a-new-session',
    what: 'answers a question that it asks for once more, where the first answer was refused',
    seen: 'elastic/kibana#292870: a prompt for an approval came back after the decision, and took a second answer',
    law,
    async run(context) {
      const client = createClient(context);
      const id = seeded(client);
      const asked = await ask(client, id);
      const { text } = await answer(client, id, asked).catch(async () => answer(client, id, await ask(client, id)));
      context.print(text);
    },
  },
];
