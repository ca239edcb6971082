import { withBody, withHeaders } from '../call.js';
import { also, contentType, isSuspended, shown } from '../newer/tools.js';
import type { Way } from '../world.js';
import { asking, named, ofCaller, questionsOf } from './tools.js';

const NO_FIELD = 'It takes no request body; a body carrying any field is refused with 400.';
const TEARDOWN = 'Starts safe teardown of the intern, its runtime and its private vault.';

export const ending: readonly Way[] = [
  named('a delete takes a body of no declared media type', 'The 1048576-byte cap, 413 and 415 rules apply.', (w) =>
    asking(w, 'delete', (call) =>
      call.text !== '' && !contentType(call).startsWith('application/json')
        ? withHeaders(call, { 'content-type': 'application/json' })
        : undefined,
    ),
  ),
  named('the secrets of an intern are shown after its teardown', TEARDOWN, (w) => {
    const known = new Map<string, string>();
    return async (call, next) => {
      const r = await next();
      if (call.op !== 'vault-list') return r;
      if (r.ok) known.set(ofCaller(call), await r.clone().text());
      const before = known.get(ofCaller(call));
      if (r.status !== 404 || before === undefined) return r;
      w.hit();
      return new Response(before, { headers: { 'content-type': 'application/json' } });
    };
  }),
  named('a delete of a suspended intern is answered and not done', TEARDOWN, (w) =>
    w.instead('delete', async (call) => {
      const before = await shown(w, call);
      const valid = call.text === '' || contentType(call).startsWith('application/json');
      return valid && before && isSuspended(before) ? Response.json({ deleting: true }, { status: 202 }) : undefined;
    }),
  ),
  named(
    'the third plain delete of an intern that fails to be destroyed accepts the loss',
    'true to accept that the workspace is not backed up',
    (w) => {
      const times = new Map<string, number>();
      return asking(w, 'delete', async (call) => {
        if (call.text !== '' || (await shown(w, call))?.status !== 'destroy_failed') return undefined;
        const time = (times.get(call.id) ?? 1) + 1;
        times.set(call.id, time);
        if (time < 3) return undefined;
        const typed = withHeaders(call, { 'content-type': 'application/json' });
        return withBody({ ...call, request: typed }, { acknowledge_workspace_loss: true });
      });
    },
  ),
  named('a field that is null counts for none', NO_FIELD, (w) =>
    asking(w, 'provision suspend', ({ body }) => {
      const values = Object.values(body);
      return values.length > 0 && values.every((value) => value === null) ? {} : undefined;
    }),
  ),
  named('a chat wakes a suspended intern', 'keeps its disk and configuration for a later provision call', (w) =>
    w.later('chat', async (r, call) => {
      if (r.status !== 409) return undefined;
      const record = await shown(w, call);
      if (record && isSuspended(record) && (await also(w, call, 'POST', '/provision')).ok) w.hit();
      return undefined;
    }),
  ),
  named('a suspend is answered and not done while a question is open', 'Intern runtime is up', (w) => {
    const questions = questionsOf(w);
    return async (call, next) => {
      const open = [...questions.open.values()].some(({ intern }) => intern === call.id.toLowerCase());
      if (call.op === 'suspend' && call.text === '' && open && (await shown(w, call))?.status === 'running') {
        w.hit();
        return Response.json({ suspended: true });
      }
      return questions.listen(call, await next());
    };
  }),
  named(
    'the first attempt to resume an intern is answered and not done',
    'Starts the first boot, or resumes the intern.',
    (w) => {
      const tried = new Set<string>();
      return w.instead('provision', async (call) => {
        const record = await shown(w, call);
        if (call.text !== '' || tried.has(call.id) || !record || !isSuspended(record)) return undefined;
        tried.add(call.id);
        return Response.json({ provisioning: true }, { status: 202 });
      });
    },
  ),
];
