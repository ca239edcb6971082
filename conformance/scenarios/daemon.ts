import { equal, fail, gist, isObject, match, notEqual, ok } from '../model/assert.js';
import type { Answer } from '../probe/client.js';
import { type As, internPath } from '../probe/request.js';
import { checksOf } from '../run/check.js';
import type { Ctx } from '../run/context.js';
import * as expect from '../run/expect.js';
import { onRunning } from './steps/interns.js';
import { indistinguishable } from './steps/same.js';

const alias = ({ send }: Ctx, id: string, as: As = 'oauth_token') =>
  send({ path: internPath(id, '/daemon-access'), as });

const isOrigin = (value: unknown): boolean =>
  typeof value === 'string' && URL.canParse(value) && [value, `${value}/`].includes(`${new URL(value).origin}/`);

/** The origin and the token of an answer. That it has both is stated, their names are published. */
export function access(answer: Answer, what: string): { origin: string; token: string } {
  expect.status(answer, 200, what);
  isObject(answer.json, `body of ${what}`);
  const { origin, token } = answer.json;
  const texts = Object.values(answer.json).filter((value) => typeof value === 'string' && value !== '');
  const named = texts.length > 1 && texts.some(isOrigin) && !texts.every(isOrigin);
  const breaks = { breaks: { requirement: 'DAEMON-1', level: named ? 'P' : 'S' } } as const;
  ok(typeof origin === 'string' && origin !== '', `origin of ${what}`, 'an origin', origin, breaks);
  ok(typeof token === 'string' && token !== '', `token of ${what}`, 'a token', typeof token, breaks);
  return { origin, token };
}

