import { equal, ok } from '../framework/assert.js';
import { checksOf } from '../framework/check.js';
import * as expect from '../framework/expect.js';
import { onRunning } from '../helpers/interns.js';
import { DIGEST } from '../helpers/operations.js';

export const GET = checksOf('GET-1', {
  'get/settings': {
    title: 'A read returns the lifecycle state and the settings.',
    needs: ['write'],
    async run(ctx) {
      const { api, interns } = ctx;
      const made = await interns.stopped({ description: 'seen', instructions: 'Be brief.' });
      const read = expect.intern(await api.get(made.id), 200, 'the read');
      equal(read.id, made.id, 'id');
      equal([read.name, read.description, read.instructions], [made.name, 'seen', 'Be brief.'], 'the settings');
      const again = expect.intern(await api.get(made.id), 200, 'another read');
      ctx.same(again, read, 'the record read again');
    },
  },
  'get/no-known-secrets': {
    title: "Neither the intern's own key nor its daemon token stands in any answer of the lifecycle.",
    ...onRunning(['control', 'running', 'oauth_token'], async ({ api, control }, { id }) => {
      const { api_key } = await control.intern(id);
      const daemon = (await api.daemon(id, { as: 'oauth_token' })).json as { token?: string };
      const texts = [
        (await api.get(id)).text,
        (await api.get(id, { as: { bearer: api_key } })).text,
        (await api.list()).text,
        (await api.update(id, { description: 'seen' })).text,
        (await api.sign(id, { bodySha256: DIGEST }, { as: 'oauth_token' })).text,
        (await api.remove(id)).text,
      ];
      for (const secret of [api_key, daemon.token ?? api_key]) {
        ok(!texts.some((text) => text.includes(secret)), 'the answers', 'no credential of the intern');
      }
    }),
  },
});
