import { Refusal } from '../../emulator/contract/errors.js';
import type { IdempotencyRow, InternRow } from '../../emulator/contract/state.js';
import type { CreateRequest } from '../../emulator/domain/create.js';
import type { Interns } from '../../emulator/domain/interns.js';
import type { Alterations } from '../../emulator/parts.js';
import type { Collection } from '../../emulator/store/store.js';
import { bodies, errors, inside, parses, reads, remeta, rows, statuses } from './change.js';
import { isObject, type Json, objects } from './change-lifecycle.js';
import { defineDeviations, together } from './deviation.js';

/** Changes a create before it is done. */
const creates = (change: (request: CreateRequest) => CreateRequest): Alterations => ({
  create: (usual) => (request) => usual(change(request)),
});

/** Changes how creates are remembered. */
const memory = (change: (entries: Collection<IdempotencyRow>) => Collection<IdempotencyRow>): Alterations => ({
  store: (store) =>
    inside(store, 'collection', (collection) => {
      const usual = collection.bind(store);
      let changed: Collection<IdempotencyRow> | undefined;
      return ((name: 'idempotency') => {
        if (name !== 'idempotency') return usual(name);
        changed ??= change(usual(name));
        return changed;
      }) as typeof collection;
    }),
});

/** Changes rows of interns as they are written. */
const writes = (change: (row: InternRow) => InternRow): Alterations => ({
  store: (store) =>
    inside(store, 'collection', (collection) => {
      const usual = collection.bind(store);
      return ((name: 'interns') => {
        const found = usual(name);
        return name === 'interns'
          ? { ...found, ...forwarded(found), put: (row: InternRow) => found.put(change(row)) }
          : found;
      }) as typeof collection;
    }),
});

/** The functions of a collection, whatever object they are called on. */
const forwarded = <R extends { id: string }>(rows: Collection<R>): Collection<R> => ({
  get size() {
    return rows.size;
  },
  get: (id) => rows.get(id),
  has: (id) => rows.has(id),
  values: () => rows.values(),
  put: (row) => rows.put(row),
  delete: (id) => rows.delete(id),
});

/** What becomes of a create that broke off. */
const brokenOff = (
  then: (request: CreateRequest, row: InternRow | undefined, interns: Interns) => void,
): Alterations => {
  let interns: Interns | undefined;
  return {
    interns(usual) {
      interns = usual;
      return usual;
    },
    create: (usual) => (request) => {
      try {
        return usual(request);
      } catch (error) {
        if (interns && error instanceof Refusal && error.key === 'upstream_unavailable') {
          const row = interns.list(request.caller).find((one) => one.record.name === request.body.name);
          then(request, row, interns);
        }
        throw error;
      }
    },
  };
};

const keyOf = (request: CreateRequest) => `${request.caller.id} ${request.key ?? JSON.stringify(request.body)}`;

const LONG = 'description';

