import type { InternRow } from '../../../emulator/contract/state.js';
import type { Interns } from '../../../emulator/domain/interns.js';
import type { PlainResponse } from '../../../emulator/http/response.js';
import { handles, puts, transitions, wrap } from '../combinators/parts.js';
import { rewriteJson, rewriteRecords } from '../combinators/replies.js';
import { rewriteFields, withoutFields } from '../combinators/requests.js';
import { defineDeviations, type Mutant } from '../mutant.js';

/** Adds to the JSON of a response. */
const adding = (response: PlainResponse, more: object): PlainResponse => ({
  ...response,
  body: JSON.stringify({ ...(JSON.parse(String(response.body)) as object), ...more }),
});

const SETTINGS = ['name', 'description', 'instructions', 'model'];

/** Changes what an update comes to. */
const updates = (change: (row: InternRow, update: () => InternRow, interns: Interns) => InternRow): Mutant =>
  wrap({
    createInterns: (usual) => ({ update: (row, body) => change(row, () => usual.update(row, body), usual) }),
  });

export const UPDATE = defineDeviations({
  'update-clears-what-is-omitted': {
    description: 'An update sets omitted descriptions and instructions to null.',
    mutant: rewriteFields('update', (body) =>
      Object.keys(body).every((key) => SETTINGS.includes(key))
        ? { description: null, instructions: null, ...body }
        : body,
    ),
  },
  'update-loses-instructions': {
    description: 'instructions in an update are ignored.',
    mutant: rewriteFields('update', ({ instructions: _, ...body }) => body),
  },
  'update-answers-the-old-record': {
    description: 'The answer of an update is the record as it was.',
    mutant: updates((row, update) => {
      update();
      return row;
    }),
  },
  'update-takes-any-model': {
    description: 'An invalid model is ignored.',
    mutant: rewriteFields('update', ({ model, ...body }) =>
      typeof model === 'string' && !/^[^/]+\/[^/:]+(:[^/:]+)?$/.test(model)
        ? body
        : model === undefined
          ? body
          : { ...body, model },
    ),
  },
  'update-drops-unknown-fields': {
    description: 'Unknown fields of an update are ignored.',
    mutant: withoutFields('update', (name) => !SETTINGS.includes(name)),
  },
  'update-of-the-model-at-once': {
    description: 'A new model takes effect without a provision.',
    mutant: puts(
      (put) => (row, record, change) =>
        put(
          row,
          record,
          record?.model && row.booted ? { ...change, booted: { ...row.booted, model: record.model } } : change,
        ),
    ),
  },
  'update-of-nothing-touches': {
    description: 'An update that changes nothing moves updated_at.',
    mutant: updates((row, update, interns) => {
      const after = update();
      return after === row ? interns.put(row, {}) : after;
    }),
  },
  'status-does-not-touch': {
    description: 'A change of status leaves updated_at.',
    mutant: puts((put) => (row, record, change) => {
      const next = put(row, record, change);
      if (!record || next.record.status === row.record.status) return next;
      return put({ ...next, record: { ...next.record, updated_at: row.record.updated_at } });
    }),
  },
  'update-only-while-stopped': {
    description: 'A running intern cannot be updated.',
    mutant: transitions((row) =>
      row.on === 'update' ? { ...row, from: row.from.filter((status) => status !== 'running') } : row,
    ),
  },
  'record-without-nulls': {
    description: 'Fields of a record that are null are left out.',
    mutant: rewriteRecords((record) =>
      Object.fromEntries(Object.entries(record).filter(([, value]) => value !== null)),
    ),
  },
  'record-without-settings': {
    description: 'A read leaves out the instructions.',
    mutant: rewriteJson('get', ({ instructions: _, ...record }) => record),
  },
  'record-shows-the-key': {
    description: "A read carries the intern's own key.",
    mutant: handles('get', async (call, handle) => adding(await handle(call), { api_key: call.intern.api_key })),
  },
  'record-shows-the-daemon-token': {
    description: 'The daemon token is part of the hostname.',
    mutant: handles('get', async (call, handle) => {
      const { daemon_token } = call.intern;
      const reply = await handle(call);
      return daemon_token === null ? reply : adding(reply, { hostname: `${daemon_token}.interns.localhost` });
    }),
  },
  'update-of-the-model-clears-instructions': {
    description: 'An update of the model alone sets instructions to null.',
    mutant: rewriteFields('update', (body) =>
      Object.keys(body).join() === 'model' ? { ...body, instructions: null } : body,
    ),
  },
  'update-ignores-an-empty-text': {
    description: 'An empty description in an update is ignored.',
    mutant: withoutFields('update', (name, value) => name === 'description' && value === ''),
  },
});
