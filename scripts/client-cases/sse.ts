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
const CHARACTER = [UTF8, 'RFC 3629 3: a character is one to four bytes'];
const COLON = `${H}: the first colon of a line ends the name of its field`;
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
  sse('sse-one-event', 'Sends one event.', DISPATCH, ['data: hello\n\n']),
  sse('sse-glued', 'Sends three events in one write.', DISPATCH, ['data: a\n\ndata: b\n\ndata: c\n\n']),
  sse('sse-dribbled', 'Sends an event byte by byte.', DISPATCH, [...'data: ab\n\n']),
  sse('sse-cut-token', 'Cuts inside the field name and between the two line ends.', DISPATCH, [
    'da',
    'ta: a\n',
    '\ndat',
    'a: b\n\n',
  ]),
  sse('sse-utf8', 'Sends characters of two, three and four bytes.', CHARACTER, ['data: é € 😀\n\n']),
  sse('sse-utf8-cut', 'Cuts inside a character of four bytes.', CHARACTER, [
    raw('data: \xf0\x9f'),
    raw('\x98\x80\n\n'),
  ]),
  sse('sse-utf8-invalid', 'Sends a byte that is no UTF-8, then goes on.', CHARACTER, [
    raw('data: a\xffb\n\ndata: c\n\n'),
  ]),
  sse('sse-utf8-subpart', 'Breaks a character of three bytes off after two.', CHARACTER, [raw('data: \xe2\x82x\n\n')], {
    or: [PER_BYTE],
  }),
  sse(
    'sse-utf8-overlong',
    'Sends an overlong slash.',
    [UTF8, 'RFC 3629 3: overlong forms are invalid'],
    [raw('data: \xc0\xaf\n\n')],
  ),
  sse(
    'sse-utf8-surrogate',
    'Sends a surrogate as three bytes.',
    [UTF8, 'RFC 3629 3: surrogates are prohibited'],
    [raw('data: \xed\xa0\x80\n\n')],
  ),
  sse('sse-utf8-newline-after-lead', 'Ends a line right after the first byte of a character.', CHARACTER, [
    raw('data: \xc3\n\ndata: b\n\n'),
  ]),
  sse(
    'sse-utf8-open-end',
    'Ends inside a character of an event without a blank line.',
    [UTF8, DISCARD],
    [raw('data: a\n\ndata: \xe2\x82')],
    { or: [FLUSH, { ...FLUSH, replacePerByte: true }] },
  ),
  sse('sse-no-charset', 'Names no charset.', UTF8, ['data: é\n\n'], {
    answer: { headers: { 'content-type': 'text/event-stream' } },
  }),
  sse('sse-wrong-charset', 'Names ISO 8859-1 and sends UTF-8.', UTF8, ['data: é\n\n'], {
    answer: { headers: { 'content-type': 'text/event-stream; charset=iso-8859-1' } },
  }),
  sse('sse-bom', 'Begins with a byte order mark.', BOM, ['\ufeffdata: a\n\n']),
  sse('sse-bom-cut', 'Cuts inside the byte order mark.', BOM, [raw('\xef\xbb'), raw('\xbfdata: a\n\n')]),
  sse('sse-bom-middle', 'Has a byte order mark before the second event.', BOM, [
    'data: a\n\n\ufeffdata: b\n\ndata: c\n\n',
  ]),
  sse('sse-bom-twice', 'Begins with two byte order marks.', BOM, ['\ufeff\ufeffdata: a\n\ndata: b\n\n']),
  sse('sse-bom-in-data', 'Has U+FEFF within the data.', BOM, ['data: a\ufeffb\ndata:\ufeffc\n\n']),
  sse('sse-nul', 'Has NUL within the data.', DATA, ['data: a\0b\n\n']),

  // Line ends
  sse('sse-crlf', 'Ends lines with CRLF.', LINES, ['data: a\r\n\r\ndata: b\r\ndata: c\r\n\r\n']),
  sse('sse-cr', 'Ends lines with CR.', LINES, ['data: a\r\rdata: b\rdata: c\r\r']),
  sse('sse-mixed-ends', 'Mixes CRLF, LF and CR.', LINES, ['data: a\r\ndata: b\n\rdata: c\r\n\ndata: d\n\r\n']),
  sse('sse-crlf-split', 'Cuts between CR and LF.', LINES, ['data: a\r', '\ndata: b\r', '\n\r', '\ndata: c\n\n']),
  sse('sse-lf-cr', 'Ends a line with LF and the blank one with CR.', LINES, ['data: a\n\rdata: b\n\r']),
  sse(
    'sse-crlf-after-bom',
    'Begins with a byte order mark and a blank line of CRLF.',
    [LINES, BOM],
    ['\ufeff\r\ndata: a\r\n\r\n'],
  ),
  sse('sse-u2028', 'Has U+2028 and U+2029 raw in the data.', LINES, ['data: a\u2028b\u2029c\n\n']),
  sse('sse-u0085', 'Has U+0085 raw in the data.', LINES, ['data: a\u0085b\n\n']),
  sse('sse-vt-ff', 'Has VT, FF and the separators U+001C to U+001E raw in the data.', LINES, [
    'data: a\vb\fc\x1cd\x1de\x1ef\n\n',
  ]),
  sse(
    'sse-lf-prompt',
    'Ends lines with LF; each event must be out before the next write.',
    PROMPT,
    ['data: a\n\n', 'data: b\n\n', 'data: c\n\n'],
    { expect: { prompt: true } },
  ),
  sse(
    'sse-crlf-prompt',
    'Ends lines with CRLF; each event must be out before the next write.',
    PROMPT,
    ['data: a\r\n\r\n', 'data: b\r\n\r\n'],
    { expect: { prompt: true } },
  ),
  sse(
    'sse-cr-prompt',
    'Ends lines with CR alone; each event must be out before the next write.',
    PROMPT,
    ['data: a\r\r', 'data: b\r\r'],
    { expect: { prompt: true } },
  ),
  sse(
    'sse-mixed-prompt',
    'Ends the blank line with CR after LF; the event must be out before the next write.',
    PROMPT,
    ['data: a\n\r', 'data: b\r\n\r', '\ndata: c\n\n'],
    { expect: { prompt: true } },
  ),
  sse(
    'sse-comment-prompt',
    'Holds an event back for nothing: comments follow it.',
    PROMPT,
    ['data: a\n\n', ': keepalive\n\n', 'data: b\n\n', ': keepalive\n\n'],
    { expect: { prompt: true } },
  ),
  sse(
    'sse-glued-prompt',
    'Writes two events and the start of a third; the two must be out before the next write.',
    PROMPT,
    ['data: a\n\ndata: b\n\nda', 'ta: c\n\n'],
    { expect: { prompt: true } },
  ),

  // Fields
  sse('sse-no-space', 'Has no space after the colon.', SPACE, ['data:a\n\nid:1\nevent:e\ndata:b\n\n']),
  sse('sse-two-spaces', 'Has two spaces after the colon.', SPACE, ['data:  a\n\n']),
  sse('sse-tab', 'Has a tab after the colon.', SPACE, ['data:\ta\n\n']),
  sse('sse-trailing-space', 'Has spaces at the end of a value.', SPACE, ['data: a  \nevent: e \n\n']),
  sse('sse-only-spaces', 'Has a value of two spaces.', SPACE, ['data:  \n\n']),
  sse('sse-colon-in-value', 'Has colons in the value.', COLON, ['data: a: b:c\n\ndata::d\n\n']),
  sse('sse-field-in-value', 'Has a field name within the value.', COLON, ['data: data: a\ndata: event: b\n\n']),
  sse('sse-data-lines', 'Has several data lines in one event.', DATA, ['data: a\ndata: b\ndata: c\n\n']),
  sse('sse-data-json-lines', 'Spreads JSON over data lines.', DATA, ['data: {\ndata: "a": 1\ndata: }\n\n']),
  sse('sse-empty-data', 'Sends an event whose data is empty.', DATA, ['data:\n\ndata: a\n\n']),
  sse(
    'sse-data-no-colon',
    'Has `data` as a whole line.',
    [DATA, `${H}: a line without a colon is a field with an empty value`],
    ['data\n\ndata\ndata\n\ndata:\n'],
    { or: [FLUSH] },
  ),
  sse('sse-empty-lines-end', 'Ends an event with empty data lines.', DATA, ['data: a\ndata:\ndata\n\n']),
  sse('sse-empty-lines-start', 'Begins an event with empty data lines.', DATA, ['data:\ndata\ndata: a\n\n']),
  sse('sse-event-type', 'Names a type.', `${H}: the type is that of one event`, [
    'event: ping\ndata: a\n\ndata: b\n\n',
  ]),
  sse('sse-event-after-data', 'Names the type after the data.', `${H}: fields come in any order`, [
    'data: a\nevent: late\n\n',
  ]),
  sse('sse-event-twice', 'Names two types.', `${H}: the type is set, not appended`, [
    'event: one\nevent: two\ndata: a\n\n',
  ]),
  sse('sse-event-empty', 'Names an empty type.', `${H}: an empty type is message`, ['event: x\nevent:\ndata: a\n\n']),
  sse('sse-event-no-data', 'Has a type without data, then data without a type.', DISPATCH, [
    'event: lost\n\ndata: a\n\n',
  ]),
  sse('sse-id', 'Sets an id that lasts.', ID, ['id: 1\ndata: a\n\ndata: b\n\nid: 2\ndata: c\n\n']),
  sse('sse-id-empty', 'Sets the id back to nothing.', ID, [
    'id: 1\ndata: a\n\nid:\ndata: b\n\nid: 2\ndata: c\n\nid\ndata: d\n\n',
  ]),
  sse('sse-id-nul', 'Sends an id with NUL.', ID, ['id: 1\ndata: a\n\nid: 2\x003\ndata: b\n\n']),
  sse('sse-id-no-data', 'Sends an id without data, then data without an id.', ID, ['id: 7\n\ndata: a\n\n']),
  sse('sse-id-twice', 'Sets two ids in one event.', ID, ['id: 1\ndata: a\nid: 2\n\n']),
  sse('sse-id-space', 'Sends an id with spaces and a colon.', SPACE, ['id:  a: b \ndata: a\n\n']),
  sse('sse-retry-only', 'Sends a frame of `retry` alone.', DISPATCH, ['retry: 1000\n\ndata: a\n\n']),
  sse('sse-retry-bad', 'Sends a `retry` that is no number.', `${H}: retry is ignored unless it is ASCII digits alone`, [
    'retry: 1s\ndata: a\n\nretry: -1\ndata: b\n\nretry:\ndata: c\n\n',
  ]),
  sse('sse-unknown-field', 'Sends fields that nobody knows.', UNKNOWN, [
    'foo: bar\ndata: a\nconstructor: x\n__proto__: y\ntoString: z\n\n',
  ]),
  sse('sse-field-case', 'Writes field names in capitals.', UNKNOWN, [
    'Data: a\n\nDATA: b\ndata: c\nEvent: x\nID: 9\n\n',
  ]),
  sse('sse-field-space', 'Writes field names with a space before or after.', UNKNOWN, [
    ' data: a\n\ndata : b\n\ndata: c\n id: 1\n\n',
  ]),
  sse('sse-field-prefix', 'Sends fields whose names begin like known ones.', UNKNOWN, [
    'database: a\ndata: b\nevents: x\nidentity: 3\n\n',
  ]),
  sse('sse-no-colon', 'Sends a line without a colon.', UNKNOWN, ['garbage\ndata: a\nmore garbage\n\n']),

  // Comments and blank lines
  sse('sse-comment-before', 'Sends a comment before the data.', COMMENT, [': hello\ndata: a\n\n']),
  sse('sse-comment-between', 'Sends a comment between data lines.', COMMENT, ['data: a\n: no\n:\ndata: b\n\n']),
  sse('sse-comment-after', 'Sends a comment between the data and the blank line.', COMMENT, [
    'data: a\n: no\n\ndata: b\n\n',
  ]),
  sse(
    'sse-comment-after-id',
    'Sends a comment after an id.',
    [COMMENT, DISPATCH],
    ['id: 1\n: keepalive\n\ndata: a\n\n'],
  ),
  sse(
    'sse-comment-frame',
    'Sends comments as frames of their own.',
    [COMMENT, DISPATCH],
    [': keepalive\n\n:\n\ndata: a\n\n: keepalive\n\n'],
  ),
  sse('sse-comment-like-data', 'Sends comments that look like fields and JSON.', COMMENT, [
    ':data: no\n: {"no": 1}\n\ndata: : yes\n\n',
  ]),
  sse('sse-comments-only', 'Sends nothing but comments for a while, then an event.', COMMENT, [
    ': keepalive\n\n',
    { wait: 200 },
    ': keepalive\n\n',
    { wait: 200 },
    ': keepalive\n\n',
    'data: a\n\n',
  ]),
  sse('sse-no-event', 'Sends comments and ends.', COMMENT, [': nothing\n\n']),
  sse('sse-blank-lines', 'Sends blank lines before, between and after.', DISPATCH, [
    '\n\n\ndata: a\n\n\n\ndata: b\n\n\n',
  ]),
  sse('sse-line-of-spaces', 'Sends lines of spaces and of a tab within an event.', UNKNOWN, [
    'data: a\n \ndata: b\n\t\ndata: c\n  \n\n',
  ]),
  sse('sse-done', 'Sends [DONE] as data, and an event after it.', `${H}: [DONE] is data like other data`, [
    'data: [DONE]\n\ndata: a\n\n',
  ]),

  // Ends
  sse('sse-end-no-blank', 'Ends without a blank line after the last event.', DISCARD, ['data: a\n\ndata: b\n'], {
    or: [FLUSH],
  }),
  sse('sse-end-no-line-end', 'Ends inside the last line.', DISCARD, ['data: a\n\ndata: b'], { or: [FLUSH] }),
  sse('sse-end-cr', 'Ends with one CR after the last data line.', DISCARD, ['data: a\n\ndata: b\r'], { or: [FLUSH] }),
  sse('sse-end-crlf', 'Ends with CRLF after the last data line.', DISCARD, ['data: a\r\n\r\ndata: b\r\n'], {
    or: [FLUSH],
  }),
  sse('sse-end-field-name', 'Ends inside a field name.', DISCARD, ['data: a\n\ndat']),
  sse('sse-end-id', 'Ends after an id without data.', DISCARD, ['data: a\n\nid: 3\n']),
  sse('sse-empty-body', 'Ends at once.', DISCARD, []),

  // Sizes
  sse(
    'sse-many-events',
    'Sends 300 events in one write.',
    DISPATCH,
    [Array.from({ length: 300 }, (_, n) => `data: ${n}\n\n`).join('')],
    { whole: true },
  ),
  sse(
    'sse-long-line',
    'Sends a line of 10 MB in writes of 1 KB.',
    `${H}: a line has no longest length; each byte is looked at once`,
    ['data: ', { write: KILOBYTE, repeat: WRITES }, '\n\ndata: after\n\n'],
    {
      flags: ['linear'],
      whole: true,
      timeout: 60_000,
      expect: {
        events: [
          { event: 'message', data: digest(KILOBYTE.repeat(WRITES)), id: '' },
          { event: 'message', data: 'after', id: '' },
        ],
      },
    },
  ),
];
