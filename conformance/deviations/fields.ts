import { bodies, errors, inside, parses, reads, remeta } from './change.js';
import { isObject, objects } from './change-lifecycle.js';
import { defineDeviations } from './deviation.js';

const LONG = 'description';

export const FIELDS = defineDeviations([
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
]);
