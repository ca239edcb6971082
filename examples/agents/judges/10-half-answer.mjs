// Seen: farzaa/clicky#132 (an error within the stream was skipped), Growth-Circle/cadis#2547 (a stream that broke off was whole).
import { join } from 'node:path';
import { inTheLab } from './tools.mjs';

export const judge = (folder) =>
  inTheLab(join(folder, 'client.mjs'), [
    'chat-text',
    'chat-crlf',
    'chat-session-final',
    'chat-usage-final',
    'chat-error-chunk',
    'chat-run-ended',
    'chat-stream-severed',
    'chat-error-finish',
    'chat-no-end',
    'http-error-envelope',
  ]);

export const solution = {
  'client.mjs': [
    [
      '      reply.usage = chunk.usage ?? reply.usage;\n',
      `      if (chunk.error) throw Object.assign(new Error(chunk.error.message), { status: chunk.error.code });
      reply.usage = chunk.usage ?? reply.usage;
`,
    ],
    [
      "      if (data === '[DONE]') return reply;\n",
      `      if (data === '[DONE]') {
        if (reply.finish_reason === 'error') throw new Error('the run failed');
        return reply;
      }
`,
    ],
    ['  return reply;\n}\n', "  throw new Error('the reply broke off');\n}\n"],
  ],
};
