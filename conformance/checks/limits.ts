import fc from 'fast-check';
import { equal, match, ok } from '../framework/assert.js';
import { defineChecks } from '../framework/check.js';
import * as expect from '../framework/expect.js';
import { DIGEST } from '../helpers/operations.js';
import { internPath } from '../probe/request.js';

const SIGN = { bodySha256: DIGEST };
const OAUTH = { as: 'oauth_token', limited: true } as const;
const LIMITED = { status: 429, message: /^Too many intern turns/, reason: 'rate_limited', retryable: true } as const;

export const LIMITS = defineChecks([
  {
    id: 'limits/lifecycle-is-free',
    requirement: 'CHAT-17',
    level: 'C',
    title: 'The operations of the lifecycle and the daemon read do not count as turns, and are not held back by them.',
    needs: ['control', 'running', 'oauth_token'],
    async run({ api, interns, control }) {
      const running = await interns.running();
      await control.limit(1);
      const free = async () => {
        expect.status(await api.list({ limit: 1 }), 200, 'a list');
        expect.status(await api.get(running.id), 200, 'a read');
        expect.status(await api.update(running.id, { description: 'free' }), 200, 'an update');
        const made = expect.intern(await api.create(interns.body()), 201, 'a create');
        expect.status(await api.provision(made.id), 202, 'a provision');
        expect.status(await api.remove(made.id), 202, 'a delete');
        expect.status(await api.daemon(running.id, { as: 'oauth_token' }), 200, 'the daemon read');
      };
      await free();
      await free();
      expect.status(await api.sign(running.id, SIGN, OAUTH), 200, 'the one turn');
      expect.error(await api.sign(running.id, SIGN, OAUTH), LIMITED, 'the turn after it');
      await free();
      expect.status(await api.suspend(running.id), 200, 'a suspend');
    },
  },
  {
    id: 'sign/counts-as-a-turn',
    requirement: 'SIGN-8',
    level: 'S',
    title: 'Signing counts against the limiter: over it it is 429 `Too many intern turns`, rate_limited, retryable.',
    needs: ['control', 'write', 'oauth_token'],
    maxRuns: 10,
    async run({ api, interns, control, property }) {
      const intern = await interns.stopped();
      await property('limits', fc.integer({ min: 1, max: 6 }), async (turns) => {
        await control.limit(turns);
        for (let count = 1; count <= turns; count++) {
          expect.status(await api.sign(intern.id, SIGN, OAUTH), 200, `signature ${count} of ${turns}`);
        }
        expect.error(await api.sign(intern.id, SIGN, OAUTH), LIMITED, `signature ${turns + 1} with ${turns} a minute`);
      });
    },
  },
  {
    id: 'sign/counts-with-chat',
    requirement: 'SIGN-8',
    level: 'S',
    title: 'Signing and chat count against the same limiter, either way round, the alias too.',
    needs: ['control', 'running', 'oauth_token'],
    async run({ api, interns, control, chat, send }) {
      const intern = await interns.running();
      await control.limit(2);
      expect.finish(await (await chat(intern.id, 'Hello.', { as: 'oauth_token' })).end(), 'stop', 'a chat');
      expect.status(await api.sign(intern.id, SIGN, OAUTH), 200, 'a signature');
      const refused = await chat(intern.id, 'Hello.', OAUTH);
      expect.error(await refused.whole(), LIMITED, 'a chat after two turns');
      const alias = { method: 'POST', path: internPath(intern.id, '/daemon-access/sign'), json: SIGN } as const;
      expect.error(await send({ ...alias, ...OAUTH }), LIMITED, 'the alias after two turns');
    },
  },
  {
    id: 'limits/sliding-minute',
    requirement: 'CHAT-17',
    level: 'C',
    title: 'A turn counts for 60 s, to the millisecond; a refused one does not count.',
    needs: ['control', 'clock', 'write', 'oauth_token'],
    async run({ api, interns, control, clock }) {
      const intern = await interns.stopped();
      await control.limit(2);
      const sign = () => api.sign(intern.id, SIGN, OAUTH);
      expect.status(await sign(), 200, 'the first turn');
      await clock.advance(20_000);
      expect.status(await sign(), 200, 'the second turn');
      for (let count = 0; count < 3; count++) expect.error(await sign(), LIMITED, 'a turn over the limit');
      await clock.advance(39_999);
      expect.error(await sign(), LIMITED, 'a turn 59.999 s after the first');
      await clock.advance(1);
      expect.status(await sign(), 200, 'a turn 60 s after the first');
      expect.error(await sign(), LIMITED, 'the turn after it');
      await clock.advance(20_000);
      expect.status(await sign(), 200, 'a turn 60 s after the second');
    },
  },
  {
    id: 'limits/refused-requests-are-free',
    requirement: 'CHAT-17',
    level: 'C',
    title: 'Requests that are refused for what they are do not count as turns.',
    needs: ['control', 'running', 'oauth_token', 'oauth_interns_only_token'],
    async run({ api, interns, control, chat }) {
      const intern = await interns.running();
      const stopped = await interns.stopped();
      await control.limit(1);
      for (let count = 0; count < 2; count++) {
        expect.status(await api.sign(intern.id, { bodySha256: 'x' }, OAUTH), 400, 'an invalid signature');
        expect.status(await api.sign(intern.id, SIGN), 403, 'a signature with an API key');
        expect.status(
          await api.sign(intern.id, SIGN, { as: 'oauth_interns_only_token' }),
          403,
          'an interns-only grant',
        );
        expect.status(await api.sign(interns.unknownId(), SIGN, OAUTH), 404, 'an unknown intern');
        expect.status(await api.invoke(stopped.id, { input: 'Hi.' }), 409, 'an invoke of a stopped intern');
        expect.status(await (await chat(intern.id, '')).whole(), 400, 'an empty prompt');
      }
      expect.status(await api.sign(intern.id, SIGN, OAUTH), 200, 'the one turn');
    },
  },
  {
    id: 'sign/retry-after',
    requirement: 'CHAT-17',
    level: 'P',
    title: 'The 429 carries Retry-After in whole seconds, and the turn is accepted once they have passed.',
    needs: ['control', 'clock', 'write', 'oauth_token'],
    maxRuns: 10,
    async run({ api, interns, control, clock, property }) {
      const intern = await interns.stopped();
      await property('times', fc.integer({ min: 0, max: 59_999 }), async (ms) => {
        await control.limit(1);
        expect.status(await api.sign(intern.id, SIGN, OAUTH), 200, 'the one turn');
        await clock.advance(ms);
        const refused = await api.sign(intern.id, SIGN, OAUTH);
        expect.error(refused, LIMITED, 'the turn after it');
        const seconds = refused.headers.get('retry-after');
        match(seconds, /^[1-9]\d*$/, 'Retry-After');
        ok(Number(seconds) <= 60, 'Retry-After', 'at most a minute', seconds);
        await clock.advance(Number(seconds) * 1000);
        expect.status(await api.sign(intern.id, SIGN, OAUTH), 200, `a turn ${seconds} s later`);
      });
    },
  },
  {
    id: 'limits/control',
    requirement: 'EMU-5',
    level: 'C',
    title: 'The limit is read and put, changing it clears what was counted, and 0 is off.',
    needs: ['control', 'write', 'oauth_token'],
    async run({ api, interns, control }) {
      const intern = await interns.stopped();
      const read = async () => (await (await control.call('GET', '/limits')).json()) as { turns_per_minute?: unknown };
      await control.limit(2);
      equal((await read()).turns_per_minute, 2, 'turns_per_minute as it was put');
      for (let round = 0; round < 2; round++) {
        for (let count = 0; count < 2; count++) expect.status(await api.sign(intern.id, SIGN, OAUTH), 200, 'a turn');
        expect.error(await api.sign(intern.id, SIGN, OAUTH), LIMITED, 'the turn after them');
        await control.limit(2);
      }
      await control.limit(0);
      for (let count = 0; count < 70; count++) expect.status(await api.sign(intern.id, SIGN, OAUTH), 200, 'a turn');
    },
  },
]);
