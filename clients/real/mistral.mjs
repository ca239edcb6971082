// Mistral's SDK.
import { byChunks, keyOf } from './by-stainless.mjs';

export const client = {
  package: '@mistralai/mistralai',
  versions: ['1.15.1', '2.7.0'],
  layers: ['chat'],
  abilities: ['abort'],
  note: 'Its adapter joins the chunks.',
};

const snake = (value) => {
  if (Array.isArray(value)) return value.map(snake);
  if (typeof value !== 'object' || value === null) return value;
  const name = (key) => key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [name(key), snake(one)]));
};

export default async () => {
  const { Mistral } = await import('@mistralai/mistralai');
  return byChunks(async function* (run, signal) {
    const mistral = new Mistral({
      apiKey: keyOf(run),
      serverURL: run.base_url,
      timeoutMs: run.timeout,
      ...(run.retries === 0 ? { retryConfig: { strategy: 'none' } } : {}),
    });
    const request = { model: 'lab/model', messages: [{ role: 'user', content: 'hello' }] };
    for await (const { data } of await mistral.chat.stream(request, { fetchOptions: { signal } })) yield snake(data);
  });
};
