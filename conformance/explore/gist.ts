/** Requests, answers, writes and messages in a few words: what a reader wants to know of them, and the same in both runs. */

import { stripVTControlCharacters } from 'node:util';
import { clipped } from '../../emulator/contract/visible.js';
import type { RecordFields } from '../model/intern.js';
import { isRecord, jsonOf } from '../probe/json.js';

const ID = /[0-9a-f]{8}-[0-9a-f-]{27}/g;

/** A text in one line, of so many characters at most. */
export const clip = (text: string, most: number): string => clipped(text.replaceAll(/\s*\n\s*/g, '⏎'), most);
const quoted = (text: string, most = 60): string => JSON.stringify(clip(text, most));

const at = (value: unknown, ...path: (string | number)[]): unknown =>
  path.reduce<unknown>((inner, key) => (inner as RecordFields | undefined | null)?.[key as string], value);

/** `POST …/chat/completions "hello"`, `GET /interns/…`. Ids differ from run to run: they are left out. */
export function requestGist(method: string, path: string, body: string): string {
  const where = path.replaceAll(ID, '…');
  const json = jsonOf(body);
  const last = at(json, 'messages');
  const message: unknown = Array.isArray(last) ? last.at(-1) : undefined;
  const content = at(message, 'content');
  if (typeof content === 'string')
    return `${method} ${where} ${at(message, 'role') === 'tool' ? 'answers ' : ''}${quoted(content)}`;
  return `${method} ${where}${body === '' ? '' : ` ${clip(body.replaceAll(ID, '…'), 80)}`}`;
}

/** `200`, `200 running`, `409 busy`. */
export function answerGist(status: number, reason: string | undefined, answer: string): string {
  const found = reason ?? at(jsonOf(answer), 'status');
  return typeof found === 'string' ? `${status} ${found}` : String(status);
}

function chunkGist(chunk: RecordFields): string {
  const error = at(chunk, 'error');
  const finish = at(chunk, 'choices', 0, 'finish_reason');
  if (isRecord(error)) return `finish ${finish}, ${error.code} ${at(error, 'metadata', 'reason') ?? ''}`.trim();
  if (typeof finish === 'string') return `finish ${finish}`;
  const call = at(chunk, 'choices', 0, 'delta', 'tool_calls', 0, 'function', 'arguments');
  if (typeof call === 'string') {
    const ask = jsonOf(call);
    const what = at(ask, 'operation') ?? at(ask, 'message');
    return `asks ${quoted(typeof what === 'string' ? what : call)}`;
  }
  const content = at(chunk, 'choices', 0, 'delta', 'content');
  if (typeof content === 'string') return content === '' ? 'begins' : `says ${quoted(content)}`;
  if (Array.isArray(chunk.choices) && chunk.choices.length === 0) return 'final chunk';
  return clip(JSON.stringify(chunk), 80);
}

/** A write, event by event: `says "hello"`, `finish stop`, `[DONE]`. */
export function writeGist(text: string): string {
  const events = text.split(/\r?\n\r?\n/).filter((event) => event.trim() !== '');
  const gists = events.map((event) => {
    const data = /^data: ?(.*)$/m.exec(event)?.[1];
    if (data === undefined || /^event:/m.test(event)) return clip(event, 80);
    const chunk = jsonOf(data);
    return isRecord(chunk) ? chunkGist(chunk) : clip(data, 80);
  });
  return gists.join(' · ');
}

const DIGITS = /[\w-]*\d[\w-]*/g;
const STATUS = /^[45]\d\d$/;

/** A text without what differs from run to run: words with digits (ports, ids, times), and colours. */
export const alike = (text: string): string => stripVTControlCharacters(text).replace(DIGITS, '#');

/** The same, but for statuses: they say what was answered. */
export const alikeButStatus = (text: string): string =>
  stripVTControlCharacters(text).replace(DIGITS, (word) => (STATUS.test(word) ? word : '#'));

/** The kind of a message. Quotes, and the value after `got`, are left out: they differ by how an answer came in pieces. */
export const sortOf = (message: string): string =>
  alike(
    message
      .replace(/"(?:[^"\\\n]|\\.)*"|'[^'\n]*'|`[^`\n]*`|…/g, '…')
      .replace(/\b(got|received|found|actual)\b:? .*/gi, '$1 …'),
  )
    .replace(/\s+/g, ' ')
    .slice(0, 200);
