import { UsageError } from '../../emulator/contract/problem.js';
import type { Body } from '../model/exchange.js';
import type { RecordFields } from '../model/intern.js';
import { isRecord, recordOf } from '../probe/json.js';
import { callerBy, isRedacted, type Parts, splitPath, textBody } from './exchange.js';

/** ms by which times of a HAR may be off: it has whole ones. */
const ROUNDED = 1;

/** An exchange of a HAR, and the address of its target. */
export interface HarExchange {
  readonly target: string;
  readonly parts: Omit<Parts, 'number'>;
}

const texts = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);
const count = (value: unknown): number => (typeof value === 'number' && Number.isFinite(value) ? value : -1);

function headersOf(value: unknown) {
  const headers = new Map<string, string>();
  for (const one of Array.isArray(value) ? value.filter(isRecord) : [])
    if (typeof one.name === 'string' && typeof one.value === 'string') headers.set(one.name.toLowerCase(), one.value);
  return headers;
}

function bodyOf(request: RecordFields): Body {
  const { method, postData, bodySize } = request;
  const text = texts(recordOf(postData).text);
  // A file may leave out the body of any other method, whatever size it names.
  if (text === undefined && (method === 'GET' || method === 'HEAD') && bodySize === 0) return { kind: 'none' };
  if (text === undefined || isRedacted(text)) return { kind: 'unknown' };
  const size = Buffer.byteLength(text);
  return count(bodySize) > size || text === '' ? { kind: 'unknown' } : textBody(text, size);
}

/** The text of an answer, where all of it is there. */
function textOf(response: RecordFields, headers: ReadonlyMap<string, string>): string | undefined {
  const content = recordOf(response.content);
  const { text: raw, encoding, size } = content;
  if (count(response.status) === 204) return '';
  if (typeof raw !== 'string') return undefined;
  const text = encoding === 'base64' ? Buffer.from(raw, 'base64').toString() : raw;
  if (text === '') return headers.get('content-length') === '0' ? '' : undefined;
  return count(size) > Buffer.byteLength(text) || isRedacted(text) ? undefined : text;
}

function exchangeOf(entry: RecordFields): HarExchange | undefined {
  const request = recordOf(entry.request);
  const response = recordOf(entry.response);
  const at = Date.parse(String(entry.startedDateTime));
  const method = texts(request.method);
  const url = texts(request.url);
  if (url === undefined || method === undefined || Number.isNaN(at) || !URL.canParse(url) || isRedacted(url))
    return undefined;
  const { origin, pathname, search } = new URL(url);
  const split = splitPath(`${pathname}${search}`);
  if (split === undefined) return undefined;
  const sent = headersOf(request.headers);
  const type = texts(recordOf(request.postData).mimeType);
  if (type !== undefined && type !== '' && !sent.has('content-type')) sent.set('content-type', type);
  const got = headersOf(response.headers);
  const status = count(response.status);
  const text = textOf(response, got);
  const type200 = got.get('content-type') ?? '';
  // Whether a reader left a stream before its end a HAR does not say.
  const isOver = !/^text\/event-stream\b/i.test(type200) || /^data: ?\[DONE\]\s*$/m.test(text ?? '');
  const end = at + Math.max(0, count(entry.time)) + ROUNDED;
  return {
    target: `${origin}${split.base}`,
    parts: {
      at: at - ROUNDED,
      method,
      path: split.path,
      header: (name) => sent.get(name),
      body: bodyOf(request),
      caller: callerBy((name) => sent.get(name)),
      answer:
        status < 200 || status > 599
          ? undefined
          : {
              at: end,
              status,
              header: (name) => got.get(name),
              pieces: [{ at: end, text: text ?? '' }],
              whole: text !== undefined && got.size > 0 && isOver,
            },
    },
  };
}

/**
 * The exchange of an entry of a HAR 1.2; undefined for a request outside of the interface.
 *
 * @throws UsageError in one line for a value that is no entry
 */
export function readEntry(entry: unknown, place: string): HarExchange | undefined {
  if (!isRecord(entry) || !isRecord(entry.request)) throw new UsageError(`${place}: expected an object with a request`);
  return exchangeOf(entry);
}