export const CREATE = defineDeviations([
  {
    name: 'create-loses-white-space',
    requirement: 'CREATE-1',
    description: 'description and instructions are trimmed.',
    alters: objects('create', (body) => ({
      ...body,
      ...(typeof body.description === 'string' ? { description: body.description.trim() } : {}),
      ...(typeof body.instructions === 'string' ? { instructions: body.instructions.trim() } : {}),
    })),
    caughtBy: ['create/reads-back'],
  },
  {
    name: 'create-answers-what-was-sent',
    requirement: 'CREATE-1',
    description: 'The answer of a create has another creation time than what is read.',
    alters: bodies('create', (body) => ({ ...body, created_at: '2020-01-01T00:00:00.000Z' })),
    caughtBy: ['create/reads-back'],
  },
  {
    name: 'create-is-200',
    requirement: 'CREATE-1',
    description: 'A create answers 200.',
    alters: statuses('create', 201, 200),
    caughtBy: ['create/status-201'],
  },
  {
    name: 'create-has-a-default-workspace',
    requirement: 'CREATE-1',
    description: 'A create without a workspace goes into one of its own choice.',
    alters: () => {
      let workspace = '';
      return together(
        {
          seed(seed) {
            workspace = seed.members[0]?.workspace_id ?? '';
            return seed;
          },
        },
        objects('create', (body) => ({ workspace_id: workspace, ...body })),
      );
    },
    caughtBy: ['create/explicit-workspace'],
  },
  {
    name: 'create-ignores-the-workspace',
    requirement: 'CREATE-1',
    description: "A create in another workspace goes into the key's.",
    alters: rows('create', ({ place: _, ...row }) => row),
    caughtBy: ['create/foreign-workspace', 'create/foreign-workspace-404'],
  },
  {
    name: 'create-in-a-foreign-workspace-is-403',
    requirement: 'CREATE-1',
    description: "A create in a workspace that is not the key's is 403.",
    alters: errors(({ status, error, request }) =>
      status === 404 && error.message === 'Workspace not found' && request.method === 'POST'
        ? { status: 403 }
        : undefined,
    ),
    caughtBy: ['create/foreign-workspace-404'],
  },
  {
    name: 'create-judges-the-workspace-before-the-body',
    requirement: 'CREATE-1',
    description: 'An invalid create in a foreign workspace is 404 instead of 400.',
    alters: () => {
      let workspaces: string[] = [];
      return together(
        {
          seed(seed) {
            workspaces = seed.members.map((member) => member.workspace_id);
            return seed;
          },
        },
        reads('create', (value) => {
          if (isObject(value) && typeof value.workspace_id === 'string' && value.workspace_id !== workspaces[0])
            throw new Refusal('workspace_not_found');
          return value;
        }),
      );
    },
    caughtBy: ['create/foreign-workspace-404'],
  },
  {
    name: 'create-takes-flags-as-text',
    requirement: 'CREATE-1',
    description: 'provision is taken for true when it is anything but nothing.',
    alters: objects('create', (body) => ('provision' in body ? { ...body, provision: Boolean(body.provision) } : body)),
    caughtBy: ['create/flag-types'],
  },
  {
    name: 'create-takes-vault-ids-of-any-type',
    requirement: 'CREATE-1',
    description: 'A vault_id that is no string is ignored.',
    alters: objects('create', ({ vault_id, ...body }) => (typeof vault_id === 'string' ? { ...body, vault_id } : body)),
    caughtBy: ['create/flag-types'],
  },
  {
    name: 'vault-shared-by-all',
    requirement: 'CREATE-2',
    description: 'All interns have the same vault.',
    alters: {
      interns: (usual) =>
        inside(
          usual,
          'put',
          (put) => (row, record, change) =>
            put(
              row,
              record?.vault_id ? { ...record, vault_id: '00000000-0000-4000-8000-000000000001' } : record,
              change,
            ),
        ),
    },
    caughtBy: ['create/private-vault'],
  },
  {
    name: 'vault-made-at-the-first-boot',
    requirement: 'CREATE-2',
    description: 'An intern has no vault until it was provisioned.',
    alters: bodies(['create', 'get', 'list', 'update'], (body) => {
      const bare = (record: Json) => (record.hostname === null ? { ...record, vault_id: null } : record);
      return Array.isArray(body.data) ? { ...body, data: (body.data as Json[]).map(bare) } : bare(body);
    }),
    caughtBy: ['create/private-vault', 'create/vault-in-listing'],
  },
  {
    name: 'vault-changes-with-a-suspend',
    requirement: 'CREATE-2',
    description: 'A suspend gives the intern another vault.',
    alters: {
      interns: (usual) =>
        inside(
          usual,
          'move',
          (move) => (row, event, record, change) =>
            move(
              row,
              event,
              event === 'suspend' ? { ...record, vault_id: '00000000-0000-4000-8000-000000000002' } : record,
              change,
            ),
        ),
    },
    caughtBy: ['create/private-vault'],
  },
  {
    name: 'vault-attached-instead-of-its-own',
    requirement: 'CREATE-2',
    description: 'An attached vault takes the place of the private one.',
    alters: {
      interns: (usual) =>
        inside(
          usual,
          'put',
          (put) => (row, record, change) =>
            put(
              row,
              record?.vault_id && row.record.attached_vault_id
                ? { ...record, vault_id: row.record.attached_vault_id }
                : record,
              change,
            ),
        ),
    },
    caughtBy: ['create/private-vault-beside-attached', 'create/attached-vault'],
  },
  {
    name: 'vault-attached-is-not-shown',
    requirement: 'CREATE-2',
    description: 'attached_vault_id is always null.',
    alters: bodies(['create', 'get'], (body) => ({ ...body, attached_vault_id: null })),
    caughtBy: ['create/attached-vault'],
  },
  {
    name: 'vault-that-is-none-is-passed-over',
    requirement: 'CREATE-2',
    description: 'A vault that cannot be attached is ignored.',
    alters: {
      create: (usual) => (request) => {
        try {
          return usual(request);
        } catch (error) {
          if (!(error instanceof Refusal) || error.key !== 'vault_unavailable') throw error;
          const { vault_id: _, ...body } = request.body;
          return usual({ ...request, body });
        }
      },
    },
    caughtBy: ['create/vault-that-cannot-be-attached'],
  },
  {
    name: 'vault-that-is-none-is-404',
    requirement: 'CREATE-2',
    description: 'A vault that cannot be attached is 404.',
    alters: errors(({ reason }) => (reason === 'vault_unavailable' ? { status: 404 } : undefined)),
    caughtBy: ['create/vault-that-cannot-be-attached'],
  },
  {
    name: 'name-cut-to-size',
    requirement: 'CREATE-5',
    description: 'A name that is too long is cut.',
    alters: objects(['create', 'update'], (body) =>
      typeof body.name === 'string' ? { ...body, name: body.name.slice(0, 17) } : body,
    ),
    caughtBy: ['create/bad-name'],
  },
  {
    name: 'name-made-to-fit',
    requirement: 'CREATE-5',
    description: 'Upper case and white space of a name are put right.',
    alters: objects(['create', 'update'], (body) =>
      typeof body.name === 'string' ? { ...body, name: body.name.trim().toLowerCase().replaceAll(/[ _]/g, '-') } : body,
    ),
    caughtBy: ['create/bad-name'],
  },
  {
    name: 'name-rules-only-at-create',
    requirement: 'CREATE-5',
    description: 'A rename to a name outside the rules is ignored instead of refused.',
    alters: parses('update', (parse, parts) => {
      try {
        return parse(parts);
      } catch (error) {
        const value = parts.json();
        if (!isObject(value) || !('name' in value)) throw error;
        const { name: _, ...rest } = value;
        return parse({ bytes: parts.bytes, query: parts.query, headers: parts.headers, json: () => rest });
      }
    }),
    caughtBy: ['create/bad-name'],
  },
  {
    name: 'name-of-16-at-most',
    requirement: 'CREATE-5',
    description: 'A name of 17 characters is refused.',
    alters: objects('create', (body) =>
      typeof body.name === 'string' && body.name.length > 16 ? { ...body, name: '' } : body,
    ),
    caughtBy: ['create/name-rules'],
  },
  {
    name: 'name-of-3-at-least',
    requirement: 'CREATE-5',
    description: 'A name of 2 characters is refused.',
    alters: objects('create', (body) =>
      typeof body.name === 'string' && body.name.length < 3 ? { ...body, name: '' } : body,
    ),
    caughtBy: ['create/shortest-name'],
  },
  {
    name: 'name-without-hyphens',
    requirement: 'CREATE-5',
    description: 'Hyphens of a name become underscores.',
    alters: bodies('create', (body) => ({ ...body, name: String(body.name).replaceAll('-', '_') })),
    caughtBy: ['create/name-rules', 'create/reads-back'],
  },
  {
    name: 'name-not-unique',
    requirement: 'CREATE-5',
    description: 'Two interns of one creator may have one name.',
    alters: { interns: (usual) => inside(usual, 'nameTaken', () => () => false) },
    caughtBy: ['create/name-taken', 'create/rename-taken', 'create/derived-key'],
  },
  {
    name: 'name-unique-in-the-workspace',
    requirement: 'CREATE-5',
    description: "A peer's intern keeps its name from everybody.",
    alters: {
      interns: (usual) => {
        const holders = new Map<string, string>();
        inside(usual, 'put', (put) => (row, ...rest) => {
          const next = put(row, ...rest);
          for (const [name, id] of holders) if (id === next.id) holders.delete(name);
          holders.set(next.record.name, next.id);
          return next;
        });
        inside(usual, 'remove', (remove) => (row) => {
          holders.delete(row.record.name);
          remove(row);
        });
        return inside(usual, 'nameTaken', () => (_creator, _workspace, name, except) => {
          const holder = holders.get(name);
          return holder !== undefined && holder !== except;
        });
      },
    },
    caughtBy: ['create/name-taken', 'create/rename-taken', 'create/key-per-caller'],
  },
  {
    name: 'name-never-free-again',
    requirement: 'CREATE-5',
    description: 'The name of a deleted intern stays taken.',
    alters: {
      interns: (usual) => {
        const gone = new Set<string>();
        inside(usual, 'remove', (remove) => (row) => {
          gone.add(`${row.creator} ${row.record.name}`);
          remove(row);
        });
        return inside(
          usual,
          'nameTaken',
          (taken) => (creator, workspace, name, except) =>
            gone.has(`${creator} ${name}`) || taken(creator, workspace, name, except),
        );
      },
    },
    caughtBy: ['create/name-taken', 'create/keys-and-deleted-interns'],
  },
  {
    name: 'name-free-while-the-teardown-goes-on',
    requirement: 'CREATE-5',
    description: 'The name of an intern is free as soon as it is being deleted.',
    alters: {
      interns: (usual) =>
        inside(usual, 'nameTaken', (taken) => (creator, workspace, name, except) => {
          if (!taken(creator, workspace, name, except)) return false;
          const holders = usual
            .list({ id: creator, kind: 'api_key', workspaceId: workspace, programme: true })
            .filter((row) => row.creator === creator && row.record.name === name && row.id !== except);
          return holders.some((row) => row.record.status !== 'destroying');
        }),
    },
    caughtBy: ['create/name-taken'],
  },
  {
    name: 'rename-to-a-taken-name',
    requirement: 'CREATE-5',
    description: 'A rename does not look whether the name is taken.',
    alters: {
      interns: (usual) =>
        inside(
          usual,
          'nameTaken',
          (taken) => (creator, workspace, name, except) => except === undefined && taken(creator, workspace, name),
        ),
    },
    caughtBy: ['create/rename-taken'],
  },
  {
    name: 'rename-to-the-own-name',
    requirement: 'CREATE-5',
    description: 'A rename to the name that an intern has is 409.',
    alters: {
      interns: (usual) =>
        inside(usual, 'nameTaken', (taken) => (creator, workspace, name) => taken(creator, workspace, name)),
    },
    caughtBy: ['create/rename-taken'],
  },
  {
    name: 'name-conflict-is-422',
    requirement: 'CREATE-5',
    description: 'A taken name is 422.',
    alters: errors(({ reason }) => (reason === 'name_conflict' ? { status: 422 } : undefined)),
    caughtBy: ['create/name-taken', 'create/rename-taken', 'create/derived-key'],
  },
  {
    name: 'text-counted-in-code-units',
    requirement: 'CREATE-5',
    description: 'Limits of texts count UTF-16 code units.',
    alters: objects(['create', 'update'], (body) =>
      typeof body[LONG] === 'string' && body[LONG].length > 2_000 ? { ...body, [LONG]: 'x'.repeat(2_001) } : body,
    ),
    caughtBy: ['create/text-limits'],
  },
  {
    name: 'text-cut-at-its-limit',
    requirement: 'CREATE-5',
    description: 'A description that is too long is cut.',
    alters: objects(['create', 'update'], (body) =>
      typeof body[LONG] === 'string' ? { ...body, [LONG]: [...body[LONG]].slice(0, 2_000).join('') } : body,
    ),
    caughtBy: ['create/text-limits'],
  },
  {
    name: 'instructions-of-any-length-in-updates',
    requirement: 'CREATE-5',
    description: 'An update cuts instructions that are too long.',
    alters: objects('update', (body) =>
      typeof body.instructions === 'string'
        ? { ...body, instructions: [...body.instructions].slice(0, 100_000).join('') }
        : body,
    ),
    caughtBy: ['create/text-limits'],
  },
  {
    name: 'fields-turned-into-text',
    requirement: 'BODY-4',
    description: 'Numbers and booleans are taken for text.',
    alters: objects(['create', 'update'], (body) =>
      Object.fromEntries(
        Object.entries(body).map(([key, value]) =>
          ['description', 'instructions'].includes(key) && ['number', 'boolean'].includes(typeof value)
            ? [key, String(value)]
            : [key, value],
        ),
      ),
    ),
    caughtBy: ['create/field-types'],
  },
  {
    name: 'create-drops-unknown-fields',
    requirement: 'CREATE-5',
    description: 'Unknown fields of a create are ignored.',
    alters: objects('create', (body) =>
      Object.fromEntries(
        Object.entries(body).filter(([key]) =>
          ['name', 'workspace_id', 'description', 'instructions', 'provision', 'vault_id'].includes(key),
        ),
      ),
    ),
    caughtBy: ['create/unknown-fields'],
  },
  {
    name: 'create-takes-a-model',
    requirement: 'CREATE-5',
    description: 'A create with a model is accepted.',
    alters: objects('create', ({ model: _, ...body }) => body),
    caughtBy: ['create/unknown-fields'],
  },
  {
    name: 'update-takes-what-is-no-object',
    requirement: 'BODY-4',
    description: 'An update with a body that is no object changes nothing and is 200.',
    alters: reads('update', (value) => (isObject(value) ? value : {})),
    caughtBy: ['create/no-object', 'create/invalid-body-reason'],
  },
  {
    name: 'invalid-body-of-another-reason',
    requirement: 'BODY-4',
    description: 'Invalid bodies of lifecycle operations have the reason bad_request.',
    alters: remeta('invalid_body', 400, { reason: 'bad_request' }),
    caughtBy: ['create/invalid-body-reason', 'create/key-lengths', 'create/bad-name', 'lifecycle/update-unknown-field'],
  },
  {
    name: 'invalid-body-with-another-message',
    requirement: 'BODY-4',
    description: 'The message of an invalid body is that of the parser.',
    alters: errors(({ status, reason, error }) =>
      status === 400 && reason === 'invalid_body' ? { error: { ...error, message: 'Unexpected input' } } : undefined,
    ),
    caughtBy: ['create/invalid-body-reason'],
  },
  {
    name: 'key-not-looked-at',
    requirement: 'CREATE-4',
    description: 'A retry with the same key is a create of its own.',
    alters: () => {
      let count = 0;
      return creates((request) => ({ ...request, key: `none ${count++}` }));
    },
    caughtBy: ['create/retry-makes-no-second', 'create/replay-200', 'create/derived-key', 'model/lifecycle'],
  },
  {
    name: 'key-looked-up-before-it-waits',
    requirement: 'CREATE-4',
    description: 'Equal creates that are sent at once each make an intern: keys and names are noted a moment too late.',
    alters: together(
      memory((entries) => {
        const fresh = new Set<string>();
        return {
          ...forwarded(entries),
          get: (id) => (fresh.has(id) ? undefined : entries.get(id)),
          put(row) {
            fresh.add(row.id);
            setImmediate(() => fresh.delete(row.id));
            entries.put(row);
          },
        };
      }),
      {
        interns: (usual) => {
          const fresh = new Set<string>();
          inside(usual, 'put', (put) => (row, ...rest) => {
            if (!usual.get(row.id)) {
              fresh.add(row.record.name);
              setImmediate(() => fresh.delete(row.record.name));
            }
            return put(row, ...rest);
          });
          return inside(
            usual,
            'nameTaken',
            (taken) => (creator, workspace, name, except) =>
              !fresh.has(name) && taken(creator, workspace, name, except),
          );
        },
      },
    ),
    caughtBy: [
      'create/racing-equal-creates',
      'create/racing-retries-make-one',
      'create/racing-different-creates',
      'create/unfinished-retries-race',
    ],
  },
  {
    name: 'key-replays-with-201',
    requirement: 'CREATE-4',
    description: 'A replay answers 201.',
    alters: statuses('create', 200, 201),
    caughtBy: ['create/replay-200', 'create/derived-key', 'create/equal-as-json'],
  },
  {
    name: 'key-replays-the-intern-of-now',
    requirement: 'CREATE-4',
    description: 'A replay shows the intern as it is now.',
    alters: () => {
      let interns: Interns | undefined;
      return together(
        {
          interns(usual) {
            interns = usual;
            return usual;
          },
        },
        bodies('create', (body) => interns?.get(String(body.id))?.record ?? body),
      );
    },
    caughtBy: ['create/replay-200'],
  },
  {
    name: 'key-replays-whatever-the-body',
    requirement: 'CREATE-4',
    description: 'The same key with another body replays the first answer.',
    alters: () => {
      const firsts = new Map<string, CreateRequest['body']>();
      return creates((request) => {
        if (request.key === undefined) return request;
        const first = firsts.get(keyOf(request)) ?? request.body;
        firsts.set(keyOf(request), first);
        return { ...request, body: first };
      });
    },
    caughtBy: [
      'create/key-reused',
      'create/key-reused-first',
      'create/racing-different-creates',
      'create/unfinished-with-another-body',
    ],
  },
  {
    name: 'key-compares-only-names',
    requirement: 'CREATE-4',
    description: 'Bodies of one key are compared by their names.',
    alters: () => {
      const firsts = new Map<string, CreateRequest['body']>();
      return creates((request) => {
        if (request.key === undefined) return request;
        const first = firsts.get(keyOf(request)) ?? request.body;
        firsts.set(keyOf(request), first);
        return first.name === request.body.name ? { ...request, body: first } : request;
      });
    },
    caughtBy: ['create/key-reused'],
  },
  {
    name: 'key-reused-is-422',
    requirement: 'CREATE-4',
    description: 'A reused key is 422.',
    alters: errors(({ reason }) => (reason === 'idempotency_key_reused' ? { status: 422 } : undefined)),
    caughtBy: ['create/key-reused', 'create/key-reused-first', 'create/unfinished-with-another-body'],
  },
  {
    name: 'key-judged-after-the-name',
    requirement: 'CREATE-4',
    description: 'A taken name is told before a reused key.',
    alters: () => {
      let interns: Interns | undefined;
      const made = new Map<string, string>();
      return {
        interns(usual) {
          interns = usual;
          return usual;
        },
        create: (usual) => (request) => {
          const { caller, body } = request;
          if (made.get(keyOf(request)) !== body.name && interns?.nameTaken(caller.id, caller.workspaceId, body.name))
            throw new Refusal('name_conflict');
          const result = usual(request);
          made.set(keyOf(request), body.name);
          return result;
        },
      };
    },
    caughtBy: ['create/key-reused-first'],
  },
  {
    name: 'key-cut-to-255',
    requirement: 'CREATE-4',
    description: 'A key that is too long is cut.',
    alters: parses('create', (parse, parts) => {
      const headers = new Headers(parts.headers);
      const key = headers.get('idempotency-key');
      if (key !== null) headers.set('idempotency-key', key.slice(0, 255));
      return parse({ bytes: parts.bytes, query: parts.query, headers, json: () => parts.json() });
    }),
    caughtBy: ['create/key-lengths'],
  },
  {
    name: 'key-empty-is-none',
    requirement: 'CREATE-4',
    description: 'An empty key is taken for none.',
    alters: parses('create', (parse, parts) => {
      const headers = new Headers(parts.headers);
      if (headers.get('idempotency-key') === '') headers.delete('idempotency-key');
      return parse({ bytes: parts.bytes, query: parts.query, headers, json: () => parts.json() });
    }),
    caughtBy: ['create/key-lengths'],
  },
  {
    name: 'key-of-128-at-most',
    requirement: 'CREATE-4',
    description: 'A key of more than 128 characters is refused.',
    alters: parses('create', (parse, parts) => {
      if ((parts.headers.get('idempotency-key')?.length ?? 0) > 128) throw new Refusal('invalid_idempotency_key');
      return parse(parts);
    }),
    caughtBy: ['create/key-lengths', 'create/keys-differ-in-case'],
  },
  {
    name: 'key-in-lower-case',
    requirement: 'CREATE-4',
    description: 'Keys that differ in case are one.',
    alters: creates((request) => ({ ...request, key: request.key?.toLowerCase() })),
    caughtBy: ['create/keys-differ-in-case'],
  },
  {
    name: 'key-by-its-first-64',
    requirement: 'CREATE-4',
    description: 'Keys are told apart by their first 64 characters.',
    alters: creates((request) => ({ ...request, key: request.key?.slice(0, 64) })),
    caughtBy: ['create/keys-differ-in-case'],
  },
  {
    name: 'key-not-derived',
    requirement: 'CREATE-4',
    description: 'Without the header an equal create is another create.',
    alters: () => {
      let count = 0;
      return creates((request) => ({ ...request, key: request.key ?? `none ${count++}` }));
    },
    caughtBy: ['create/derived-key', 'create/equal-as-json'],
  },
  {
    name: 'key-of-all-callers',
    requirement: 'CREATE-4',
    description: 'A key that a peer used is used for everybody.',
    alters: memory((entries) => {
      const shared = (id: string) => id.slice(id.indexOf('\n') + 1);
      const own = forwarded(entries);
      return {
        ...own,
        get: (id) => own.get(shared(id)),
        put: (row) => own.put({ ...row, id: shared(row.id) }),
      };
    }),
    caughtBy: ['create/key-per-caller'],
  },
  {
    name: 'key-compares-bodies-as-text',
    requirement: 'CREATE-4',
    description: 'Two bodies are equal only when their keys come in the same order.',
    alters: () => {
      const texts = new Map<string, string>();
      return together(
        parses('create', (parse, parts) => {
          const key = parts.headers.get('idempotency-key');
          const text = JSON.stringify(parts.json());
          if (key !== null && (texts.get(key) ?? text) !== text) throw new Refusal('idempotency_key_reused');
          if (key !== null) texts.set(key, text);
          return parse(parts);
        }),
      );
    },
    caughtBy: ['create/equal-as-json'],
  },
  {
    name: 'key-derived-outlives-its-intern',
    requirement: 'CREATE-4',
    description: 'An equal create after the teardown replays the intern that is gone.',
    alters: memory((entries) => ({ ...forwarded(entries), delete: () => false })),
    caughtBy: ['create/keys-and-deleted-interns'],
  },
  {
    name: 'key-forgotten-with-its-intern',
    requirement: 'CREATE-4',
    description: 'A given key is free again once its intern is gone.',
    alters: () => {
      let entries: Collection<IdempotencyRow> | undefined;
      return together(
        memory((usual) => {
          entries = forwarded(usual);
          return entries;
        }),
        {
          interns: (usual) =>
            inside(usual, 'remove', (remove) => (row) => {
              remove(row);
              for (const entry of [...(entries?.values() ?? [])])
                if (entry.intern_id === row.id) entries?.delete(entry.id);
            }),
        },
      );
    },
    caughtBy: ['create/keys-and-deleted-interns'],
  },
  {
    name: 'key-forgotten-after-a-day',
    requirement: 'CREATE-4',
    description: 'Keys expire after 24 hours.',
    alters: () => {
      let now: () => number = () => 0;
      return together(
        {
          clock(clock) {
            now = () => clock.now();
            return clock;
          },
        },
        memory((entries) => {
          const since = new Map<string, number>();
          return {
            ...forwarded(entries),
            get: (id) => ((since.get(id) ?? now()) + 86_400_000 < now() ? undefined : entries.get(id)),
            put(row) {
              since.set(row.id, now());
              entries.put(row);
            },
          };
        }),
      );
    },
    caughtBy: ['create/keys-and-deleted-interns'],
  },
  {
    name: 'unfinished-starts-over',
    requirement: 'CREATE-4',
    description: 'The retry of a create that broke off meets the half-made intern as a conflict.',
    alters: () => {
      let count = 0;
      const failed = new Map<string, number>();
      return together(
        creates((request) => {
          const tries = failed.get(keyOf(request));
          return tries === undefined ? request : { ...request, key: `again ${tries}` };
        }),
        brokenOff((request) => failed.set(keyOf(request), count++)),
      );
    },
    caughtBy: ['create/unfinished-is-resumed', 'create/unfinished-retries-race', 'create/unfinished-more-than-once'],
  },
  {
    name: 'unfinished-stays-without-a-vault',
    requirement: 'CREATE-4',
    description: 'The retry of a create that broke off before the vault leaves it without one.',
    alters: brokenOff((_request, row, interns) => {
      if (row) interns.put(row, undefined, { unfinished: row.unfinished.filter((step) => step !== 'vault') });
    }),
    caughtBy: ['create/unfinished-is-resumed', 'create/script-vault-fails-once'],
  },
  {
    name: 'unfinished-is-not-provisioned',
    requirement: 'CREATE-4',
    description: 'The retry of a create that broke off at the provisioner does not provision.',
    alters: brokenOff((_request, row, interns) => {
      if (row) interns.put(row, undefined, { unfinished: row.unfinished.filter((step) => step !== 'provisioner') });
    }),
    caughtBy: ['create/unfinished-is-resumed', 'create/unfinished-more-than-once'],
  },
  {
    name: 'unfinished-is-answered-with-200',
    requirement: 'CREATE-4',
    description: 'The retry that completes a create answers 200.',
    alters: () => {
      const failed = new Set<string>();
      return together(
        {
          create: (usual) => (request) => ({
            ...usual(request),
            ...(failed.has(keyOf(request)) ? { created: false } : {}),
          }),
        },
        brokenOff((request) => failed.add(keyOf(request))),
      );
    },
    caughtBy: ['create/unfinished-answers-201', 'create/script-vault-fails-once'],
  },
  {
    name: 'unfinished-is-500',
    requirement: 'CREATE-4',
    description: 'A create that breaks off is 500.',
    alters: errors(({ reason }) => (reason === 'upstream_unavailable' ? { status: 500 } : undefined)),
    caughtBy: ['create/unfinished-answers-201', 'create/unfinished-is-resumed', 'create/script-vault-fails-once'],
  },
  {
    name: 'unfinished-only-resumed-once',
    requirement: 'CREATE-4',
    description: 'A create that breaks off twice is lost.',
    alters: () => {
      const failed = new Map<string, number>();
      return together(
        creates((request) => {
          if ((failed.get(keyOf(request)) ?? 0) > 1) throw new Refusal('intern_busy');
          return request;
        }),
        brokenOff((request) => failed.set(keyOf(request), (failed.get(keyOf(request)) ?? 0) + 1)),
      );
    },
    caughtBy: ['create/unfinished-more-than-once'],
  },
  {
    name: 'unfinished-taken-over-by-another-body',
    requirement: 'CREATE-4',
    description: 'The key of an unfinished create is not compared with its body.',
    alters: memory((entries) => {
      const own = forwarded(entries);
      return {
        ...own,
        get(id) {
          const entry = own.get(id);
          return entry && entry.answer === null && !entry.derived ? undefined : entry;
        },
      };
    }),
    caughtBy: ['create/unfinished-with-another-body', 'create/unfinished-is-resumed'],
  },
  {
    name: 'vault-script-does-not-fail',
    requirement: 'EMU-9',
    description: 'vault-fails-once creates at the first try.',
    alters: {
      scripts: (usual) => ({ ...usual, resolveLifecycle: (row) => ({ ...usual.resolveLifecycle(row), vault: 'ok' }) }),
    },
    caughtBy: ['create/script-vault-fails-once'],
  },
  {
    name: 'record-keeps-no-creation-time',
    requirement: 'GET-1',
    description: 'created_at moves with every change.',
    alters: writes((row) => ({ ...row, record: { ...row.record, created_at: row.record.updated_at } })),
    caughtBy: ['update/only-what-is-named', 'create/reads-back'],
  },
]);
