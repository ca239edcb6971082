// Groq's SDK.
import { byChunks, keyOf } from './by-stainless.mjs';

export const client = {
  package: 'groq-sdk',
  versions: ['1.6.0'],
  layers: ['chat'],
  abilities: ['abort'],
  note: 'Its adapter joins the chunks.',
};

export default async () => {
  const { default: Groq } = await import('groq-sdk');
  return byChunks((run, signal) => {
    const retries = run.retries === 0 ? { maxRetries: 0 } : {};
    const groq = new Groq({ apiKey: keyOf(run), baseURL: run.base_url, timeout: run.timeout, ...retries });
    return groq.chat.completions.create(run.body, { signal });
  });
};
