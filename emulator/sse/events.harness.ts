import { createParser } from 'eventsource-parser';

/** The data of the events of a stream, and its comments. An event that broke off is left out. */
export function eventsIn(text: string): { readonly data: readonly string[]; readonly comments: readonly string[] } {
  const data: string[] = [];
  const comments: string[] = [];
  const parser = createParser({
    onEvent: (event) => data.push(event.data),
    onComment: (comment) => comments.push(comment),
  });
  parser.feed(text);
  return { data, comments };
}
