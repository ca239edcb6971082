// Vercel's AI SDK 7 with its provider for servers that speak like OpenAI's: the versions that need Node 22.
import { client as before } from './ai-openai-compatible.mjs';

export { default } from './ai-openai-compatible.mjs';

export const client = {
  ...before,
  title: 'ai 7 with @ai-sdk/openai-compatible',
  versions: ['3.0.92'],
  with: { ai: '7' },
  node: 22,
  note: 'It cannot send a body of the lab’s.',
};
