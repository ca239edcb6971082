import type { ClientCase } from '../../emulator/contract/client-case.js';
import { digest, raw, sse } from './build.js';

const H = 'WHATWG HTML 9.2.6';
const UTF8 = `${H}: the stream is decoded with UTF-8 decode, whatever the type says`;
const BOM = `${H}: one leading byte order mark is stripped, no other`;
const LINES = `${H}: lines end in CRLF, LF or CR, and in nothing else`;
const SPACE = `${H}: one space after the colon is removed, no more`;
const DATA = `${H}: each data line is appended with a LF, the last LF is removed`;
const DISPATCH = `${H}: a blank line dispatches the event; without data, the type is forgotten`;
const COMMENT = `${H}: a line that starts with a colon is ignored`;
const UNKNOWN = `${H}: a field whose name is not exactly known is ignored`;
const ID = `${H}: the last event id stays until another is set; one with NUL is ignored`;
const DISCARD = `${H}: pending data at the end of the file is discarded`;
const PROMPT = `${H}: the event is dispatched when the blank line ends, and a CR alone ends a line`;
const FLUSH = {
  flush: true,
  why: 'big clients flush a last frame that lacks its blank line: OpenAI for Node does, for Go does not',
};
const PER_BYTE = { replacePerByte: true, why: 'some decoders write one U+FFFD for each byte; RFC 3629 leaves it open' };

/** 10 MB by 1 KB. */
const KILOBYTE = 'x'.repeat(1_024);
const WRITES = 10_240;

