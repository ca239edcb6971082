import { isRecord } from '../../contract/record.js';
import { shellWords } from './shell-words.js';

export interface Pasted {
  method: string | undefined;
  path: string | undefined;
  headers: Record<string, string | string[]>;
  body: string | undefined;
}

function add(headers: Pasted['headers'], line: string): void {
  const colon = line.indexOf(':');
  if (colon < 1) throw new Error(`expected "name: value", found ${JSON.stringify(line)}`);
  const name = line.slice(0, colon).trim().toLowerCase();
  const value = line.slice(colon + 1).trim();
  const known = headers[name];
  headers[name] = known === undefined ? value : [known, value].flat();
}

function fromCurl(text: string): Pasted {
  const pasted: Pasted = { method: undefined, path: undefined, headers: {}, body: undefined };
  const words = shellWords(text)?.slice(1);
  if (words === undefined) throw new Error('the command has a quote that is not closed');
  for (let word = words.shift(); word !== undefined; word = words.shift()) {
    if (word === '-H' || word === '--header') add(pasted.headers, words.shift() ?? '');
    else if (word === '-X' || word === '--request') pasted.method = words.shift();
    else if (/^(?:-d|--data(?:-raw|-binary|-ascii)?)$/.test(word)) pasted.body = words.shift();
    else if (!word.startsWith('-')) pasted.path = word;
  }
  pasted.method ??= pasted.body === undefined ? 'GET' : 'POST';
  return pasted;
}

function fromJson(value: Record<string, unknown>): Pasted {
  const request = isRecord(value.request) ? value.request : value;
  const { headers, method, path, url, body } = request;
  const given = isRecord(headers) ? headers : request === value && !('method' in value) ? value : undefined;
  if (!given) throw new Error('expected an object of headers, or one with "headers"');
  const names: Record<string, string | string[]> = {};
  for (const [name, each] of Object.entries(given))
    names[name.toLowerCase()] = Array.isArray(each) ? each.map(String) : String(each);
  const place = path ?? url;
  return {
    method: typeof method === 'string' ? method : undefined,
    path: typeof place === 'string' ? place : undefined,
    headers: names,
    body: typeof body === 'string' ? body : undefined,
  };
}

/**
 * Reads a pasted text: a curl command, a request as HTTP writes it, JSON (of headers, or with `headers`, `method`,
 * `path` and `body`), or lines of headers.
 *
 * @throws Error that says what was expected
 */
export function readPasted(text: string): Pasted {
  const trimmed = text.trim();
  if (trimmed === '') throw new Error('paste the request: a curl command, headers, or JSON');
  if (/^curl\s/.test(trimmed)) return fromCurl(trimmed);
  if (trimmed.startsWith('{')) {
    let value: unknown;
    try {
      value = JSON.parse(trimmed);
    } catch {
      throw new Error('it begins like JSON, but is not valid JSON');
    }
    if (isRecord(value)) return fromJson(value);
  }
  const [head = '', ...rest] = text.trimStart().split(/\r?\n\r?\n/);
  const lines = head.split(/\r?\n/);
  const start = /^([A-Z]+) (\S+)(?: HTTP\/[\d.]+)?$/.exec(lines[0] ?? '');
  const pasted: Pasted = {
    method: start?.[1],
    path: start?.[2],
    headers: {},
    body: rest.length > 0 ? rest.join('\n\n') : undefined,
  };
  for (const line of start ? lines.slice(1) : lines) add(pasted.headers, line);
  return pasted;
}
