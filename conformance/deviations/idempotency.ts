import { Refusal } from '../../emulator/contract/errors.js';
import type { IdempotencyRow } from '../../emulator/contract/state.js';
import type { CreateRequest } from '../../emulator/domain/create.js';
import type { Interns } from '../../emulator/domain/interns.js';
import type { Collection } from '../../emulator/store/store.js';
import { bodies, errors, inside, parses, statuses } from './change.js';
import { creates, forwarded, keyOf, memory } from './change-create.js';
import { defineDeviations, together } from './deviation.js';

export const IDEMPOTENCY = defineDeviations([
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
]);
