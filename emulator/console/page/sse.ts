/** An event of a stream of server-sent events. `id` is the last that the stream gave, with this event or before it. */
export interface SseEvent {
  event: string;
  data: string;
  id: string | undefined;
}

/** Reads server-sent events from pieces of text as they come, wherever they are cut. Comments go to `onComment`. */
export function createSseReader(onEvent: (event: SseEvent) => void, onComment?: (text: string) => void) {
  let rest = '';
  let event = '';
  let data: string[] = [];
  let id: string | undefined;
  let last: string | undefined;
  const line = (text: string) => {
    if (text === '') {
      last = id;
      if (data.length > 0) onEvent({ event: event || 'message', data: data.join('\n'), id });
      event = '';
      data = [];
      return;
    }
    if (text.startsWith(':')) return onComment?.(text.slice(1).trim());
    const colon = text.indexOf(':');
    const name = colon < 0 ? text : text.slice(0, colon);
    const value = colon < 0 ? '' : text.slice(colon + 1).replace(/^ /, '');
    if (name === 'data') data.push(value);
    else if (name === 'event') event = value;
    else if (name === 'id') id = value;
  };
  return {
    /** The last id that the stream gave, with an event or alone. That of an event that was cut off does not count. */
    lastId: () => last,
    push(text: string) {
      rest += text;
      let start = 0;
      for (let end = rest.indexOf('\n'); end >= 0; end = rest.indexOf('\n', start)) {
        line(rest.slice(start, end).replace(/\r$/, ''));
        start = end + 1;
      }
      rest = rest.slice(start);
    },
  };
}
