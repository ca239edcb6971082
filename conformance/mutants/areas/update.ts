import type { InternRow } from '../../../emulator/contract/state.js';
import type { Interns } from '../../../emulator/domain/interns.js';
import type { PlainResponse } from '../../../emulator/http/response.js';
import { defineMutants, type Mutation } from '../mutant.js';
import { field, records } from '../operators/answers.js';
import { allows, handles, puts, wrap } from '../operators/parts.js';
import { sends, sent, withoutFields } from '../operators/requests.js';

/** Adds to the JSON of a response. */
const adding = (response: PlainResponse, more: object): PlainResponse => ({
  ...response,
  body: JSON.stringify({ ...(JSON.parse(String(response.body)) as object), ...more }),
});

const SETTINGS = ['name', 'description', 'instructions', 'model'];

/** Changes what an update comes to. */
const updates = (change: (row: InternRow, update: () => InternRow, interns: Interns) => InternRow): Mutation =>
  wrap({
    createInterns: (usual) => ({ update: (row, body) => change(row, () => usual.update(row, body), usual) }),
  });

export const UPDATE = defineMutants({
  'update-clears-what-is-omitted': sent('update', (body) =>
    Object.keys(body).every((key) => SETTINGS.includes(key))
      ? { description: null, instructions: null, ...body }
      : body,
  ),
  'update-loses-instructions': sends('update', 'instructions', undefined),
  'update-answers-the-old-record': updates((row, update) => {
    update();
    return row;
  }),
  // An invalid model is ignored.
  'update-takes-any-model': withoutFields(
    'update',
    (name, model) => name === 'model' && typeof model === 'string' && !/^[^/]+\/[^/:]+(:[^/:]+)?$/.test(model),
  ),
  'update-drops-unknown-fields': withoutFields('update', (name) => !SETTINGS.includes(name)),
  // A new model takes effect without a provision.
  'update-of-the-model-at-once': puts(
    (put) => (row, record, change) =>
      put(
        row,
        record,
        record?.model && row.booted ? { ...change, booted: { ...row.booted, model: record.model } } : change,
      ),
  ),
  // An update that changes nothing moves updated_at.
  'update-of-nothing-touches': updates((row, update, interns) => {
    const after = update();
    return after === row ? interns.put(row, {}) : after;
  }),
  // A change of settings leaves updated_at.
  'update-does-not-touch': puts((put) => (row, record, change) => {
    const next = put(row, record, change);
    if (!record || next.record.status !== row.record.status) return next;
    return put({ ...next, record: { ...next.record, updated_at: row.record.updated_at } });
  }),
  // A change of status leaves updated_at.
  'status-does-not-touch': puts((put) => (row, record, change) => {
    const next = put(row, record, change);
    if (!record || next.record.status === row.record.status) return next;
    return put({ ...next, record: { ...next.record, updated_at: row.record.updated_at } });
  }),
  'update-only-while-stopped': allows('update', (from) => from.filter((status) => status !== 'running')),
  // Fields of a record that are null are left out.
  'record-without-nulls': records((record) =>
    Object.fromEntries(Object.entries(record).filter(([, value]) => value !== null)),
  ),
  'record-without-settings': field('get', 'instructions', undefined),
  // A read carries the intern's own key.
  'record-shows-the-key': handles('get', async (call, handle) =>
    adding(await handle(call), { api_key: call.intern.api_key }),
  ),
  // The daemon token is part of the hostname.
  'record-shows-the-daemon-token': handles('get', async (call, handle) => {
    const { daemon_token } = call.intern;
    const reply = await handle(call);
    return daemon_token === null ? reply : adding(reply, { hostname: `${daemon_token}.interns.localhost` });
  }),
  'update-of-the-model-clears-instructions': sent('update', (body) =>
    Object.keys(body).join() === 'model' ? { ...body, instructions: null } : body,
  ),
  'update-ignores-an-empty-text': withoutFields('update', (name, value) => name === 'description' && value === ''),
});
