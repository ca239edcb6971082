// Vercel's AI SDK with its provider for servers that speak like OpenAI's.
import { byAi } from './by-ai.mjs';

export const client = {
  package: '@ai-sdk/openai-compatible',
  title: 'ai with @ai-sdk/openai-compatible',
  versions: ['2.0.91'],
  with: { ai: '6' },
  layers: ['chat'],
  abilities: ['abort'],
  note: 'It cannot send a body of the lab’s. Before 2.0.91 it ran on a busy machine: believe neither `abort-before-head` nor `abort-silent`.',
};

export default async () => {
  const { streamText } = await import('ai');
  const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible');
  return byAi(streamText, (baseURL, apiKey) =>
    createOpenAICompatible({ name: 'lab', baseURL, apiKey, includeUsage: true })('lab/model'),
  );
};
