import { refusal } from '../../emulator/wire/answer.js';
import { isRecord, jsonOf } from '../../emulator/wire/json.js';
import { about } from '../../emulator/wire/request.js';
import { bodyOf, type Habit, refusedAnyway } from './habit.js';
import { instead } from './measured.js';

/** Settings with a free text. The interface states no characters for them. */
const TEXTS = ['description', 'instructions'] as const;
/** Statuses that refuse a request for its content. */
const REFUSED = new Set([400, 403, 422]);

export const plainTexts: Habit = {
  id: 'plain-texts',
  what: 'takes plain texts only',
  kit: 'sends plain words from then on; warns once, where other texts are published',
  differs: ['CREATE-5', 'UPDATE-1'],
  /** Descriptions and instructions may have only letters, digits, spaces, dots and commas. */
  serve: (next) => async (request) => {
    if (!/^(create|update)$/.test(about(request).operation ?? '')) return next(request);
    const body = await bodyOf(request);
    const odd = (text: unknown) => typeof text === 'string' && /^$|[^A-Za-z0-9 .,]/.test(text);
    if (!odd(body.description) && !odd(body.instructions)) return next(request);
    return (await refusedAnyway(next, request)) ?? refusal(400, 'Invalid request body', 'invalid_body');
  },
  /**
   * A create or an update was refused for the characters of a text if it is accepted with plain words. Later checks then send
   * plain words, except for a check of CREATE-5.
   */
  explains: async ({ check, seen }, visit) => {
    const last = seen.findLast(({ status }) => REFUSED.has(status ?? 0));
    const record = jsonOf(last?.sent ?? '');
    if (check.requirement === 'CREATE-5' || visit.learnt.plain || visit.readOnly || !isRecord(record)) return undefined;
    const odd = TEXTS.filter((key) => typeof record[key] === 'string' && /^$|[^A-Za-z0-9 .,]/.test(record[key]));
    if (last === undefined || odd.length === 0 || !/^\/interns(\/[^/]+)?$/.test(last.path)) return undefined;
    const plain = Object.fromEntries(odd.map((key) => [key, 'plain words']));
    const name = last.id === undefined ? { name: visit.creating().json.name } : {};
    const answer = await instead(visit, last, { json: { ...record, ...name, ...plain } });
    if (answer === undefined || answer.status >= 300) return undefined;
    visit.learnt.plain = true;
    return { again: 0 };
  },
};
