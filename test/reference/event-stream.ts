import type { Has } from './flaws.js';

/** A dispatched event. */
export interface ParsedEvent {
  event: string;
  data: string;
  id: string;
}

const FIELDS = ['data', 'event', 'id', 'retry'];

/**
 * The parser of the reference client: a push parser that looks at each character once, and dispatches an event with the
 * character that ends its blank line. `has` lists its mistakes.
 */
export function createParser(dispatchEvent: (event: ParsedEvent) => void, has: Has, charset?: string) {
  let decoder = makeDecoder(has, charset);
  /** The unfinished line. */
  let pieces: string[] = [];
  let rescanned = '';
  let skipLf = false;
  let started = false;
  let data: string[] | undefined;
  let eventType = '';
  let typeSet = false;
  let idSet = false;
  let lastId = '';
  let pendingId = '';
  let held: ParsedEvent[] = [];
  let dispatched = 0;

  const emit = (event: ParsedEvent) => {
    dispatched++;
    // Only the end shows which one is the last.
    if (has('dropLast')) release();
    if (has('dropLast') || has('holdUntilEnd') || has('holdUntilNext')) held.push(event);
    else dispatchEvent(event);
  };
  const release = () => {
    const ready = held;
    held = [];
    for (const event of ready) dispatchEvent(event);
  };
  const forget = () => {
    data = undefined;
    if (!has('lastingType')) eventType = '';
    typeSet = false;
    idSet = false;
  };
  const dispatch = () => {
    if (has('idNeedsData') && data === undefined) pendingId = lastId;
    lastId = pendingId;
    const any = data !== undefined || (has('dispatchWithoutData') && (eventType !== '' || idSet));
    let text = (data ?? []).join(has('joinDirectly') ? '' : '\n');
    if (has('trimData')) text = text.replace(/\n+$/, '');
    if (has('lastDataLine')) text = data?.at(-1) ?? '';
    if (any && !(has('dropEmptyData') && text === '')) {
      emit({
        event: eventType === '' && !(has('emptyTypeStays') && typeSet) ? 'message' : eventType,
        data: text,
        id: lastId,
      });
      if (has('idOfEvent')) pendingId = '';
    }
    forget();
  };
  const field = (given: string, value: string) => {
    let name = given;
    if (has('foldNames')) name = name.toLowerCase();
    if (has('trimNames')) name = name.trim();
    if (has('prefixNames')) name = FIELDS.find((known) => name.startsWith(known)) ?? name;
    if (name === 'data') {
      data ??= [];
      data.push(value);
    } else if (name === 'event') {
      if (has('dataFirst') && data !== undefined) return;
      if (has('firstType') && typeSet) return;
      eventType = value;
      typeSet = true;
    } else if (name === 'id') {
      if (value.includes('\0') && !has('idWithNul')) return;
      if (value === '' && has('emptyIdIgnored')) return;
      if (idSet && has('firstId')) return;
      pendingId = value;
      idSet = true;
    } else if (name === 'retry') {
      if (has('badRetryFails') && !/^\d+$/.test(value)) throw new Error(`retry is no number: ${value}`);
    } else if (has('unknownFieldFails')) throw new Error(`unknown field: ${name}`);
  };
  const take = (line: string) => {
    if (has('holdUntilNext')) release();
    if (line === '' || (has('spacesAreBlank') && line.trim() === '')) return dispatch();
    if (line.startsWith(':')) {
      if (has('commentIsData')) field('data', line.slice(1).trim());
      if (has('commentEndsEvent')) forget();
      if (has('commentDispatches')) dispatch();
      return;
    }
    const colon = has('lastColon') ? line.lastIndexOf(':') : line.indexOf(':');
    if (colon === -1) {
      if (has('bareLineIsData') && !FIELDS.includes(line)) return field('data', line);
      if (has('colonNeeded')) return;
      return field(line, '');
    }
    let value = line.slice(colon + 1);
    const spaced = value.startsWith(' ');
    if (has('requireSpace') && !spaced) return;
    if (spaced && !has('keepSpace')) value = value.slice(1);
    if (has('trimStart')) value = value.trimStart();
    if (has('trimValues')) value = value.trim();
    if (has('stopAtNul')) value = value.split('\0')[0] ?? '';
    field(line.slice(0, colon), value);
  };
  const ends = new Set(['\n']);
  if (!has('lfOnly') && !has('noCr')) ends.add('\r');
  if (has('unicodeLines')) for (const one of '\u2028\u2029\u0085') ends.add(one);
  if (has('controlLines')) for (const one of '\v\f\x1c\x1d\x1e') ends.add(one);
  const endOf = new RegExp(
    `[${[...ends].map((one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`).join('')}]`,
    'g',
  );

  const feedText = (given: string) => {
    let text = given;
    if (text === '') return;
    if (!started && !has('keepBom')) text = text.replace(/^\ufeff/, '');
    if (has('stripEveryBom')) text = text.replaceAll('\ufeff', '');
    started = true;
    if (has('rescan')) {
      rescanned += text;
      // The mistake: the whole buffer is walked for each chunk.
      if (rescanned.includes('\u001f')) return;
    }
    endOf.lastIndex = 0;
    let from = 0;
    for (let found = endOf.exec(text); found !== null; found = endOf.exec(text)) {
      const at = found.index;
      if (skipLf && at === from && found[0] === '\n') {
        skipLf = false;
        from = at + 1;
        continue;
      }
      skipLf = false;
      pieces.push(text.slice(from, at));
      let line = pieces.join('');
      pieces = [];
      if (has('noCr') && found[0] === '\n' && line.endsWith('\r')) line = line.slice(0, -1);
      from = at + 1;
      if (found[0] === '\r') {
        if (has('crlfTwice')) {
          if (text[from] === '\n') {
            from++;
            endOf.lastIndex = from;
          }
        } else skipLf = true;
      }
      take(line);
    }
    if (from < text.length) {
      skipLf = false;
      pieces.push(text.slice(from));
    }
    if (has('framePerChunk')) {
      if (pieces.length > 0) take(pieces.join(''));
      pieces = [];
      forget();
    }
  };
  let heldCr = '';
  const feed = (chunk: Uint8Array) => {
    if (has('decodePerChunk')) decoder = makeDecoder(has, charset);
    let text = heldCr + decoder(chunk, !has('decodePerChunk'));
    heldCr = '';
    if (has('holdCr') && text.endsWith('\r')) {
      heldCr = '\r';
      text = text.slice(0, -1);
    }
    feedText(text);
  };
  return {
    feed,
    /** The body has ended: what is pending is discarded. */
    end() {
      feedText(heldCr + (has('decodePerChunk') ? '' : decoder(new Uint8Array(), false)));
      if (has('dropUnfinished') && (pieces.length > 0 || data !== undefined)) throw new Error('ended inside an event');
      if (has('inventAtEnd') && (pieces.length > 0 || idSet)) dispatchEvent({ event: 'message', data: '', id: lastId });
      if (has('nothingIsError') && dispatched === 0) throw new Error('no event came');
      if (has('dropLast')) held.pop();
      release();
    },
  };
}

function makeDecoder(has: Has, charset: string | undefined): (chunk: Uint8Array, more: boolean) => string {
  if (has('decodeAsLatin1')) return (chunk) => Buffer.from(chunk).toString('latin1');
  const label = has('charsetOfType') && charset !== undefined ? charset : 'utf-8';
  const decoder = new TextDecoder(label, { ignoreBOM: true, fatal: has('fatalDecode') });
  return (chunk, more) => {
    const text = decoder.decode(chunk, { stream: more });
    return has('dropReplacement') ? text.replaceAll('\ufffd', '') : text;
  };
}
