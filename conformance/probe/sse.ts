/** A server-sent event, as dispatched by its blank line. */
export interface SseEvent {
  readonly kind: 'event';
  /** ms since the run began, when the blank line arrived. */
  readonly at: number;
  readonly data: string;
  /** The `event:` field, if there was one. */
  readonly type?: string;
  readonly id?: string;
}

/** A comment line. `within` says that it was between the lines of an event. */
export interface SseComment {
  readonly kind: 'comment';
  readonly at: number;
  readonly text: string;
  readonly within: boolean;
}

export type SseItem = SseEvent | SseComment;

/**
 * Bytes in, as the network delivers them; events and comments out, in order.
 *
 * Lines end in LF, CR LF or CR; `field: value` with one optional space; a blank line dispatches; a line that starts with
 * a colon is a comment. Bytes are decoded across pieces, so that a character may be split anywhere.
 */
export function createSseParser() {
  const decoder = new TextDecoder('utf-8');
  let rest = '';
  let lastWasCr = false;
  let data: string[] = [];
  let type: string | undefined;
  let id: string | undefined;
  let open = false;

  const line = (text: string, at: number): SseItem | undefined => {
    if (text === '') {
      const event: SseEvent | undefined =
        data.length === 0
          ? undefined
          : {
              kind: 'event',
              at,
              data: data.join('\n'),
              ...(type === undefined ? {} : { type }),
              ...(id === undefined ? {} : { id }),
            };
      data = [];
      type = undefined;
      id = undefined;
      open = false;
      return event;
    }
    if (text.startsWith(':')) {
      return { kind: 'comment', at, text: text.slice(1).replace(/^ /, ''), within: open };
    }
    open = true;
    const colon = text.indexOf(':');
    const field = colon < 0 ? text : text.slice(0, colon);
    const value = colon < 0 ? '' : text.slice(colon + 1).replace(/^ /, '');
    if (field === 'data') data.push(value);
    else if (field === 'event') type = value;
    else if (field === 'id') id = value;
    return undefined;
  };

  return {
    push(bytes: Uint8Array, at: number): SseItem[] {
      const items: SseItem[] = [];
      rest += decoder.decode(bytes, { stream: true });
      if (lastWasCr && rest !== '') {
        if (rest.startsWith('\n')) rest = rest.slice(1);
        lastWasCr = false;
      }
      for (;;) {
        const end = rest.search(/[\r\n]/);
        if (end < 0) return items;
        const cr = rest[end] === '\r';
        const text = rest.slice(0, end);
        if (cr && end + 1 === rest.length) lastWasCr = true;
        rest = rest.slice(end + (cr && rest[end + 1] === '\n' ? 2 : 1));
        const item = line(text, at);
        if (item !== undefined) items.push(item);
      }
    },
    /** The unfinished rest of the body: an event without its blank line, a line without its end. */
    end() {
      rest += decoder.decode();
      return { unfinished: data.length > 0 || open ? [...data, rest].join('\n') : rest };
    },
  };
}
