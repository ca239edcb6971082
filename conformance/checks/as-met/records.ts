import { equal, fail, gist, ok, oneOf } from '../../framework/assert.js';
import { checksOf } from '../../framework/check.js';
import type { Ctx } from '../../framework/context.js';
import type { Met, Watch, Watched } from '../../framework/watch.js';
import { isRow, nameOf, type Row, recordsOf } from '../../helpers/met.js';
import { FIELDS } from '../../helpers/record.js';
import { secretKeys } from '../../helpers/secret-keys.js';

/** Where a record stands, for findings. */
const where = ({ operation }: Met): string => `a record of ${operation}`;

const TEXTS = ['description', 'instructions', 'model', 'last_failure_message'] as const;

/** "Returns the public lifecycle state and settings of one visible intern." The types are those of the table of the intern. */
const stated = ({ creatorOf }: Watched) => ({
  sees(met: Met): boolean {
    const records = recordsOf(met).filter(({ id }) => typeof id !== 'string' || creatorOf(id) !== undefined);
    for (const record of records) {
      const { id, name, status, last_failure_message: why } = record;
      if (met.id !== undefined && typeof id === 'string') equal(id, met.id, `id of ${where(met)}`);
      ok(typeof name === 'string' && name !== '', `name of ${where(met)}`, 'a name', name);
      ok(typeof status === 'string' && status !== '', `status of ${where(met)}`, 'a status', status);
      for (const key of TEXTS) {
        const value = record[key] ?? null;
        ok(value === null || typeof value === 'string', `${key} of ${where(met)}`, 'a text or null', value);
      }
      // "When status is `destroy_failed` it may name `workspace_archive_failed`."
      if (typeof why === 'string' && why.includes('workspace_archive_failed'))
        oneOf(status, ['destroy_failed', 'destroying'], `status of ${where(met)} whose archive failed`);
    }
    return records.length > 0;
  },
});

/** "GET /interns/{id} answers 200 with exactly the fields of the record, in their formats." */
const published = ({ creatorOf }: Watched) => ({
  sees(met: Met): boolean {
    // Interns of others may be older than the form.
    const records = recordsOf(met).filter(({ id }) => typeof id === 'string' && creatorOf(id) !== undefined);
    for (const record of records)
      for (const [field, holds] of Object.entries(FIELDS))
        if (!holds(record[field])) fail(`${field} of ${where(met)}`, 'the form of the published API', record[field]);
    return records.length > 0;
  },
});

/** "Creating an intern also creates its private vault." Of interns that the run made, those that are gone too. */
const vaults = ({ creatorOf }: Watched) => {
  const owners = new Map<unknown, unknown>();
  const vaultOf = new Map<unknown, unknown>();
  return {
    sees(met: Met): boolean {
      const records = recordsOf(met).filter(({ id }) => typeof id === 'string' && creatorOf(id) !== undefined);
      const having = records.filter(({ vault_id }) => typeof vault_id === 'string');
      for (const { id, vault_id } of having) {
        const before = vaultOf.get(id) ?? vault_id;
        vaultOf.set(id, before);
        equal(vault_id, before, `vault_id of ${where(met)}, read again`);
        const owner = owners.get(vault_id) ?? id;
        ok(owner === id, `vault_id of ${where(met)}`, 'a vault that no other intern has', vault_id);
        owners.set(vault_id, id);
      }
      return having.length > 0;
    },
  };
};

const FIXED = ['workspace_id', 'created_at'] as const;

/** "An intern is created in an explicit workspace." Where and when it was made stays: what records said of that first. */
const fixed = ({ creatorOf }: Watched) => {
  const first = new Map<string, Row>();
  return {
    sees(met: Met): boolean {
      const records = recordsOf(met).filter(({ id }) => typeof id === 'string' && creatorOf(id) !== undefined);
      for (const record of records) {
        const id = String(record.id);
        const sent = nameOf(met) === 'create' && isRow(met.send.json) ? met.send.json : {};
        const before = first.get(id) ?? { ...record, workspace_id: sent.workspace_id ?? record.workspace_id };
        first.set(id, before);
        for (const key of FIXED)
          if (typeof record[key] === 'string' && typeof before[key] === 'string')
            equal(record[key], before[key], `${key} of ${where(met)}`);
      }
      return records.length > 0;
    },
  };
};

