import { withHeaders } from '../call.js';
import type { Way } from '../world.js';
import { bodyOf, entries, restore, saying, seen } from './service.js';

const RETRY = 'A retry with the same idempotency key and the same body resumes unfinished work.';

export const creates: readonly Way[] = [
  {
    name: 'create-key-of-any-workspace',
    quote: 'The API key selects the caller, the workspace and the visible interns.',
    wrong: (w) => {
      const made = new Map<string, { who: string; name: unknown; id: string }>();
      return async (call, next) => {
        const key = call.request.headers.get('idempotency-key');
        const response = await next();
        if (call.op !== 'create' || key === null || !response.ok) return response;
        const before = made.get(key);
        made.set(key, { who: call.who, name: call.body.name, id: String((await bodyOf(response)).id) });
        if (!before || before.who === call.who || before.name !== call.body.name) return response;
        const record = (await seen(w, before.id)) ?? (await seen(w, before.id, 'foreign_api_key'));
        if (!record || record.workspace_id === (await bodyOf(response)).workspace_id) return response;
        w.hit();
        return saying(response, record, 200);
      };
    },
  },
  {
    name: 'create-key-in-any-case',
    quote: RETRY,
    wrong: (w) =>
      w.asked('create', (call) => {
        const key = call.request.headers.get('idempotency-key');
        const folded = key?.toLowerCase();
        return folded === undefined || folded === key ? undefined : withHeaders(call, { 'idempotency-key': folded });
      }),
  },
  {
    name: 'create-retry-writes-body-again',
    quote: RETRY,
    wrong: (w) =>
      w.later('create', async (response, call) => {
        if (response.status !== 200) return undefined;
        const record = await seen(w, String((await bodyOf(response)).id), call.who);
        const { description = null, instructions = null } = call.body;
        if (!record || (record.description === description && record.instructions === instructions)) return undefined;
        await restore(w, { ...record, description, instructions }, ['description', 'instructions']);
        return saying(response, { ...record, description, instructions });
      }),
  },
  {
    name: 'create-retry-wakes-suspended',
    quote: 'Stops the runtime and keeps its disk and configuration for a later provision call.',
    wrong: (w) => {
      const suspended = new Set<string>();
      return async (call, next) => {
        const response = await next();
        if (call.op === 'suspend' && response.ok) suspended.add(call.id);
        if (call.op === 'provision') suspended.delete(call.id);
        if (call.op !== 'create' || response.status !== 200) return response;
        const { id } = await bodyOf(response);
        if (!suspended.has(String(id))) return response;
        w.hit();
        await w.ask('POST', `/interns/${String(id)}/provision`);
        return response;
      };
    },
  },
  {
    name: 'create-trims-instructions',
    quote: '| instructions | string | Changeable through `update_intern`. |',
    wrong: (w) =>
      w.asked('create', ({ body }) => {
        const { instructions } = body;
        if (typeof instructions !== 'string' || instructions.trim() === instructions) return undefined;
        return { ...body, instructions: instructions.trim() };
      }),
  },
  {
    name: 'create-second-shares-vault',
    quote: 'Creating it also creates its private vault.',
    wrong: (w) => {
      const of = new Map<string, unknown>();
      let last: unknown;
      return async (call, next) => {
        const response = await next();
        if (!response.ok || !['create', 'get', 'list', 'update'].includes(call.op)) return response;
        const body = await bodyOf(response);
        if (call.op === 'create' && response.status === 201) {
          if (last !== undefined) of.set(String(body.id), last);
          last ??= body.vault_id;
        }
        let changed = false;
        for (const record of call.op === 'list' ? entries(body) : [body]) {
          if (!of.has(String(record.id))) continue;
          record.vault_id = of.get(String(record.id));
          changed = true;
        }
        if (!changed) return response;
        w.hit();
        return saying(response, body);
      };
    },
  },
  {
    name: 'create-vault-waits-for-provision',
    quote: 'An intern is created in an explicit workspace. Creating it also creates its private vault.',
    wrong: (w) => {
      const waiting = new Set<string>();
      return async (call, next) => {
        const response = await next();
        if (call.op === 'provision' && response.ok) waiting.delete(call.id);
        if (!response.ok || !['create', 'get', 'update'].includes(call.op)) return response;
        const body = await bodyOf(response);
        if (call.op === 'create' && call.body.provision !== true) waiting.add(String(body.id));
        if (!waiting.has(String(body.id))) return response;
        w.hit();
        return saying(response, { ...body, vault_id: null });
      };
    },
  },
  {
    name: 'create-at-once-answers-without-settings',
    quote: 'Creates an intern in an explicit workspace and its private vault. … Response `Intern`.',
    wrong: (w) =>
      w.ok('create', (body, call) => {
        if (call.body.provision === true) body.description = body.instructions = null;
      }),
  },
];
