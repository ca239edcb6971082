import { expect, test } from 'vitest';
import { assemble } from './emulator.js';
import { defaultFactories, type Factories } from './factories.js';

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
  await emulator.close();
  expect(made.toSorted()).toEqual(Object.keys(defaultFactories).toSorted());
});

test('emulators that share what was loaded share nothing else', async () => {
  const factories = sharing();
  const [one, other] = [assemble({ clock: 'virtual' }, factories), assemble({ clock: 'virtual' }, factories)];
  expect(one.target.public_keys).toEqual(other.target.public_keys);

  const { base_url, control_url, credentials } = one.target;
  const headers = { authorization: `Bearer ${credentials.api_key}` };
  const names = async (emulator: typeof one) => {
    const { data } = (await (await emulator.fetch(`${base_url}/interns`, { headers })).json()) as {
      data: { name: string }[];
    };
    return data.map(({ name }) => name);
  };
  const before = await names(other);

  const created = await one.fetch(`${base_url}/interns`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'of-one-alone', workspace_id: one.target.workspace_id }),
  });
  expect(created.status).toBe(201);
  const [intern] = (
    (await (await one.fetch(`${base_url}/interns?status=running`, { headers })).json()) as {
      data: { id: string }[];
    }
  ).data;
  const spoke = await one.fetch(`${base_url}/interns/${intern?.id}/chat/completions`, {
    method: 'POST',
    headers,
    body: JSON.stringify({ stream: true, messages: [{ role: 'user', content: 'script: no-usage\nHello.' }] }),
  });
  expect(await spoke.text()).toContain('[DONE]');
  const limit = async (emulator: typeof one, init?: RequestInit) =>
    (await emulator.fetch(`${control_url}/limits`, init)).json();
  const usual = await limit(other);
  expect(await limit(one, { method: 'PUT', body: JSON.stringify({ turns_per_minute: 1 }) })).not.toEqual(usual);
  await one.clock.advance(60_000);

  expect(await names(one)).toContain('of-one-alone');
  expect(await names(other)).toEqual(before);
  expect(await limit(other)).toEqual(usual);
  expect(other.clock.now()).toBe(one.clock.now() - 60_000);
  expect(await (await other.fetch(`${control_url}/runs`)).json()).toEqual({ data: [] });

  await one.reset();
  expect(await names(one)).toEqual(before);
  await Promise.all([one.close(), other.close()]);
});
