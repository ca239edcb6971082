import { expect, test } from 'vitest';
import { checks } from '../scenarios/index.js';
import { type Mutation, together } from './mutant.js';
import { answers, errors, refused, replies, typed } from './operators/answers.js';
import { by, isOf } from './operators/exchange.js';
import { instead } from './operators/requests.js';
import { frames } from './operators/streams.js';
import { tryChecks } from './try.js';

/** Points that every sentence of the interface leaves open: mutants that no stated or published check may hold against a target. */
const ALLOWED: Readonly<Record<string, () => Mutation>> = {
  'an id of the request in the body of an error': () =>
    replies((reply, { times }) =>
      reply.status >= 400 && typeof reply.body === 'string'
        ? { ...reply, body: reply.body.replace(/\}$/, `,"request_id":"rq_${times('rq')}"}`) }
        : reply,
    ),
  'words of its own for 413 and 415 outside signing': () =>
    errors(
      { of: ['create', 'update', 'delete'], status: [413, 415] },
      { message: 'That is not for us.', metadata: undefined },
    ),
  'the kind of a credential before what it sees': () =>
    instead(
      (exchange) =>
        exchange.operation === 'sign' && (isOf(by('api_key'), exchange) || isOf(by('foreign_api_key'), exchange)),
      refused('personal_identity_required'),
    ),
  'Retry-After as a date': () =>
    answers({ status: 409 }, (reply) =>
      'retry-after' in reply.headers
        ? { ...reply, headers: { ...reply.headers, 'retry-after': 'Sat, 21 Nov 2026 17:51:47 GMT' } }
        : reply,
    ),
  'one media type in several spellings': () =>
    replies((reply, { times }) =>
      reply.headers['content-type']?.startsWith('application/json') && times('JSON') % 2 === 1
        ? typed(reply, 'Application/JSON; Charset="UTF-8"')
        : reply,
    ),
  'comments wherever a reader passes over them': () =>
    frames(() => (frame) => (frame.startsWith('data: ') ? frame.replace(/\n\n$/, '\n: aside\n\n') : frame)),
};

/** The walk holds every rule at once, published ones too. */
const WALK = 'walk/interface';
/** They are published, and what the second of the mutants leaves open for create, update and delete. */
const WORDS = ['BODY-2/refusal-form', 'BASE-3/has-metadata'];
const OWN_WORDS = 'words of its own for 413 and 415 outside signing';
const claims = checks.filter(({ level, id }) => level !== 'C' && !WORDS.includes(id));

test.each([
  ['checks and rules', claims.filter(({ id }) => id !== WALK), Object.values(ALLOWED), 200],
  [
    'the walk',
    claims.filter(({ id }) => id === WALK),
    Object.entries(ALLOWED).flatMap(([name, allowed]) => (name === OWN_WORDS ? [] : [allowed])),
    0,
  ],
] as const)('none of what is allowed is a finding of %s, all of it at once', async (_, held, allowed, least) => {
  const all = () => together(...allowed.map((one) => one()));
  const tried = await tryChecks(held, all, { runs: 2, seed: 'allowed' });
  const found = tried.checks.filter(({ verdict }) => verdict !== 'pass' && verdict !== 'skip');
  expect(found.map(({ id, finding, error }) => [id, finding?.of ?? error?.message, finding?.got])).toEqual([]);
  expect(tried.checks.length).toBeGreaterThan(least);
});
