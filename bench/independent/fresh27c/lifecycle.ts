import { failed } from '../answers.js';
import { isJson, type Json, parsed, withHeaders } from '../call.js';
import type { Way } from '../world.js';
import { MEMBERS, seen } from './tools.js';

const busy = () => failed(409, 'The intern is in a state that does not allow this', 'intern_busy');

export const lifecycle: readonly Way[] = [
  // plain
  {
    name: 'suspend-only-says-so',
    quote: 'Stops the runtime and keeps its disk and configuration for a later provision call.',
    wrong: (w) =>
      w.instead('suspend', async ({ id, who, text, regional }) =>
        !regional && MEMBERS.includes(who) && text === '' && (await seen(w, id)).status === 'running'
          ? Response.json({ suspended: true })
          : undefined,
      ),
  },
  // state
  {
    name: 'resume-refused',
    quote: 'Starts the first boot, or resumes the intern.',
    wrong: (w) =>
      w.instead('provision', async ({ id, who, text }) => {
        if (!MEMBERS.includes(who) || text !== '') return undefined;
        const intern = await seen(w, id);
        return intern.status === 'stopped' && intern.hostname !== null ? busy() : undefined;
      }),
  },
  // subtle
  {
    name: 'second-resume-refused',
    quote: 'Starts the first boot, or resumes the intern.',
    wrong: (w) => {
      const suspensions = new Map<string, number>();
      return async (call, next) => {
        const times = suspensions.get(call.id) ?? 0;
        if (call.op === 'provision' && times > 1 && MEMBERS.includes(call.who) && call.text === '') {
          w.hit();
          return busy();
        }
        const response = await next();
        if (call.op === 'suspend' && response.ok) suspensions.set(call.id, times + 1);
        return response;
      };
    },
  },
  // subtle
  {
    name: 'resume-to-the-first-suspension',
    quote: 'Stops the runtime, keeping disk and configuration.',
    wrong: (w) => {
      const first = new Map<string, Json>();
      return async (call, next) => {
        const response = await next();
        if (!response.ok) return response;
        if (call.op === 'suspend' && !first.has(call.id)) {
          const { description, instructions, model } = await seen(w, call.id);
          first.set(call.id, { description, instructions, model });
        }
        const kept = first.get(call.id);
        if (call.op === 'provision' && kept !== undefined) {
          const intern = await seen(w, call.id);
          if (Object.keys(kept).some((name) => kept[name] !== intern[name])) {
            const { ok } = await w.ask('PATCH', `/interns/${call.id}`, { body: kept });
            if (ok) w.hit();
          }
        }
        return response;
      };
    },
  },
  // subtle
  {
    name: 'suspend-reads-no-untyped-body',
    quote: 'It takes no request body; a body carrying any field is refused with 400.',
    wrong: (w) =>
      w.asked('suspend', (call) => {
        const type = call.request.headers.get('content-type') ?? '';
        const body = parsed(call.text);
        if (/^application\/json/i.test(type) || !isJson(body) || Object.keys(body).length === 0) return undefined;
        const { method } = call.request;
        const headers = new Headers(withHeaders(call, { 'content-type': null, 'content-length': null }).headers);
        return new Request(call.url, { method, headers });
      }),
  },
  // plain
  {
    name: 'provision-field-422',
    quote: 'It takes no request body; a body carrying any field is refused with 400.',
    wrong: (w) =>
      w.later('provision', (response) =>
        response.status === 400 ? failed(422, 'Invalid request body', 'invalid_body') : undefined,
      ),
  },
  // state
  {
    name: 'talk-wakes-the-suspended',
    quote: 'keeps its disk and configuration for a later provision call',
    wrong: (w) => async (call, next) => {
      const response = await next();
      if (call.op !== 'chat' || response.status !== 409 || (await seen(w, call.id)).status !== 'stopped')
        return response;
      const { ok } = await w.ask('POST', `/interns/${call.id}/provision`);
      if (ok) w.hit();
      return response;
    },
  },
  {
    name: 'suspend-again-200',
    quote: 'Error catalogue for the intern operations other than signing: not shown.',
    lawful: true,
    wrong: (w) =>
      w.later('suspend', async (response, { id }) =>
        response.status === 409 && (await seen(w, id)).status === 'stopped'
          ? Response.json({ suspended: true })
          : undefined,
      ),
  },
];
