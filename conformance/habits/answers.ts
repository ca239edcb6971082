import { rewritten } from '../../emulator/wire/answer.js';
import { chunkOf, frameOf } from '../../emulator/wire/chunks.js';
import { isRecord } from '../../emulator/wire/json.js';
import { about } from '../../emulator/wire/request.js';
import { isStream, readAhead } from '../../emulator/wire/streams.js';
import type { Habit } from './habit.js';
import { pages, slowBy } from './harmless/answers.js';
import { crlf, events } from './harmless/framings.js';

export const ownFraming: Habit = {
  id: 'own-framing',
  what: 'frames its streams in its own way',
  kit: 'takes every framing that the format of event streams allows',
  /** Lines end in CR LF, events have types and ids, comments come between them, chunks carry more fields. */
  serve: (next, setting) => {
    let id = 0;
    const named = events((event) => {
      const chunk = chunkOf(event);
      const more = () => ({ system_fingerprint: `fp_${++id}`, service_tier: null });
      const sent = chunk === undefined ? `${event}\n\n` : frameOf({ ...chunk, ...more() });
      if (event.startsWith(':')) return sent;
      const before = setting.random() < 0.3 ? ': still here\n\n' : '';
      return `${before}event: message\nid: ${++id}\n${sent}`;
    });
    return crlf(named(next, setting), setting);
  },
};

export const ownReasons: Habit = {
  id: 'own-reasons',
  what: 'gives its own reason for a 409',
  differs: ['reason'],
  kit: 'warns, where a reason is published',
  serve: (next) => async (request) => {
    const response = await next(request);
    if (response.status !== 409) return response;
    return rewritten(response, {
      json(json) {
        if (isRecord(json) && isRecord(json.error) && isRecord(json.error.metadata))
          json.error.metadata.reason = 'not_now';
      },
    });
  },
};

export const ownSuccesses: Habit = {
  id: 'own-successes',
  what: 'has success statuses of its own',
  kit: 'takes any success; warns, where another is published',
  differs: ['CREATE-4', 'PROV-1', 'SUSP-1', 'UPDATE-1'],
  /** An accepted POST is 201, any other write 202. Chat and invoke keep their status. */
  serve: (next) => async (request) => {
    const response = await next(request);
    const writes = /^(create|update|delete|provision|suspend|sign)$/.test(about(request).operation ?? '');
    if (!writes || !response.ok) return response;
    return rewritten(response, { status: request.method === 'POST' ? 201 : 202 });
  },
};

export const slowAnswers: Habit = {
  id: 'slow-answers',
  what: 'answers slowly',
  kit: 'waits 10 s for a read, and at least 40 s for a write or a prompt',
  serve: slowBy(2_000),
};

export const lateOpening: Habit = {
  id: 'late-opening',
  what: 'opens a stream when it has something to say',
  kit: 'waits for the head as long as for the first word',
  /** The head of a stream comes with its first event. */
  serve: (next) => async (request) => {
    const response = await next(request);
    if (response.body === null || !isStream(response)) return response;
    const says = (sofar: string) => /"content":"[^"]|"finish_reason":"|: keepalive/.test(sofar);
    const { body } = await readAhead(response.body, says);
    return new Response(body, { status: response.status, headers: response.headers });
  },
};

export const shortPages: Habit = {
  id: 'short-pages',
  what: 'gives short pages',
  kit: 'reads further pages until it has found what it looks for',
  /** Lists without a limit are short, and pages may be shorter than their limit. */
  serve: pages((limit, { random }) => (limit === undefined ? 3 : limit > 2 && random() < 0.5 ? limit - 1 : limit)),
};
