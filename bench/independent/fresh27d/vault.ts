import { type Area, by, eachIntern, recordOf } from './form.js';

const PRIVATE = 'Creating it also creates its private vault.';

export const vault: Area = {
  'vault-null-until-it-runs': {
    quote: PRIVATE,
    wrong: ({ ok }) =>
      ok('create get list', (body) =>
        eachIntern(body, (intern) => {
          if ('vault_id' in intern && intern.status !== 'running') intern.vault_id = null;
        }),
      ),
  },
  'vault-anew-at-resume': {
    quote: 'Stops the runtime and keeps its disk and configuration for a later provision call.',
    wrong: (world) => {
      const resumed = new Set<string>();
      const suspended = new Set<string>();
      const shown = world.ok('get list update', (body) =>
        eachIntern(body, (intern) => {
          if (typeof intern.vault_id === 'string' && resumed.has(String(intern.id)))
            intern.vault_id = intern.vault_id.replace(/.(?=.{3}$)/, (digit) => (digit === 'a' ? 'b' : 'a'));
        }),
      );
      return async (call, next) => {
        const response = await shown(call, next);
        if (call.op === 'suspend' && response.ok) suspended.add(call.id);
        if (call.op === 'provision' && response.ok && suspended.has(call.id)) resumed.add(call.id);
        return response;
      };
    },
  },
  'vault-of-the-newest-in-get': {
    quote: 'An intern is a managed agent runtime with its own disk, configuration and private vault.',
    wrong: (world) => {
      let newest: unknown;
      const shown = world.ok('get', (body) => {
        if ('vault_id' in body && newest !== undefined) body.vault_id = newest;
      });
      return async (call, next) => {
        const response = await shown(call, next);
        if (call.op === 'create' && response.ok) newest = (await recordOf(response)).vault_id ?? newest;
        return response;
      };
    },
  },
  'vault-other-in-lists': {
    quote: 'An intern is a managed agent runtime with its own disk, configuration and private vault.',
    wrong: ({ ok }) =>
      ok('list', (body) => {
        let before: unknown;
        eachIntern(body, (intern) => {
          const own = intern.vault_id;
          if (before !== undefined && 'vault_id' in intern) intern.vault_id = before;
          before = own;
        });
      }),
  },
  'vault-open-to-foreign-keys': {
    quote: 'An intern is a managed agent runtime with its own disk, configuration and private vault.',
    wrong: (world) => async (call, next) => {
      if (call.op !== 'vault-list' || call.who !== 'foreign_api_key') return next();
      const response = await next(by(call, world, 'api_key'));
      if (response.ok) world.hit();
      return response;
    },
  },
  'vault-open-to-other-interns': {
    quote: "An intern's own API key sees only that intern.",
    wrong: (world) => async (call, next) => {
      const other = call.id !== world.target.credentials.intern?.id;
      if (call.op !== 'vault-list' || call.who !== 'own_key' || !other) return next();
      const response = await next(by(call, world, 'api_key'));
      if (response.ok) world.hit();
      return response;
    },
  },
  'vault-outlives-its-intern': {
    quote: 'Starts safe teardown of the intern, its runtime and its private vault.',
    wrong: (world) => {
      const last = new Map<string, unknown>();
      return world.later('vault-list', async (response, { id, who }) => {
        if (response.ok) last.set(`${who} ${id}`, await recordOf(response));
        return response.status === 404 && last.has(`${who} ${id}`)
          ? Response.json(last.get(`${who} ${id}`))
          : undefined;
      });
    },
  },
  'vault-holds-the-neighbours-secrets': {
    quote: 'An intern is a managed agent runtime with its own disk, configuration and private vault.',
    wrong: (world) => {
      const last = new Map<string, unknown>();
      return world.ok('vault-list', (body, { id }) => {
        if (!Array.isArray(body.data)) return;
        const own = [...(body.data as unknown[])];
        const others = [...last].filter(([other]) => other !== id).flatMap(([, rows]) => rows as unknown[]);
        if (others.length > 0) body.data = [...own, ...others];
        last.set(id, own);
      });
    },
  },
};
