import { rewritten } from '../../emulator/wire/answer.js';
import type { Json } from '../../emulator/wire/json.js';
import type { Serve } from '../../emulator/wire/serve.js';
import type { Habit } from './habit.js';

/** Lines end in CR LF, events have types and ids, comments come between them, chunks carry more fields. */
const serve: Serve = (next, { random }) => {
  let id = 0;
  const text = (event: string): string => {
    const data = /^data: (.*)$/s.exec(event)?.[1];
    if (data === undefined) return `${event.replaceAll('\n', '\r\n')}\r\n\r\n`;
    let said = data;
    if (data !== '[DONE]') {
      const chunk = JSON.parse(data) as Json;
      said = JSON.stringify({ ...chunk, system_fingerprint: `fp_${++id}`, service_tier: null });
    }
    const before = random() < 0.3 ? ': still here\r\n\r\n' : '';
    return `${before}event: message\r\nid: ${++id}\r\ndata: ${said}\r\n\r\n`;
  };
  return async (request) => rewritten(await next(request), { text });
};

export const ownFraming: Habit = {
  id: 'own-framing',
  what: 'frames its streams in its own way',
  kit: 'takes every framing that the format of event streams allows',
  serve,
};