export const DAEMON = checksOf('DAEMON-1', {
  'daemon/access': {
    title: 'Origin and token of a running intern, not to be stored.',
    ...onRunning(['oauth_token'], async ({ api }, intern) => {
      const answer = await api.daemon(intern.id, { as: 'oauth_token' });
      const { token } = access(answer, 'the daemon access');
      expect.noStore(answer, 'the daemon access');
      const read = await api.get(intern.id);
      ok(
        !read.text.includes(token),
        'the record of a running intern',
        'nothing of its daemon token',
        gist('the token'),
      );
    }),
  },
  'daemon/unreachable': {
    level: 'P',
    title: 'A daemon that cannot be reached is 409 intern_unreachable, without a token.',
    needs: ['control', 'running', 'oauth_token'],
    async run(ctx) {
      const intern = await ctx.interns.running({ instructions: 'script: daemon-unreachable' });
      for (const answer of [await ctx.api.daemon(intern.id, { as: 'oauth_token' }), await alias(ctx, intern.id)]) {
        expect.error(answer, { status: 409, reason: 'intern_unreachable' }, 'the access of an unreachable daemon');
        ok(!answer.text.includes('"token"'), 'the refusal', 'no token');
      }
    },
  },
  'daemon/token-per-boot': {
    level: 'C',
    title: 'Each running intern has a daemon token of its own, the same for every caller. The next boot gives another.',
    needs: ['control', 'running', 'oauth_token', 'peer_oauth_token', 'oauth_interns_only_token'],
    async run(ctx) {
      const { api, interns } = ctx;
      const intern = await interns.running();
      const other = await interns.running();
      const token = async (id: string, as: As) => access(await api.daemon(id, { as }), 'the access').token;
      const { origin, token: first } = access(await api.daemon(intern.id, { as: 'oauth_token' }), 'the access');
      for (const as of ['oauth_token', 'peer_oauth_token', 'oauth_interns_only_token'] as const) {
        const again = access(await api.daemon(intern.id, { as }), 'the access');
        equal([again.origin, again.token === first], [origin, true], `origin for ${as}, and whether it gets the token`);
      }
      equal(access(await alias(ctx, intern.id), 'the alias').token === first, true, 'whether the alias gives it too');
      notEqual(await token(other.id, 'oauth_token'), first, 'the token of another intern');
      expect.status(await api.suspend(intern.id), 200, 'the suspend');
      expect.status(await api.provision(intern.id), 202, 'the provision');
      await interns.until(intern.id, ['running']);
      notEqual(await token(intern.id, 'oauth_token'), first, 'the token of the next boot');
    },
  },
  'daemon/reveals-logged': {
    requirement: 'DAEMON-2',
    title: 'Each reveal is logged by the OAuth subject and the intern, newest first; a refused one is not.',
    needs: [
      'control',
      'running',
      'oauth_token',
      'oauth_interns_only_token',
      'peer_oauth_token',
      'oauth_subject',
      'peer_oauth_subject',
    ],
    async run(ctx) {
      const { api, interns, control, target } = ctx;
      const intern = await interns.running();
      const stopped = await interns.stopped();
      access(await api.daemon(intern.id, { as: 'oauth_token' }), 'a reveal');
      access(await api.daemon(intern.id, { as: 'peer_oauth_token' }), "a peer's reveal");
      access(await alias(ctx, intern.id, 'oauth_interns_only_token'), 'a reveal by the alias');
      expect.status(await api.daemon(intern.id), 403, 'a refused reveal');
      expect.refused(await api.daemon(stopped.id, { as: 'oauth_token' }), 'a reveal of a stopped intern');
      const ids = [intern.id, stopped.id];
      const mine = (await control.reveals()).filter(({ intern_id }) => ids.includes(intern_id));
      equal(
        mine.map(({ intern_id, caller }) => [intern_id, caller]),
        [target.oauthSubject, target.peerOauthSubject, target.oauthSubject].map((caller) => [intern.id, caller]),
        'the reveals, newest first',
      );
    },
  },
  'daemon/log-holds-no-token': {
    requirement: 'DAEMON-2',
    title: 'The log of reveals never holds the token.',
    ...onRunning(['control', 'running', 'oauth_token'], async ({ api, control }, intern) => {
      const { token } = access(await api.daemon(intern.id, { as: 'oauth_token' }), 'a reveal');
      const text = await (await control.call('GET', '/reveals')).text();
      ok(text.includes(intern.id), 'the log of reveals', 'the reveal');
      ok(!text.includes(token), 'the log of reveals', 'no token');
      for (const part of [token.slice(0, 12), token.slice(-12)]) {
        ok(part.length < 12 || !text.includes(part), 'the log of reveals', 'no part of a token');
      }
    }),
  },
  'daemon/alias': {
    requirement: 'DAEMON-3',
    title: 'The deprecated alias answers as the operation does: status, headers and body, of refusals too.',
    needs: ['running', 'oauth_token'],
    async run(ctx) {
      const { api, interns, wrongKey } = ctx;
      const intern = await interns.running();
      const stopped = await interns.stopped();
      const ignored = ['deprecation', 'link', 'sunset', 'warning', 'x-request-id'];
      const [old, fresh] = [await alias(ctx, intern.id), await api.daemon(intern.id, { as: 'oauth_token' })];
      // The alias is stated, but its path only published.
      if (old.status === 404 && fresh.status < 300)
        fail('GET …/daemon-access', 'the daemon access', expect.seen(old), {
          breaks: { requirement: 'DAEMON-3', level: 'P' },
        });
      const cases: readonly (readonly [string, string, As])[] = [
        ['of a running intern', intern.id, 'oauth_token'],
        ['of a stopped intern', stopped.id, 'oauth_token'],
        ['of an unknown intern', interns.unknownId(), 'oauth_token'],
        ['with an API key', intern.id, 'api_key'],
        ['with a wrong key', intern.id, wrongKey],
        ['without a key', intern.id, null],
      ];
      for (const [what, id, as] of ctx.sample(cases)) {
        const [one, other] = [() => api.daemon(id, { as }), () => alias(ctx, id, as)];
        await indistinguishable(one, other, `the alias ${what}`, { ignored });
      }
    },
  },
  'daemon/alias-tells-its-successor': {
    requirement: 'DAEMON-3',
    level: 'C',
    title: 'The alias is marked deprecated and links its successor; the operation itself is not.',
    ...onRunning(['control', 'running', 'oauth_token'], async (ctx, intern) => {
      const old = await alias(ctx, intern.id);
      ok(old.headers.has('deprecation'), 'the alias', 'a Deprecation header');
      match(old.headers.get('link'), /rel="?successor-version"?/, 'Link of the alias');
      match(old.headers.get('link'), new RegExp(internPath(intern.id, '/daemon>')), 'Link of the alias');
      const fresh = await ctx.api.daemon(intern.id, { as: 'oauth_token' });
      ok(!fresh.headers.has('deprecation'), 'the operation', 'no Deprecation header');
    }),
  },
});
