import { rewritten } from '../../emulator/wire/answer.js';
import { withRequest } from '../../emulator/wire/request.js';
import type { Serve } from '../../emulator/wire/serve.js';
import type { Habit } from './habit.js';
import { eachRecord, pathOf } from './wire.js';

/** Ids of vaults have a form of their own. */
const serve: Serve = (next) => async (request) => {
  const creates = request.method === 'POST' && pathOf(request) === '/interns';
  const text = creates ? await request.clone().text() : '';
  const asked = text.includes('"vlt_') ? withRequest(request, { body: text.replaceAll('"vlt_', '"') }) : request;
  return rewritten(await next(asked), {
    json: (json) =>
      eachRecord(json, (record) => {
        for (const key of ['vault_id', 'attached_vault_id'])
          if (typeof record[key] === 'string') record[key] = `vlt_${record[key]}`;
      }),
  });
};

export const ownVaultIds: Habit = {
  id: 'own-vault-ids',
  what: 'has ids of vaults of its own form',
  kit: 'takes them as they are',
  serve,
};
