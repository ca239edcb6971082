import { ok } from '../model/assert.js';
import { internPath } from '../probe/request.js';
import { DIGEST } from '../requests/operations.js';
import { checksOf } from '../run/check.js';
import type { Ctx } from '../run/context.js';
import * as expect from '../run/expect.js';

/** Every credential of the target's descriptor. */
async function credentials({ control }: Ctx): Promise<string[]> {
  const target = (await (await control.call('GET', '/target')).json()) as { credentials: Record<string, unknown> };
  const { intern, ...others } = target.credentials;
  const own = (intern as { api_key?: unknown } | undefined)?.api_key;
  return [...Object.values(others), own].filter((value): value is string => typeof value === 'string');
}

const NEEDS = ['control', 'running', 'oauth_token', 'peer_api_key', 'management_key', 'scim_mapping'] as const;

/** Uses credentials in every way, the intern's own ones too. Returns them. */
async function used(ctx: Ctx): Promise<{ secrets: string[]; id: string }> {
  const { api, interns, control, send, target } = ctx;
  const { id } = await interns.running();
  const { api_key } = await control.intern(id);
  const access = await api.daemon(id, { as: 'oauth_token' });
  expect.status(access, 200, 'the daemon access');
  const { token } = access.json as { token: string };
  const stranger = `stranger-${interns.name()}-opens-nothing`;
  await api.get(id, { as: { bearer: api_key } });
  await api.get(id, { as: { bearer: stranger } });
  await api.get(id, { as: 'peer_api_key' });
  await api.scim(target.scimMappingId ?? '', { as: 'management_key' });
  await api.sign(id, { bodySha256: DIGEST }, { as: 'oauth_token' });
  await send({ path: internPath(id), as: null, headers: { authorization: `Basic ${api_key}` } });
  await send({ path: internPath(id, '/nothing'), as: { bearer: api_key } });
  return { secrets: [...(await credentials(ctx)), api_key, token, stranger], id };
}

export const SECRETS = checksOf('AUTH-9', {
  'emulator/journal-holds': {
    requirement: 'EMU-11',
    title: 'The journal holds requests and responses; DELETE empties it.',
    needs: ['control', 'write'],
    async run({ api, interns, control }) {
      await (await control.call('DELETE', '/journal')).text();
      const body = interns.body({ description: 'seen in the journal' });
      const made = expect.intern(await api.create(body), 201, 'the create');
      const text = await control.journal();
      for (const part of ['/api/v1/interns', 'POST', '201', body.name, made.id]) {
        ok(text.includes(part), 'the journal', part, `${text.length} characters without it`);
      }
      await (await control.call('DELETE', '/journal')).text();
      const after = await control.journal();
      ok(!after.includes(made.id), 'the journal after DELETE', 'no earlier request');
    },
  },
  'emulator/journal-redacted': {
    title: 'The journal holds no credential: sent, answered or refused, of any caller.',
    needs: NEEDS,
    async run(ctx) {
      await (await ctx.control.call('DELETE', '/journal')).text();
      const { secrets, id } = await used(ctx);
      const text = await ctx.control.journal();
      ok(text.includes(id), 'the journal', 'the requests');
      for (const secret of secrets) ok(!text.includes(secret), 'the journal', 'no credential', secret.slice(0, 6));
    },
  },
  'emulator/export-redacted': {
    title: 'The exported state has no credential unless it is asked for with ?credentials=1.',
    needs: NEEDS,
    async run(ctx) {
      const { secrets, id } = await used(ctx);
      const own = (await ctx.control.intern(id)).api_key;
      for (const query of ['', '?credentials=0', '?credentials=']) {
        const text = await (await ctx.control.call('GET', `/state${query}`)).text();
        // Other values of the switch may be refused.
        if (query === '') ok(text.includes(id), 'the state', 'the intern');
        for (const secret of secrets)
          ok(!text.includes(secret), `the state${query}`, 'no credential', secret.slice(0, 6));
      }
      const whole = await (await ctx.control.call('GET', '/state?credentials=1')).text();
      ok(whole.includes(own), 'the state with credentials', "the intern's own key");
    },
  },
});