/** Operations whose answers show an intern, or what is done to it. Their answers carry "no credential or content of the vault". */
const SHOWS: ReadonlySet<string> = new Set(['list', 'create', 'get', 'update', 'delete', 'provision', 'suspend']);

const SHOWN = {
  credential: { what: 'a credential', more: { leak: true } },
  value: { what: 'the value of a secret', more: { leak: true, breaks: { requirement: 'VAULT-2', level: 'P' } } },
} as const;

/** What the run keeps secret stands in no answer, and no answer of the lifecycle has a field for it. */
function secretless({ secretIn }: Watched): Watch {
  const holds = (text: string, operation: string) => {
    const kind = secretIn(text);
    if (kind === undefined) return;
    const { what, more } = SHOWN[kind];
    fail(`${what} in an answer of ${operation}`, 'none of it', gist('all of it'), more);
  };
  return {
    sees(met) {
      const { answer, operation } = met;
      holds([...answer.headers].flat().concat(answer.text).join('\n'), operation);
      if (!SHOWS.has(nameOf(met) ?? '') || answer.status >= 300 || !isRow(answer.json)) return false;
      equal(secretKeys(answer.json), [], `fields that hold something secret in an answer of ${operation}`);
      return true;
    },
    hears({ operation, transcript: { content, items } }) {
      holds([content, ...items.map((item) => ('data' in item ? item.data : ''))].join('\n'), operation);
      return true;
    },
  };
}

/** "Starts a run on one intern and answers 202 with the `session_id` once the intern accepts it." */
function accepted({ answer, operation, send }: Met): boolean {
  if (operation !== 'POST /interns/{internId}/invoke' || answer.status >= 300) return false;
  const { session_id } = isRow(answer.json) ? answer.json : {};
  ok(typeof session_id === 'string' && session_id !== '', 'session_id of an invoke', 'a session_id', session_id);
  const sent = isRow(send.json) ? send.json.session_id : undefined;
  // "Sending the same `session_id` later continues the conversation."
  if (typeof sent === 'string') equal(session_id, sent, 'session_id of an invoke in a session');
  return true;
}

/** Every operation that answers a record, of one that is stopped and one that runs, and an invoke in a session. */
async function meet({ api, interns }: Ctx): Promise<void> {
  const { id } = await interns.running();
  const other = await interns.stopped();
  await api.get(id);
  await api.get(other.id);
  for (const query of [{}, { status: 'running' }]) await api.list(query);
  await api.update(id, { description: 'looked at' });
  const { json } = await api.invoke(id, { input: 'Hello.' });
  if (isRow(json)) await api.invoke(id, { input: 'Hello.', session_id: json.session_id });
  await api.suspend(id);
  await api.provision(other.id);
  await api.remove(id);
}

/** GET-1: the records that a run met. */
export const RECORDS_AS_MET = checksOf('GET-1', {
  'as-met/records': {
    title: 'Every record that the run met is that of the intern in its path, with the stated fields in their types.',
    needs: [],
    watch: stated,
    run: meet,
  },
  'as-met/record-forms': {
    level: 'P',
    title: 'Every record that the run met of its own interns has all fields in their forms.',
    needs: [],
    watch: published,
    run: meet,
  },
  'as-met/vaults': {
    requirement: 'CREATE-2',
    title: 'No two interns of the run were met with the same vault, and none with two.',
    needs: [],
    watch: vaults,
    run: meet,
  },
  'as-met/fixed': {
    requirement: 'CREATE-1',
    title: 'Every record that the run met says of its intern the workspace and time of creation that it said first.',
    needs: [],
    watch: fixed,
    run: meet,
  },
  'as-met/secrets': {
    title:
      'No answer that the run met shows a credential or the value of a secret, nor one of the lifecycle a field for them.',
    needs: [],
    watch: secretless,
    run: meet,
  },
  'as-met/invokes': {
    requirement: 'INVOKE-1',
    title: 'Every accepted invoke that the run met has a session_id, that of the request where one was sent.',
    needs: [],
    watch: () => ({ sees: accepted }),
    run: meet,
  },
});
