/** An event as the parser of WHATWG HTML dispatches it. */
export interface Dispatched {
  event: string;
  data: string;
  id: string;
}

export interface OracleOptions {
  /** Dispatch what is unfinished at the end, as some clients do; the standard discards it. */
  readonly flush?: boolean;
  /**
   * One U+FFFD for each byte that is not UTF-8, as some decoders do; WHATWG Encoding has one for each maximal subpart.
   */
  readonly replacePerByte?: boolean;
}

/** UTF-8 decode (WHATWG Encoding): replaces what is malformed, strips one leading byte order mark. */
function decode(bytes: Uint8Array, perByte: boolean): string {
  const decoded = new TextDecoder('utf-8').decode(bytes);
  if (!perByte) return decoded;
  let text = '';
  let at = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0;
  const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  while (at < bytes.length) {
    const length = [4, 3, 2, 1].find((size) => {
      if (at + size > bytes.length) return false;
      try {
        return [...strict.decode(bytes.subarray(at, at + size))].length === 1;
      } catch {
        return false;
      }
    });
    text += length === undefined ? '\ufffd' : strict.decode(bytes.subarray(at, at + length));
    at += length ?? 1;
  }
  return text;
}

/**
 * Reads a body as an event stream, step by step as WHATWG HTML 9.2.6 writes it, over the whole body at once. It is
 * slow and plain on purpose, and shares nothing with the emulator's encoder or the reference client: it computes what
 * the cases expect.
 */
export function eventStream(bytes: Uint8Array, options: OracleOptions = {}): Dispatched[] {
  const stream = decode(bytes, options.replacePerByte === true);
  const dispatched: Dispatched[] = [];
  let data = '';
  let eventType = '';
  let lastEventIdBuffer = '';

  const dispatch = () => {
    // 1. Set the last event ID string to the value of the last event ID buffer: it stays for later events.
    const lastEventId = lastEventIdBuffer;
    // 2. If the data buffer is an empty string, set both buffers to the empty string and return.
    if (data === '') {
      eventType = '';
      return;
    }
    // 3. If the data buffer's last character is a LF, remove it.
    if (data.endsWith('\n')) data = data.slice(0, -1);
    dispatched.push({ event: eventType === '' ? 'message' : eventType, data, id: lastEventId });
    data = '';
    eventType = '';
  };

  const process = (field: string, value: string) => {
    if (field === 'event') eventType = value;
    else if (field === 'data') data += `${value}\n`;
    else if (field === 'id') {
      if (!value.includes('\0')) lastEventIdBuffer = value;
    }
    // `retry` sets the reconnection time, which no answer shows; any other field is ignored.
  };

  const take = (line: string) => {
    if (line === '') return dispatch();
    if (line.startsWith(':')) return;
    const colon = line.indexOf(':');
    if (colon === -1) return process(line, '');
    const value = line.slice(colon + 1);
    process(line.slice(0, colon), value.startsWith(' ') ? value.slice(1) : value);
  };

  // Lines end in CRLF, a LF not preceded by a CR, or a CR not followed by a LF. Text without an end is not a line.
  let begin = 0;
  for (let at = 0; at < stream.length; at++) {
    if (stream[at] !== '\n' && stream[at] !== '\r') continue;
    take(stream.slice(begin, at));
    if (stream[at] === '\r' && stream[at + 1] === '\n') at++;
    begin = at + 1;
  }
  if (options.flush === true) {
    if (begin < stream.length) take(stream.slice(begin));
    dispatch();
  }
  return dispatched;
}
