// Seen: hey-api/hey-api#3054 (CRLF never splits at two LF), deepnoodle-ai/dive#206 (a comment went to the JSON parser).
import { join } from 'node:path';
import { inTheLab } from './tools.mjs';

export const judge = (folder) =>
  inTheLab(join(folder, 'client.mjs'), [
    'sse-one-event',
    'sse-utf8-cut',
    'sse-glued',
    'sse-crlf',
    'sse-crlf-split',
    'sse-crlf-prompt',
    'sse-comment-before',
    'sse-comment-frame',
    'sse-comments-only',
    'http-status-500-stream',
  ]);

export const solution = {
  'client.mjs': [
    ["text.split('\\n\\n')", 'text.split(/\\r?\\n\\r?\\n/)'],
    [
      "    for (const event of events) yield event.replace(/^data: /, '');\n",
      `    for (const event of events) {
      const lines = event.split(/\\r?\\n/).filter((line) => line.startsWith('data:'));
      if (lines.length > 0) yield lines.map((line) => line.replace(/^data: ?/, '')).join('\\n');
    }
`,
    ],
  ],
};
