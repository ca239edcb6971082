import { refusal, rewritten } from '../../emulator/wire/answer.js';
import { isRecord, jsonOf } from '../../emulator/wire/json.js';
import { about, withRequest } from '../../emulator/wire/request.js';
import { eachRecord, type Habit } from './habit.js';

export const ownFields: Habit = {
  id: 'own-fields',
  what: 'adds fields of its own',
  kit: 'ignores them; compares no fields that change with each answer',
  /** Further fields, which change with each answer. */
  serve: (next, { random }) => {
    const any = () => Math.floor(random() * 1e9).toString(36);
    return async (request) =>
      rewritten(await next(request), {
        headers(headers) {
          headers.set('server', `edge-${Math.floor(random() * 3)}`);
          headers.set('x-served-by', any());
          headers.set('etag', `W/"${any()}"`);
          if (random() < 0.5) headers.set('x-cache', 'MISS');
        },
        json(json) {
          // A retried create repeats its first answer.
          const changes = request.method === 'POST' ? () => {} : eachRecord;
          changes(json, (record) => {
            record.last_seen_at = any();
            record.updated_at = new Date(
              Date.parse(String(record.updated_at)) + Math.floor(random() * 1e6),
            ).toISOString();
            record.secret_count = Math.floor(random() * 9);
          });
          if (!isRecord(json)) return;
          if (new URL(request.url).pathname.includes('/vault/'))
            for (const secret of [json.data].flat()) if (isRecord(secret)) secret.version = any();
          if (typeof json.token === 'string' && typeof json.origin === 'string') json.expires_at = any();
          if (isRecord(json.error) && isRecord(json.error.metadata)) json.error.metadata.request = any();
        },
      });
  },
};

export const sparseRecords: Habit = {
  id: 'sparse-records',
  what: 'leaves out fields of records, as the interface allows',
  kit: 'reads a missing field as null; warns if only a published sentence asks for it',
  differs: ['GET-1'],
  /** Nulls are left out of a record, and a list has only id and status of each intern. */
  serve: (next) => async (request) =>
    rewritten(await next(request), {
      json(json) {
        const record = json as Record<string, unknown> | null;
        if (typeof record !== 'object' || record === null) return;
        if ('vault_id' in record) for (const key of Object.keys(record)) if (record[key] === null) delete record[key];
        if (Array.isArray(record.data) && about(request).operation === 'list')
          record.data = record.data.map(({ id, name, status }) => ({ id, name, status }));
      },
    }),
};

export const showsModel: Habit = {
  id: 'shows-model',
  what: 'shows a chosen model in an intern without one',
  kit: 'accepts it',
  /** An intern without a model shows the one that the service chooses. */
  serve: (next) => async (request) =>
    rewritten(await next(request), {
      json: (json) =>
        eachRecord(json, (record) => {
          record.model ??= 'acme/default-1';
        }),
    }),
};

export const ownVaultIds: Habit = {
  id: 'own-vault-ids',
  what: 'has its own form for ids of vaults',
  kit: 'accepts any',
  serve: (next) => async (request) => {
    const text = about(request).operation === 'create' ? await request.clone().text() : '';
    const asked = text.includes('"vlt_') ? withRequest(request, { body: text.replaceAll('"vlt_', '"') }) : request;
    return rewritten(await next(asked), {
      json: (json) =>
        eachRecord(json, (record) => {
          for (const key of ['vault_id', 'attached_vault_id'])
            if (typeof record[key] === 'string') record[key] = `vlt_${record[key]}`;
        }),
    });
  },
};

export const tidyTexts: Habit = {
  id: 'tidy-texts',
  what: 'trims texts, keeps an empty one as null, and refuses characters that databases do not store',
  kit: 'compares only texts that this does not change',
  /** Texts are trimmed, an empty one is null, and characters that databases do not store are refused. */
  serve: (next) => async (request) => {
    const json = /json/i.test(request.headers.get('content-type') ?? '');
    if (!json || !/^(create|update)$/.test(about(request).operation ?? '')) return next(request);
    const text = await request.clone().text();
    const body = jsonOf(text);
    if (!isRecord(body) || text.length > 1_000_000) return next(request);
    for (const key of ['description', 'instructions']) {
      const said = body[key];
      if (typeof said !== 'string') continue;
      if (said.includes('\u0000')) return refusal(400, 'Invalid request body', 'invalid_body');
      body[key] = said.trim() === '' ? null : said.trim();
    }
    return next(withRequest(request, { body: JSON.stringify(body) }));
  },
};
