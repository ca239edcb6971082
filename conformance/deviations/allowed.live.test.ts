import { expect, test } from 'vitest';
import { checks } from '../checks/index.js';
import { tokenOf } from './combinators/exchange.js';
import { errorReply, errors, responseOf, rewriteReply } from './combinators/replies.js';
import { type Mutant, together } from './mutant.js';
import { tryChecks } from './try.js';

/** Points that every sentence of the interface leaves open: mutants that no stated or published check may hold against a target. */
const ALLOWED: Readonly<Record<string, () => Mutant>> = {
  'an id of the request in the body of an error': () => {
    let last = 0;
    return rewriteReply((reply) =>
      reply.status >= 400 && typeof reply.body === 'string'
        ? { ...reply, body: reply.body.replace(/\}$/, `,"request_id":"rq_${++last}"}`) }
        : reply,
    );
  },
  'words of its own for 413 and 415 outside signing': () =>
    errors(
      { of: ['create', 'update', 'delete'], status: [413, 415] },
      { message: 'That is not for us.', metadata: undefined },
    ),
  'the kind of a credential before what it sees': () => ({
    around: (next, { target }) => {
      const keys = [target.credentials.api_key, target.credentials.foreign_api_key];
      return async (request) => {
        const path = new URL(request.url).pathname;
        return /\/interns\/[^/]+\/daemon(-access)?\/sign$/.test(path) && keys.includes(tokenOf(request))
          ? responseOf(errorReply(403, 'Personal connections require the OIDC login', 'personal_identity_required'))
          : next(request);
      };
    },
  }),
  'Retry-After as a date': () =>
    rewriteReply((reply) =>
      reply.status === 409 && 'retry-after' in reply.headers
        ? { ...reply, headers: { ...reply.headers, 'retry-after': 'Sat, 21 Nov 2026 17:51:47 GMT' } }
        : reply,
    ),
  'one media type in several spellings': () => {
    let answers = 0;
    return rewriteReply((reply) =>
      reply.headers['content-type']?.startsWith('application/json') && ++answers % 2 === 0
        ? { ...reply, headers: { ...reply.headers, 'content-type': 'Application/JSON; Charset="UTF-8"' } }
        : reply,
    );
  },
  'comments wherever a reader passes over them': () => ({
    around: (next) => async (request) => {
      const response = await next(request);
      if (!response.headers.get('content-type')?.startsWith('text/event-stream')) return response;
      const aside = new TransformStream<string, string>({
        transform: (text, controller) => controller.enqueue(text.replace(/(?<=data: .*)\n\n/g, '\n: aside\n\n')),
      });
      const body = response.body
        ?.pipeThrough(new TextDecoderStream())
        .pipeThrough(aside)
        .pipeThrough(new TextEncoderStream());
      return new Response(body ?? null, response);
    },
  }),
};

/** They are published, and what the first of the mutants leaves open for create, update and delete. */
const WORDS = ['BODY-2/refusal-form', 'BASE-3/has-metadata'];
const claims = checks.filter(({ level, id }) => level !== 'C' && !WORDS.includes(id));

test('none of what is allowed is a finding, all of it at once', async () => {
  const all = () => together(...Object.values(ALLOWED).map((allowed) => allowed()));
  const tried = await tryChecks(claims, all, { runs: 2, seed: 'allowed' });
  const held = tried.checks.filter(({ verdict }) => verdict !== 'pass' && verdict !== 'skip');
  expect(held.map(({ id, finding, error }) => [id, finding?.of ?? error?.message, finding?.got])).toEqual([]);
  expect(tried.checks.length).toBeGreaterThan(200);
});
