import type { App } from '../app.js';
import { createClient, type Intern } from '../client.js';
import { all, approve, attach, check, create, host, remove, seeded, talk, untilGone } from '../stories.js';

/** Plain `fetch`, and the small client around it. */
export const FETCH: readonly App[] = [
  { id: 'fetch-talks', what: 'says something and hears it back', run: (context) => talk(createClient(context)) },
  { id: 'fetch-approves', what: 'answers a question', run: (context) => approve(createClient(context)) },
  {
    id: 'fetch-hosts',
    what: 'makes an intern, waits for it, answers its question, and deletes it',
    run(context) {
      const client = createClient(context);
      return host(client, (id) => approve(client, id));
    },
  },
  {
    id: 'fetch-lists',
    what: 'makes two interns, finds them in the list, and deletes them',
    async run(context) {
      const client = createClient(context);
      const made: Intern[] = [];
      try {
        for (const name of ['one-of-two', 'two-of-two']) made.push(await create(client, name, false));
        const listed = new Set((await all(client)).map(({ id }) => id));
        for (const { id } of made) check(listed.has(id), `${id} is not listed`);
      } finally {
        for (const { id } of made) await remove(client, id);
        for (const { id } of made) await untilGone(client, id);
      }
    },
  },
  {
    id: 'fetch-invokes',
    what: 'starts a run and leaves it alone',
    async run(context) {
      const client = createClient(context);
      const path = `/interns/${seeded(client)}/invoke`;
      const response = await client.send(client, { method: 'POST', path, body: { input: 'Water the plants' } });
      const { session_id } = (await client.json(response)) as { session_id: string };
      check(session_id !== '', 'expected a session');
    },
  },
  {
    id: 'fetch-signs',
    what: 'signs a request to the daemon of an intern and sends it',
    run: (context) => attach(createClient(context)),
  },
];
