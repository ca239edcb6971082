import type { Interns } from '../../emulator/domain/interns.js';
import { bodies, records, transitions } from './change.js';
import { isObject, iso, objects, puts } from './change-lifecycle.js';
import { defineDeviations, together } from './deviation.js';

export const UPDATE = defineDeviations([
  {
    name: 'update-clears-what-is-omitted',
    requirement: 'UPDATE-1',
    description: 'An update sets omitted descriptions and instructions to null.',
    alters: objects('update', (body) =>
      Object.keys(body).every((key) => ['name', 'description', 'instructions', 'model'].includes(key))
        ? { description: null, instructions: null, ...body }
        : body,
    ),
    caughtBy: ['update/only-what-is-named', 'lifecycle/update-reads-back', 'update/in-every-state'],
  },
  {
    name: 'update-trims-text',
    requirement: 'UPDATE-1',
    description: 'Texts of an update are trimmed.',
    alters: objects('update', (body) =>
      Object.fromEntries(
        Object.entries(body).map(([key, value]) => [key, typeof value === 'string' ? value.trim() : value]),
      ),
    ),
    caughtBy: ['lifecycle/update-reads-back', 'update/only-what-is-named'],
  },
  {
    name: 'update-loses-instructions',
    requirement: 'UPDATE-1',
    description: 'instructions in an update are ignored.',
    alters: objects('update', ({ instructions: _, ...body }) => body),
    caughtBy: ['update/only-what-is-named', 'lifecycle/update-reads-back', 'update/null-clears'],
  },
  {
    name: 'update-answers-the-old-record',
    requirement: 'UPDATE-1',
    description: 'The answer of an update is the record as it was.',
    alters: {
      interns: (usual) => ({
        ...usual,
        update(row, body) {
          usual.update(row, body);
          return row;
        },
      }),
    },
    caughtBy: ['update/only-what-is-named', 'update/model-form', 'update/moves-updated-at'],
  },
  {
    name: 'update-changes-the-creation-time',
    requirement: 'UPDATE-1',
    description: 'An update moves created_at.',
    alters: () => {
      let now: () => number = () => 0;
      return together(
        {
          clock(clock) {
            now = () => clock.now();
            return clock;
          },
        },
        puts(
          (put) => (row, record, change) =>
            put(row, record && 'description' in record ? { ...record, created_at: iso(now() + 1) } : record, change),
        ),
      );
    },
    caughtBy: ['update/only-what-is-named'],
  },
  {
    name: 'update-null-is-omitted',
    requirement: 'UPDATE-1',
    description: 'null leaves a field as it was.',
    alters: objects('update', (body) => Object.fromEntries(Object.entries(body).filter(([, value]) => value !== null))),
    caughtBy: ['update/null-clears'],
  },
  {
    name: 'update-null-is-empty',
    requirement: 'UPDATE-1',
    description: 'null sets a description to the empty text.',
    alters: objects('update', (body) => (body.description === null ? { ...body, description: '' } : body)),
    caughtBy: ['update/null-clears'],
  },
  {
    name: 'update-takes-any-model',
    requirement: 'UPDATE-1',
    description: 'A model that is none is ignored.',
    alters: objects('update', ({ model, ...body }) =>
      typeof model === 'string' && !/^[^/]+\/[^/:]+(:[^/:]+)?$/.test(model)
        ? body
        : model === undefined
          ? body
          : { ...body, model },
    ),
    caughtBy: ['update/model-form'],
  },
  {
    name: 'update-knows-no-variants',
    requirement: 'UPDATE-1',
    description: 'A model with a variant is refused.',
    alters: objects('update', (body) =>
      typeof body.model === 'string' && body.model.includes(':') ? { ...body, model: 'none' } : body,
    ),
    caughtBy: ['update/model-form'],
  },
  {
    name: 'update-drops-unknown-fields',
    requirement: 'UPDATE-1',
    description: 'Unknown fields of an update are ignored.',
    alters: objects('update', (body) =>
      Object.fromEntries(
        Object.entries(body).filter(([key]) => ['name', 'description', 'instructions', 'model'].includes(key)),
      ),
    ),
    caughtBy: ['lifecycle/update-unknown-field', 'update/unknown-fields'],
  },
  {
    name: 'update-applies-before-it-refuses',
    requirement: 'UPDATE-1',
    description: 'An update with an unknown field is refused, and its known fields are changed all the same.',
    alters: () => {
      let interns: Interns | undefined;
      return together(
        {
          interns(usual) {
            interns = usual;
            return usual;
          },
        },
        {
          pipeline: (serve) => async (request, resource, framed) => {
            const copy = request.method === 'PATCH' ? request.clone() : undefined;
            const answer = await serve(request, resource, framed);
            const row = resource.internId === undefined ? undefined : interns?.get(resource.internId);
            if (answer.status !== 400 || !copy || !row) return answer;
            const body: unknown = await copy.json().catch(() => undefined);
            if (isObject(body) && typeof body.description === 'string')
              interns?.update(row, { description: body.description });
            return answer;
          },
        },
      );
    },
    caughtBy: ['update/unknown-fields'],
  },
  {
    name: 'update-of-the-model-at-once',
    requirement: 'UPDATE-1',
    description: 'A new model takes effect without a provision.',
    alters: puts(
      (put) => (row, record, change) =>
        put(
          row,
          record,
          record?.model && row.booted ? { ...change, booted: { ...row.booted, model: record.model } } : change,
        ),
    ),
    caughtBy: ['update/model-at-next-provision', 'scripts/model-it-booted-with'],
  },
  {
    name: 'update-of-nothing-touches',
    requirement: 'UPDATE-1',
    description: 'An update that changes nothing moves updated_at.',
    alters: {
      interns: (usual) => ({
        ...usual,
        update(row, body) {
          const after = usual.update(row, body);
          return after === row ? usual.put(row, {}) : after;
        },
      }),
    },
    caughtBy: ['update/no-op'],
  },
  {
    name: 'update-at-the-same-millisecond',
    requirement: 'UPDATE-1',
    description: 'updated_at is the time of the clock, also when it was that before.',
    alters: () => {
      let now: () => number = () => 0;
      return {
        clock(clock) {
          now = () => clock.now();
          return clock;
        },
        interns: (usual) => {
          const put = usual.put;
          usual.put = (row, record, change) => {
            const next = put(row, record, change);
            return record ? put({ ...next, record: { ...next.record, updated_at: iso(now()) } }) : next;
          };
          return usual;
        },
      };
    },
    caughtBy: ['update/moves-updated-at'],
  },
  {
    name: 'status-does-not-touch',
    requirement: 'UPDATE-1',
    description: 'A change of status leaves updated_at.',
    alters: puts((put) => (row, record, change) => {
      const next = put(row, record, change);
      if (!record || next.record.status === row.record.status) return next;
      return put({ ...next, record: { ...next.record, updated_at: row.record.updated_at } });
    }),
    caughtBy: ['update/status-moves-updated-at'],
  },
  {
    name: 'update-only-while-stopped',
    requirement: 'UPDATE-1',
    description: 'A running intern cannot be updated.',
    alters: transitions((row) =>
      row.on === 'update' ? { ...row, from: row.from.filter((status) => status !== 'running') } : row,
    ),
    caughtBy: ['update/in-every-state', 'suspend/keeps-what-was-changed', 'model/lifecycle'],
  },
  {
    name: 'record-without-nulls',
    requirement: 'GET-1',
    description: 'Fields of a record that are null are left out.',
    alters: records((record) => Object.fromEntries(Object.entries(record).filter(([, value]) => value !== null))),
    caughtBy: ['get/record-form'],
  },
  {
    name: 'record-times-in-seconds',
    requirement: 'GET-1',
    description: 'Times of a record have no milliseconds.',
    alters: records((record) => ({ ...record, created_at: String(record.created_at).replace(/\.\d+Z/, 'Z') })),
    caughtBy: ['get/record-form'],
  },
  {
    name: 'record-in-camel-case',
    requirement: 'GET-1',
    description: 'The record has lastFailureMessage in place of last_failure_message.',
    alters: records(({ last_failure_message, ...record }) => ({ ...record, lastFailureMessage: last_failure_message })),
    caughtBy: ['get/record-form'],
  },
  {
    name: 'record-without-settings',
    requirement: 'GET-1',
    description: 'A read leaves out the instructions.',
    alters: bodies('get', ({ instructions: _, ...record }) => record),
    caughtBy: ['get/settings', 'create/reads-back'],
  },
  {
    name: 'record-shows-the-key',
    requirement: 'GET-1',
    description: "A read carries the intern's own key.",
    alters: bodies('get', (record, { intern }) => ({ ...record, api_key: intern.api_key })),
    caughtBy: ['get/no-secrets', 'get/no-known-secrets'],
  },
  {
    name: 'record-shows-the-daemon-token',
    requirement: 'GET-1',
    description: 'The daemon token is part of the hostname.',
    alters: bodies('get', (record, { intern }) =>
      intern.daemon_token === null ? record : { ...record, hostname: `${intern.daemon_token}.interns.localhost` },
    ),
    caughtBy: ['get/no-known-secrets'],
  },
  {
    name: 'record-shows-the-vault',
    requirement: 'GET-1',
    description: 'An update answers the vault with its secrets.',
    alters: bodies('update', (record) => ({ ...record, secrets: { github: 'abc' } })),
    caughtBy: ['get/no-secrets'],
  },
]);
