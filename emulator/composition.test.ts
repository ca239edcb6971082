import { expect, test } from 'vitest';
import { assemble } from './emulator.js';
import { defaultFactories, type Factories } from './factories.js';
import { clientOf } from './testing/client.harness.js';

/** Freezes a value and all that it holds, so that a write to it throws. */
function frozen<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value) && !ArrayBuffer.isView(value)) {
    Object.freeze(value);
    for (const part of Object.values(value)) frozen(part);
  }
  return value;
}

/** Factories whose loaders give every emulator the same thing, made once. */
function sharing(): Factories {
  const profile = frozen(defaultFactories.loadProfile());
  const seed = frozen(structuredClone(defaultFactories.loadSeed()));
  const settings = frozen(defaultFactories.loadSettings());
  const key = defaultFactories.loadSigningKey({ seed: 'shared' });
  const stock = Object.freeze(defaultFactories.loadStockScripts());
  return {
    ...defaultFactories,
    loadProfile: () => profile,
    loadSeed: () => seed,
    loadSettings: () => settings,
    loadSigningKey: () => key,
    loadStockScripts: () => [...stock],
  };
}

test('an emulator is made of what the factories make', async () => {
  const made: string[] = [];
  const counted = Object.fromEntries(
    Object.entries(defaultFactories).map(([name, create]) => [
      name,
      (...given: unknown[]) => {
        made.push(name);
        return (create as (...all: unknown[]) => unknown)(...given);
      },
    ]),
  ) as Factories;
  const emulator = assemble({ clock: 'virtual' }, counted);
  const { control_url } = emulator.target;
  expect(made).not.toContain('loadControlled');
  expect((await emulator.fetch(`${control_url}/health`)).status).toBe(200);
  await emulator.close();
  expect(made.toSorted()).toEqual(Object.keys(defaultFactories).toSorted());
});

test('a control interface whose loading failed is loaded again', async () => {
  let times = 0;
  const loadControlled = () =>
    times++ === 0 ? Promise.reject(new Error('no memory')) : defaultFactories.loadControlled();
  const emulator = assemble({ clock: 'virtual', quiet: true }, { ...defaultFactories, loadControlled });
  const health = async () => (await emulator.fetch(`${emulator.target.control_url}/health`)).status;
  await expect(health().catch(() => 'lost')).resolves.not.toBe(200);
  expect(await health()).toBe(200);
  await emulator.close();
});

test('a virtual clock waits while the control interface is loaded', async () => {
  const loadControlled = async () => {
    for (let turns = 0; turns < 20; turns++) await new Promise((resolve) => setImmediate(resolve));
    return defaultFactories.loadControlled();
  };
  const emulator = assemble({ clock: 'virtual' }, { ...defaultFactories, loadControlled });
  const done: string[] = [];
  await Promise.all([
    emulator.fetch(`${emulator.target.control_url}/health`).then(() => done.push('answered')),
    emulator.clock.advance(60_000).then(() => done.push('advanced')),
  ]);
  expect(done).toEqual(['answered', 'advanced']);
  await emulator.close();
});

test('emulators that share what was loaded share nothing else', async () => {
  const factories = sharing();
  const [one, other] = [assemble({ clock: 'virtual' }, factories), assemble({ clock: 'virtual' }, factories)];
  expect(one.target.public_keys).toEqual(other.target.public_keys);

  const [client, beside] = [clientOf(one), clientOf(other)];
  const names = async ({ get }: typeof client) =>
    (await get('/interns')).json.data.map(({ name }: { name: string }) => name);
  const before = await names(beside);
  await client.create({ name: 'of-one-alone' });
  expect((await client.chat('script: no-usage\nHello.')).text).toContain('[DONE]');
  const limit = async ({ get }: typeof client) => (await get('/_emulator/limits')).json;
  const usual = await limit(beside);
  expect((await client.put('/_emulator/limits', { turns_per_minute: 1 })).json).not.toEqual(usual);
  await one.clock.advance(60_000);

  expect(await names(client)).toContain('of-one-alone');
  expect(await names(beside)).toEqual(before);
  expect(await limit(beside)).toEqual(usual);
  expect(other.clock.now()).toBe(one.clock.now() - 60_000);
  expect((await beside.get('/_emulator/runs')).json).toEqual({ data: [] });

  await one.reset();
  expect(await names(client)).toEqual(before);
  await Promise.all([one.close(), other.close()]);
});
