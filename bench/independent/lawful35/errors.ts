import { isJson } from '../call.js';
import type { Way } from '../world.js';
import { moved, reasonOf } from './helpers.js';

export const errors: readonly Way[] = [
  {
    // The messages of signing and of SCIM are stated.
    name: 'the message of an error names the id and a ticket, which is another each time',
    lawful: true,
    unpublished: true,
    quote: 'Error catalogue for the intern operations other than signing: not shown.',
    wrong(world) {
      let ticket = 70_000;
      return world.json('list create get update delete provision suspend chat invoke', (body, { id }, { status }) => {
        if (!isJson(body.error) || ![400, 404, 409].includes(status)) return;
        ticket += 17;
        body.error.message = `${String(body.error.message)} (${id === '' ? 'collection' : id}, ticket ${ticket})`;
      });
    },
  },
  {
    name: 'an answer to a question that is no longer open is 410',
    lawful: true,
    unpublished: true,
    quote: 'Error catalogue for the intern operations other than signing: not shown.',
    wrong: (world) =>
      world.later('chat', async (response) =>
        (await reasonOf(response)) === 'interaction_not_pending'
          ? moved(response, 410, { reason: 'interaction_expired', retryable: false })
          : undefined,
      ),
  },
  {
    name: 'the time to wait is in the metadata, in ms, and in no header',
    lawful: true,
    unpublished: true,
    quote: 'metadata: { reason: <string>, retryable: <boolean> }',
    wrong: (world) =>
      world.later('*', async (response) => {
        const wait = response.headers.get('retry-after');
        const reason = await reasonOf(response);
        if (wait === null || reason === '') return undefined;
        const headers = new Headers(response.headers);
        headers.delete('retry-after');
        const changed = new Response(response.body, { status: response.status, headers });
        const metadata = { reason, retryable: true, retry_after_ms: Number(wait) * 1_000 };
        return moved(changed, response.status, metadata);
      }),
  },
];
