import { fail, form, match } from '../../framework/assert.js';
import { checksOf } from '../../framework/check.js';
import type { Ctx } from '../../framework/context.js';
import type { Met, Watch } from '../../framework/watch.js';
import { isFromService, isRow, nameOf } from '../../helpers/met.js';

/** application/json by name, in any case and with parameters. */
const JSON_TYPE = /^application\/json *(;|$)/i;

/** Of those it is stated that they look at the media type. */
const LOOK: ReadonlySet<string> = new Set(['create', 'update', 'delete', 'sign', 'sign alias']);

/** "A non-empty body must declare `Content-Type: application/json`, or it is refused with 415." What declares it is not. */
function mediaTypes(): Watch {
  /** Operations that have taken a body as JSON. */
  const took = new Set<string>();
  return {
    sees(met: Met): boolean {
      const { answer, operation, send } = met;
      if (send.json === undefined || !LOOK.has(nameOf(met) ?? '')) return false;
      if (answer.status < 300) took.add(operation);
      if (answer.status !== 415) return answer.status < 300;
      const type = met.type() ?? '';
      if (!took.has(operation) || !JSON_TYPE.test(type)) return false;
      return fail(`the content type of ${operation}`, 'taken in any spelling', type);
    },
  };
}

const ANSWERED = form(/^application\/(?:[a-z0-9.+-]+\+)?json\s*(?:;|$)/i, 'application/json');

/** "Bodies are JSON with a JSON content type." */
function declared(met: Met): boolean {
  const { answer, operation } = met;
  if (nameOf(met) === undefined || !isRow(answer.json) || !isFromService(answer)) return false;
  match(answer.headers.get('content-type'), ANSWERED, `content-type of a ${answer.status} of ${operation}`);
  return true;
}

/** Writes in the spellings that are used beside the usual one. */
async function meet({ api, interns, send }: Ctx): Promise<void> {
  for (const type of ['application/json; charset=utf-8', 'Application/JSON']) {
    const headers = { 'content-type': type };
    const { id } = await interns.stopped();
    await api.update(id, { description: 'as usual' });
    await send({ method: 'PATCH', path: `/interns/${id}`, json: { description: type }, headers });
    await send({ method: 'POST', path: '/interns', json: interns.body(), headers });
  }
}

/** Every operation that an API key may ask, of an intern that runs and of one that nobody has. */
async function meetAll({ api, interns, send }: Ctx): Promise<void> {
  const { id } = await interns.running();
  for (const one of [id, interns.unknownId()]) {
    await api.get(one);
    await api.update(one, { description: 'as usual' });
    await api.suspend(one);
    await api.provision(one);
    await api.remove(one);
  }
  await send({ path: '/interns' });
}

/** BODY-3: the writes of a run, some of which spell their media type otherwise. BASE-2: what answers them. */
export const MEDIA_TYPES_AS_MET = checksOf('BODY-3', {
  'as-met/media-type': {
    title: 'No body that the run met sent as application/json, in any spelling of that, was refused for its type.',
    needs: [],
    watch: mediaTypes,
    run: meet,
  },
  'as-met/content-type': {
    requirement: 'BASE-2',
    title: 'Every JSON that the run met, in answers and in errors, is declared as JSON.',
    needs: [],
    watch: () => ({ sees: declared }),
    run: meetAll,
  },
});
