import fc from 'fast-check';
import { noObject } from '../arbitraries/no-object.js';
import { equal } from '../framework/assert.js';
import { checksOf } from '../framework/check.js';
import * as expect from '../framework/expect.js';
import { onStopped } from '../helpers/interns.js';

const INVALID = { status: 400, reason: 'invalid_body', retryable: false } as const;

/** Text of `length` code points; those outside the basic plane take two code units each. */
const long = (length: number, unit: string) => unit.repeat(length);

const LIMITS = [
  ['description', 2_000],
  ['instructions', 100_000],
] as const;

/** What careless services turn into text. */
const NO_TEXTS: readonly (readonly [string, unknown])[] = [
  ['description', 7],
  ['instructions', true],
  ['description', ['a']],
  ['name', {}],
];

const wrongType = fc.constantFrom<unknown>(7, true, [], ['a'], {}, { text: 'a' }, 0, false);

export const FIELDS = checksOf('BODY-4', {
  'create/text-limits': {
    requirement: 'CREATE-5',
    title: 'description takes 2000 and instructions 100000 code points and not one more, on create and update.',
    ...onStopped([], async (ctx, intern) => {
      const { api, interns } = ctx;
      for (const unit of ctx.sample(ctx.plain() ? ['a'] : ['😀', 'é', 'a'].slice(0, ctx.upTo(3, 1)))) {
        const texts = Object.fromEntries(LIMITS.map(([field, most]) => [field, long(most, unit)]));
        const taken = LIMITS.map(([field, most]) => `${most} × ${unit} as ${field}`).join(' and ');
        const made = expect.intern(await api.create(interns.body(texts)), expect.CREATED, taken);
        expect.status(await api.update(intern.id, texts), expect.ACCEPTED, `an update to ${taken}`);
        for (const [field, most] of LIMITS) {
          equal(made[field] === texts[field], true, `whether ${field} came back whole`);
          const over = { [field]: `${texts[field]}${unit}` };
          expect.error(await api.create(interns.body(over)), INVALID, `${most + 1} × ${unit} as ${field}`);
          expect.error(await api.update(intern.id, over), INVALID, `an update of ${field} to ${most + 1} × ${unit}`);
        }
      }
    }),
  },
  'create/field-types': {
    title: 'A field of another type is 400, on create and update.',
    ...onStopped([], async ({ api, interns, property, sample, twin }, intern) => {
      await twin('create', async () =>
        expect.status(await api.create(interns.body({ description: 'a' })), expect.CREATED, 'the valid twin'),
      );
      for (const [key, value] of sample(NO_TEXTS, NO_TEXTS.length)) {
        const answer = await api.create(interns.body({ [key]: value }));
        expect.error(answer, { status: 400 }, `a create with ${key} ${JSON.stringify(value)}`);
      }
      const field = fc.constantFrom('name', 'description', 'instructions');
      await property('fields', field, wrongType, async (key, value) => {
        const shown = JSON.stringify(value);
        expect.error(
          await api.create(interns.body({ [key]: value })),
          { status: 400 },
          `a create with ${key} ${shown}`,
        );
        expect.error(await api.update(intern.id, { [key]: value }), { status: 400 }, `an update of ${key} to ${shown}`);
      });
    }),
  },
  'create/no-object': {
    title: 'A body that is not a JSON object is 400 on create and update.',
    ...onStopped([], async ({ api, property }, intern) => {
      await property('bodies', noObject(), async (value) => {
        expect.error(await api.create(value), { status: 400 }, `a create of ${JSON.stringify(value)}`);
        expect.error(await api.update(intern.id, value), { status: 400 }, `an update with ${JSON.stringify(value)}`);
      });
    }),
  },
});
