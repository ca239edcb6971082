// Vercel's AI SDK with OpenRouter's provider.
import { byAi } from './by-ai.mjs';

export const client = {
  package: '@openrouter/ai-sdk-provider',
  title: 'ai with @openrouter/ai-sdk-provider',
  versions: ['2.10.0'],
  with: { ai: '6' },
  layers: ['chat'],
  abilities: ['abort'],
  note: 'It cannot send a body of the lab’s.',
};

export default async () => {
  const { streamText } = await import('ai');
  const { createOpenRouter } = await import('@openrouter/ai-sdk-provider');
  return byAi(streamText, (baseURL, apiKey) =>
    createOpenRouter({ baseURL, apiKey, compatibility: 'strict' }).chat('lab/model', { usage: { include: true } }),
  );
};
