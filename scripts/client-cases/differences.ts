const CR = 'keeps a CR at the end of the stream back, and loses the blank line that it ends';
const ID = 'forgets an id that comes without data';
const LASTING = 'tells the id of the event itself, not the last one';

/**
 * Where a parser of other authors is known to differ from WHATWG's text, and how: by parser and case. Chromium's
 * `EventSource` never does. A test checks that each still differs there, and nowhere else.
 */
export const DIFFERENCES: Readonly<
  Record<
    'eventsource-parser' | 'eventsource',
    { readonly version: number; readonly cases: Readonly<Record<string, string>> }
  >
> = {
  'eventsource-parser': {
    version: 3,
    cases: {
      'sse-comment-after-id': ID,
      'sse-cr': CR,
      'sse-cr-prompt': CR,
      'sse-id-no-data': ID,
      'sse-lf-cr': CR,
    },
  },
  eventsource: {
    version: 4,
    cases: {
      'sse-comment-after-id': ID,
      'sse-cr': CR,
      'sse-cr-prompt': CR,
      'sse-id': LASTING,
      'sse-id-no-data': ID,
      'sse-id-nul': LASTING,
      'sse-lf-cr': CR,
    },
  },
};

/** The known readings of a case by parsers, a sentence each. */
export const notesOn = (id: string): string[] =>
  Object.entries(DIFFERENCES).flatMap(([parser, { version, cases }]) => {
    const how = cases[id];
    return how === undefined ? [] : [`${parser} ${version} differs: it ${how}`];
  });