export const SSE: ClientCase[] = [
  // Bytes
  sse({ id: 'sse-one-event', title: 'Sends one event.', steps: ['data: hello\n\n'], why: DISPATCH }),
  sse({
    id: 'sse-glued',
    title: 'Sends three events in one write.',
    steps: ['data: a\n\ndata: b\n\ndata: c\n\n'],
    why: DISPATCH,
  }),
  sse({ id: 'sse-dribbled', title: 'Sends an event byte by byte.', steps: [...'data: ab\n\n'], why: DISPATCH }),
  sse({
    id: 'sse-cut-token',
    title: 'Cuts inside the field name and between the two line ends.',
    steps: ['da', 'ta: a\n', '\ndat', 'a: b\n\n'],
    why: DISPATCH,
  }),
  sse({
    id: 'sse-utf8',
    title: 'Sends characters of two, three and four bytes.',
    steps: ['data: é € 😀\n\n'],
    why: [UTF8, 'RFC 3629 3: a character is one to four bytes'],
  }),
  sse({
    id: 'sse-utf8-cut',
    title: 'Cuts inside a character of four bytes.',
    steps: [raw('data: \xf0\x9f'), raw('\x98\x80\n\n')],
    why: [UTF8, 'RFC 3629 3: a character is one to four bytes'],
  }),
  sse({
    id: 'sse-utf8-invalid',
    title: 'Sends a byte that is no UTF-8, then goes on.',
    steps: [raw('data: a\xffb\n\ndata: c\n\n')],
    why: [UTF8, 'RFC 3629 3: a character is one to four bytes'],
  }),
  sse({
    id: 'sse-utf8-subpart',
    title: 'Breaks a character of three bytes off after two.',
    steps: [raw('data: \xe2\x82x\n\n')],
    why: [UTF8, 'RFC 3629 3: a character is one to four bytes'],
    or: [PER_BYTE],
  }),
  sse({
    id: 'sse-utf8-overlong',
    title: 'Sends an overlong slash.',
    steps: [raw('data: \xc0\xaf\n\n')],
    why: [UTF8, 'RFC 3629 3: overlong forms are invalid'],
  }),
  sse({
    id: 'sse-utf8-surrogate',
    title: 'Sends a surrogate as three bytes.',
    steps: [raw('data: \xed\xa0\x80\n\n')],
    why: [UTF8, 'RFC 3629 3: surrogates are prohibited'],
  }),
  sse({
    id: 'sse-utf8-newline-after-lead',
    title: 'Ends a line right after the first byte of a character.',
    steps: [raw('data: \xc3\n\ndata: b\n\n')],
    why: [UTF8, 'RFC 3629 3: a character is one to four bytes'],
  }),
  sse({
    id: 'sse-utf8-open-end',
    title: 'Ends inside a character of an event without a blank line.',
    steps: [raw('data: a\n\ndata: \xe2\x82')],
    why: [UTF8, DISCARD],
    or: [FLUSH, { ...FLUSH, replacePerByte: true }],
  }),
  sse({
    id: 'sse-no-charset',
    title: 'Names no charset.',
    answer: { headers: { 'content-type': 'text/event-stream' } },
    steps: ['data: é\n\n'],
    why: UTF8,
  }),
  sse({
    id: 'sse-wrong-charset',
    title: 'Names ISO 8859-1 and sends UTF-8.',
    answer: { headers: { 'content-type': 'text/event-stream; charset=iso-8859-1' } },
    steps: ['data: é\n\n'],
    why: UTF8,
  }),
  sse({ id: 'sse-bom', title: 'Begins with a byte order mark.', steps: ['\ufeffdata: a\n\n'], why: BOM }),
  sse({
    id: 'sse-bom-cut',
    title: 'Cuts inside the byte order mark.',
    steps: [raw('\xef\xbb'), raw('\xbfdata: a\n\n')],
    why: BOM,
  }),
  sse({
    id: 'sse-bom-middle',
    title: 'Has a byte order mark before the second event.',
    steps: ['data: a\n\n\ufeffdata: b\n\ndata: c\n\n'],
    why: BOM,
  }),
  sse({
    id: 'sse-bom-twice',
    title: 'Begins with two byte order marks.',
    steps: ['\ufeff\ufeffdata: a\n\ndata: b\n\n'],
    why: BOM,
  }),
  sse({
    id: 'sse-bom-in-data',
    title: 'Has U+FEFF within the data.',
    steps: ['data: a\ufeffb\ndata:\ufeffc\n\n'],
    why: BOM,
  }),
  sse({ id: 'sse-nul', title: 'Has NUL within the data.', steps: ['data: a\0b\n\n'], why: DATA }),

  // Line ends
  sse({
    id: 'sse-crlf',
    title: 'Ends lines with CRLF.',
    steps: ['data: a\r\n\r\ndata: b\r\ndata: c\r\n\r\n'],
    why: LINES,
  }),
  sse({ id: 'sse-cr', title: 'Ends lines with CR.', steps: ['data: a\r\rdata: b\rdata: c\r\r'], why: LINES }),
  sse({
    id: 'sse-mixed-ends',
    title: 'Mixes CRLF, LF and CR.',
    steps: ['data: a\r\ndata: b\n\rdata: c\r\n\ndata: d\n\r\n'],
    why: LINES,
  }),
  sse({
    id: 'sse-crlf-split',
    title: 'Cuts between CR and LF.',
    steps: ['data: a\r', '\ndata: b\r', '\n\r', '\ndata: c\n\n'],
    why: LINES,
  }),
  sse({
    id: 'sse-lf-cr',
    title: 'Ends a line with LF and the blank one with CR.',
    steps: ['data: a\n\rdata: b\n\r'],
    why: LINES,
  }),
  sse({
    id: 'sse-crlf-after-bom',
    title: 'Begins with a byte order mark and a blank line of CRLF.',
    steps: ['\ufeff\r\ndata: a\r\n\r\n'],
    why: [LINES, BOM],
  }),
  sse({
    id: 'sse-u2028',
    title: 'Has U+2028 and U+2029 raw in the data.',
    steps: ['data: a\u2028b\u2029c\n\n'],
    why: LINES,
  }),
  sse({ id: 'sse-u0085', title: 'Has U+0085 raw in the data.', steps: ['data: a\u0085b\n\n'], why: LINES }),
  sse({
    id: 'sse-vt-ff',
    title: 'Has VT, FF and the separators U+001C to U+001E raw in the data.',
    steps: ['data: a\vb\fc\x1cd\x1de\x1ef\n\n'],
    why: LINES,
  }),
  sse({
    id: 'sse-lf-prompt',
    title: 'Ends lines with LF; each event must be out before the next write.',
    steps: ['data: a\n\n', 'data: b\n\n', 'data: c\n\n'],
    expect: { prompt: true },
    why: PROMPT,
  }),
  sse({
    id: 'sse-crlf-prompt',
    title: 'Ends lines with CRLF; each event must be out before the next write.',
    steps: ['data: a\r\n\r\n', 'data: b\r\n\r\n'],
    expect: { prompt: true },
    why: PROMPT,
  }),
  sse({
    id: 'sse-cr-prompt',
    title: 'Ends lines with CR alone; each event must be out before the next write.',
    steps: ['data: a\r\r', 'data: b\r\r'],
    expect: { prompt: true },
    why: PROMPT,
  }),
  sse({
    id: 'sse-mixed-prompt',
    title: 'Ends the blank line with CR after LF; the event must be out before the next write.',
    steps: ['data: a\n\r', 'data: b\r\n\r', '\ndata: c\n\n'],
    expect: { prompt: true },
    why: PROMPT,
  }),
  sse({
    id: 'sse-comment-prompt',
    title: 'Holds an event back for nothing: comments follow it.',
    steps: ['data: a\n\n', ': keepalive\n\n', 'data: b\n\n', ': keepalive\n\n'],
    expect: { prompt: true },
    why: PROMPT,
  }),
  sse({
    id: 'sse-glued-prompt',
    title: 'Writes two events and the start of a third; the two must be out before the next write.',
    steps: ['data: a\n\ndata: b\n\nda', 'ta: c\n\n'],
    expect: { prompt: true },
    why: PROMPT,
  }),

  // Fields
  sse({
    id: 'sse-no-space',
    title: 'Has no space after the colon.',
    steps: ['data:a\n\nid:1\nevent:e\ndata:b\n\n'],
    why: SPACE,
  }),
  sse({ id: 'sse-two-spaces', title: 'Has two spaces after the colon.', steps: ['data:  a\n\n'], why: SPACE }),
  sse({ id: 'sse-tab', title: 'Has a tab after the colon.', steps: ['data:\ta\n\n'], why: SPACE }),
  sse({
    id: 'sse-trailing-space',
    title: 'Has spaces at the end of a value.',
    steps: ['data: a  \nevent: e \n\n'],
    why: SPACE,
  }),
  sse({ id: 'sse-only-spaces', title: 'Has a value of two spaces.', steps: ['data:  \n\n'], why: SPACE }),
  sse({
    id: 'sse-colon-in-value',
    title: 'Has colons in the value.',
    steps: ['data: a: b:c\n\ndata::d\n\n'],
    why: `${H}: the first colon of a line ends the name of its field`,
  }),
  sse({
    id: 'sse-field-in-value',
    title: 'Has a field name within the value.',
    steps: ['data: data: a\ndata: event: b\n\n'],
    why: `${H}: the first colon of a line ends the name of its field`,
  }),
  sse({
    id: 'sse-data-lines',
    title: 'Has several data lines in one event.',
    steps: ['data: a\ndata: b\ndata: c\n\n'],
    why: DATA,
  }),
  sse({
    id: 'sse-data-json-lines',
    title: 'Spreads JSON over data lines.',
    steps: ['data: {\ndata: "a": 1\ndata: }\n\n'],
    why: DATA,
  }),
  sse({
    id: 'sse-empty-data',
    title: 'Sends an event whose data is empty.',
    steps: ['data:\n\ndata: a\n\n'],
    why: DATA,
  }),
  sse({
    id: 'sse-data-no-colon',
    title: 'Has `data` as a whole line.',
    steps: ['data\n\ndata\ndata\n\ndata:\n'],
    why: [DATA, `${H}: a line without a colon is a field with an empty value`],
    or: [FLUSH],
  }),
  sse({
    id: 'sse-empty-lines-end',
    title: 'Ends an event with empty data lines.',
    steps: ['data: a\ndata:\ndata\n\n'],
    why: DATA,
  }),
  sse({
    id: 'sse-empty-lines-start',
    title: 'Begins an event with empty data lines.',
    steps: ['data:\ndata\ndata: a\n\n'],
    why: DATA,
  }),
  sse({
    id: 'sse-event-type',
    title: 'Names a type.',
    steps: ['event: ping\ndata: a\n\ndata: b\n\n'],
    why: `${H}: the type is that of one event`,
  }),
  sse({
    id: 'sse-event-after-data',
    title: 'Names the type after the data.',
    steps: ['data: a\nevent: late\n\n'],
    why: `${H}: fields come in any order`,
  }),
  sse({
    id: 'sse-event-twice',
    title: 'Names two types.',
    steps: ['event: one\nevent: two\ndata: a\n\n'],
    why: `${H}: the type is set, not appended`,
  }),
  sse({
    id: 'sse-event-empty',
    title: 'Names an empty type.',
    steps: ['event: x\nevent:\ndata: a\n\n'],
    why: `${H}: an empty type is message`,
  }),
  sse({
    id: 'sse-event-no-data',
    title: 'Has a type without data, then data without a type.',
    steps: ['event: lost\n\ndata: a\n\n'],
    why: DISPATCH,
  }),
  sse({
    id: 'sse-id',
    title: 'Sets an id that lasts.',
    steps: ['id: 1\ndata: a\n\ndata: b\n\nid: 2\ndata: c\n\n'],
    why: ID,
  }),
  sse({
    id: 'sse-id-empty',
    title: 'Sets the id back to nothing.',
    steps: ['id: 1\ndata: a\n\nid:\ndata: b\n\nid: 2\ndata: c\n\nid\ndata: d\n\n'],
    why: ID,
  }),
  sse({
    id: 'sse-id-nul',
    title: 'Sends an id with NUL.',
    steps: ['id: 1\ndata: a\n\nid: 2\x003\ndata: b\n\n'],
    why: ID,
  }),
  sse({
    id: 'sse-id-no-data',
    title: 'Sends an id without data, then data without an id.',
    steps: ['id: 7\n\ndata: a\n\n'],
    why: ID,
  }),
  sse({ id: 'sse-id-twice', title: 'Sets two ids in one event.', steps: ['id: 1\ndata: a\nid: 2\n\n'], why: ID }),
  sse({
    id: 'sse-id-space',
    title: 'Sends an id with spaces and a colon.',
    steps: ['id:  a: b \ndata: a\n\n'],
    why: SPACE,
  }),
  sse({
    id: 'sse-retry-only',
    title: 'Sends a frame of `retry` alone.',
    steps: ['retry: 1000\n\ndata: a\n\n'],
    why: DISPATCH,
  }),
  sse({
    id: 'sse-retry-bad',
    title: 'Sends a `retry` that is no number.',
    steps: ['retry: 1s\ndata: a\n\nretry: -1\ndata: b\n\nretry:\ndata: c\n\n'],
    why: `${H}: retry is ignored unless it is ASCII digits alone`,
  }),
  sse({
    id: 'sse-unknown-field',
    title: 'Sends fields that nobody knows.',
    steps: ['foo: bar\ndata: a\nconstructor: x\n__proto__: y\ntoString: z\n\n'],
    why: UNKNOWN,
  }),
  sse({
    id: 'sse-field-case',
    title: 'Writes field names in capitals.',
    steps: ['Data: a\n\nDATA: b\ndata: c\nEvent: x\nID: 9\n\n'],
    why: UNKNOWN,
  }),
  sse({
    id: 'sse-field-space',
    title: 'Writes field names with a space before or after.',
    steps: [' data: a\n\ndata : b\n\ndata: c\n id: 1\n\n'],
    why: UNKNOWN,
  }),
  sse({
    id: 'sse-field-prefix',
    title: 'Sends fields whose names begin like known ones.',
    steps: ['database: a\ndata: b\nevents: x\nidentity: 3\n\n'],
    why: UNKNOWN,
  }),
  sse({
    id: 'sse-no-colon',
    title: 'Sends a line without a colon.',
    steps: ['garbage\ndata: a\nmore garbage\n\n'],
    why: UNKNOWN,
  }),

  // Comments and blank lines
  sse({
    id: 'sse-comment-before',
    title: 'Sends a comment before the data.',
    steps: [': hello\ndata: a\n\n'],
    why: COMMENT,
  }),
  sse({
    id: 'sse-comment-between',
    title: 'Sends a comment between data lines.',
    steps: ['data: a\n: no\n:\ndata: b\n\n'],
    why: COMMENT,
  }),
  sse({
    id: 'sse-comment-after',
    title: 'Sends a comment between the data and the blank line.',
    steps: ['data: a\n: no\n\ndata: b\n\n'],
    why: COMMENT,
  }),
  sse({
    id: 'sse-comment-after-id',
    title: 'Sends a comment after an id.',
    steps: ['id: 1\n: keepalive\n\ndata: a\n\n'],
    why: [COMMENT, DISPATCH],
  }),
  sse({
    id: 'sse-comment-frame',
    title: 'Sends comments as frames of their own.',
    steps: [': keepalive\n\n:\n\ndata: a\n\n: keepalive\n\n'],
    why: [COMMENT, DISPATCH],
  }),
  sse({
    id: 'sse-comment-like-data',
    title: 'Sends comments that look like fields and JSON.',
    steps: [':data: no\n: {"no": 1}\n\ndata: : yes\n\n'],
    why: COMMENT,
  }),
  sse({
    id: 'sse-comments-only',
    title: 'Sends nothing but comments for a while, then an event.',
    steps: [': keepalive\n\n', { wait: 200 }, ': keepalive\n\n', { wait: 200 }, ': keepalive\n\n', 'data: a\n\n'],
    why: COMMENT,
  }),
  sse({ id: 'sse-no-event', title: 'Sends comments and ends.', steps: [': nothing\n\n'], why: COMMENT }),
  sse({
    id: 'sse-blank-lines',
    title: 'Sends blank lines before, between and after.',
    steps: ['\n\n\ndata: a\n\n\n\ndata: b\n\n\n'],
    why: DISPATCH,
  }),
  sse({
    id: 'sse-done',
    title: 'Sends [DONE] as data, and an event after it.',
    steps: ['data: [DONE]\n\ndata: a\n\n'],
    why: `${H}: [DONE] is data like other data`,
  }),

  // Ends
  sse({
    id: 'sse-end-no-blank',
    title: 'Ends without a blank line after the last event.',
    steps: ['data: a\n\ndata: b\n'],
    why: DISCARD,
    or: [FLUSH],
  }),
  sse({
    id: 'sse-end-no-line-end',
    title: 'Ends inside the last line.',
    steps: ['data: a\n\ndata: b'],
    why: DISCARD,
    or: [FLUSH],
  }),
  sse({
    id: 'sse-end-cr',
    title: 'Ends with one CR after the last data line.',
    steps: ['data: a\n\ndata: b\r'],
    why: DISCARD,
    or: [FLUSH],
  }),
  sse({
    id: 'sse-end-crlf',
    title: 'Ends with CRLF after the last data line.',
    steps: ['data: a\r\n\r\ndata: b\r\n'],
    why: DISCARD,
    or: [FLUSH],
  }),
  sse({ id: 'sse-end-field-name', title: 'Ends inside a field name.', steps: ['data: a\n\ndat'], why: DISCARD }),
  sse({ id: 'sse-end-id', title: 'Ends after an id without data.', steps: ['data: a\n\nid: 3\n'], why: DISCARD }),
  sse({ id: 'sse-empty-body', title: 'Ends at once.', steps: [], why: DISCARD }),

  // Sizes
  sse({
    id: 'sse-many-events',
    title: 'Sends 300 events in one write.',
    steps: [Array.from({ length: 300 }, (_, n) => `data: ${n}\n\n`).join('')],
    why: DISPATCH,
    whole: true,
  }),
  sse({
    id: 'sse-long-line',
    title: 'Sends a line of 10 MB in writes of 1 KB.',
    steps: ['data: ', { write: KILOBYTE, repeat: WRITES }, '\n\ndata: after\n\n'],
    flags: ['linear'],
    whole: true,
    timeout: 60_000,
    expect: {
      events: [
        { event: 'message', data: digest(KILOBYTE.repeat(WRITES)), id: '' },
        { event: 'message', data: 'after', id: '' },
      ],
    },
    why: `${H}: a line has no longest length; each byte is looked at once`,
  }),
];
