/** Apps that fail over what a service may do: how they look at interns. */
import type { WrongApp } from '../app.js';
import { createClient, Refusal } from '../client.js';
import { all, check, create, get, host, remove, seeded, talk, tearDown, untilGone, untilRunning } from '../stories.js';

const law = 'harmless-passes';
const STATUSES = ['queued', 'provisioning', 'running', 'failed', 'stopped', 'destroying', 'destroy_failed'];

export const RECORDS: readonly WrongApp[] = [
  {
    id: 'needs-a-body',
    what: 'parses the body of each answer as JSON, of a 204 too',
    seen: 'Paca-AI/paca#260: a delete that had succeeded was reported as `Unexpected end of JSON input`',
    law,
    run: (context) => host(createClient(context, { json: (response) => response.json() })),
  },
  {
    id: 'first-page-is-all',
    what: 'takes the first page of a list for the list',
    seen: 'coreweave/cwsandbox-client#118: listings stopped silently at the first page',
    law,
    async run(context) {
      const client = createClient(context);
      const one = await create(client, 'first-of-two', false);
      const other = await create(client, 'second-of-two', false);
      try {
        const page = (await client.json(await client.send(client, { method: 'GET', path: '/interns?limit=500' }))) as {
          data: { id: string }[];
        };
        for (const { id } of [one, other])
          check(
            page.data.some((intern) => intern.id === id),
            `${id} is not listed`,
          );
      } finally {
        for (const { id } of [one, other]) {
          await tearDown(client, id);
        }
      }
    },
  },
  {
    id: 'newest-is-mine',
    what: 'takes the newest intern of the workspace for the one that it has made',
    seen: 'openclaw/openclaw#86183: a list that was not limited to the own agent showed the sessions of all',
    law,
    async run(context) {
      const client = createClient(context);
      const made = await create(client, 'mine', false);
      try {
        const [newest] = await all(client);
        check(newest?.name === 'mine', `expected my intern, got ${newest?.name}`);
      } finally {
        await tearDown(client, made.id);
      }
    },
  },
  {
    id: 'closed-list-of-statuses',
    what: 'throws at a status that it does not know',
    seen: 'openai/openai-dotnet#1342: `Unknown ReasoningStatus value` ended the reading of the whole answer',
    law,
    async run(context) {
      const client = createClient(context, {
        async json(response) {
          const text = await response.text();
          const body: { status?: string } = text === '' ? {} : JSON.parse(text);
          check(body.status === undefined || STATUSES.includes(body.status), `invalid status ${body.status}`);
          return body;
        },
      });
      const { id } = await create(client, 'known');
      try {
        await client.pause(150);
        await untilRunning(client, id);
      } finally {
        await tearDown(client, id);
      }
    },
  },
  {
    id: 'boots-in-time',
    what: 'expects an intern to run when it looks once',
    seen: 'PwnKit-Labs/pwnkit#317: a fixed limit was enough for a warm sandbox, and a cold one failed',
    law,
    async run(context) {
      const client = createClient(context);
      const { id } = await create(client, 'quick');
      try {
        await client.pause(150);
        const { status } = await get(client, id);
        check(status === 'running', `expected running, got ${status}`);
        await talk(client, id);
      } finally {
        await tearDown(client, id);
      }
    },
  },
  {
    id: 'waits-without-end',
    what: 'looks for `running` alone while an intern boots, and looks for ever after one that failed',
    seen: 'IntertechInc/claude-agent-team-feedback#99: a loop tested for success only, and took everything else for not yet',
    law: 'settles',
    async run(context) {
      const client = createClient(context);
      const { id } = await create(client, 'patient');
      while ((await get(client, id)).status !== 'running') await client.pause(5);
      await talk(client, id);
      await tearDown(client, id);
    },
  },
  {
    id: 'delete-is-over-at-once',
    what: 'leaves when its delete was accepted, and does not see that the teardown failed',
    seen: 'PrimeIntellect-ai/verifiers#1750: a delete that failed was not seen, and its sandbox stayed',
    law: 'tidy',
    async run(context) {
      const client = createClient(context);
      const { id } = await create(client, 'left');
      await untilRunning(client, id);
      await talk(client, id);
      await remove(client, id);
    },
  },
  {
    id: 'delete-is-a-courtesy',
    what: 'logs that its delete failed, and goes on',
    seen: 'huggingface/ml-intern#163: a delete that met a 5xx was logged and forgotten; 2,310 sandboxes were left',
    law: 'tidy',
    async run(context) {
      const client = createClient(context, { attempts: 1 });
      const { id } = await create(client, 'forgotten');
      await untilRunning(client, id);
      await talk(client, id);
      await remove(client, id).catch(() => {});
    },
  },
  {
    id: 'forgets-what-did-not-boot',
    what: 'makes another intern where one does not boot, and forgets the first',
    seen: 'langchain-ai/deepagents#6029: a sandbox whose setup failed stayed alive, as clean-up began after the setup',
    law: 'tidy',
    async run(context) {
      const client = createClient(context);
      for (const name of ['try-one', 'try-two']) {
        const { id } = await create(client, name);
        try {
          await untilRunning(client, id);
        } catch (error) {
          if (name === 'try-two' || error instanceof Refusal) throw error;
          continue;
        }
        await talk(client, id).finally(() => remove(client, id));
        return untilGone(client, id);
      }
    },
  },
  {
    id: 'keeps-no-id-before-it-runs',
    what: 'remembers an intern only once it has talked, and talks to the shared one when that fails',
    seen: 'PrimeIntellect-ai/verifiers#982: the id was kept only after the sandbox was ready, so nothing deleted it before',
    law: 'tidy',
    also: { once: 'it says to the shared one what its own may have acted on' },
    async run(context) {
      const client = createClient(context, { attempts: 1 });
      let mine: string | undefined;
      try {
        const { id } = await create(client, 'unkept');
        await untilRunning(client, id);
        await talk(client, id);
        mine = id;
      } catch {
        await talk(client, seeded(client));
      }
      if (mine === undefined) return;
      await tearDown(client, mine);
    },
  },
];
