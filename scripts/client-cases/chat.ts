import type { ClientCase, Expectation } from '../../emulator/contract/client-case.js';
import {
  call,
  chat,
  chatExpect,
  choice,
  chunkOf,
  DONE,
  data,
  digest,
  end,
  final,
  json,
  plain,
  refusal,
  role,
  say,
  stream,
  tools,
  USAGE,
  type Written,
} from './build.js';

const OPENAI = 'OpenAI API reference, Chat streaming';
const SDK_TOOLS = `${OPENAI}: tool-call deltas are joined by index`;
const LAB = 'docs/client-rules.md';
const H = 'WHATWG HTML 9.2.6';
const TEXT = `${OPENAI}: the text is that of all deltas, in their order`;
const BLANK = `${H}: a blank line ends an event, wherever the bytes are cut`;
const END = `${LAB}, Ends`;
const JSON_TEXT = 'RFC 8259 8.2: a string may be cut between the halves of a surrogate pair';
const ERRORS = 'interface.md, Events 6 and 7: the error stands in a chunk of the stream';

const weather = '{"city":"Paris"}';
const called = (...args: string[]) => args.map((one) => tools(call(0, undefined, undefined, one)));
const toolEnd: Written[] = [end('tool_calls'), final(USAGE, {}), DONE];
/** The end of a turn that waits for an answer, in this interface. */
const pauseEnd: Written[] = [end('tool_calls'), final(null), DONE];
const textEnd: Written[] = [end('stop'), final(), DONE];

const either = (expect: Expectation, why: string) => [{ ...expect, why }];
const asError = (why: string) => either({ outcome: 'error' }, why);

/** The same, but missing arguments are reported as `{}`. */
const emptyObject = (written: readonly Written[]) => {
  const expect = chatExpect(written);
  const chatOut = expect.chat;
  if (chatOut === undefined) throw new Error('no chat');
  return either(
    { ...expect, chat: { ...chatOut, tool_calls: chatOut.tool_calls.map((one) => ({ ...one, arguments: '{}' })) } },
    `${LAB}: arguments that never came are "" or "{}"`,
  );
};

const NO_ARGUMENTS: Written[] = [role(), tools(call(0, 'call_1', 'now', '')), ...toolEnd];
const NEVER_ARGUMENTS: Written[] = [role(), tools(call(0, 'call_1', 'now')), ...toolEnd];
const TWO_IDS: Written[] = [
  role(),
  tools(call(0, 'call_1', 'first', '{"a":1}')),
  tools(call(0, 'call_2', 'second', '{"b":2}')),
  ...toolEnd,
];

/** Text divided inside its first character of four bytes. */
const halved = (text: string): Uint8Array[] => {
  const bytes = Buffer.from(text);
  const at = bytes.findIndex((byte) => byte >= 0xf0) + 2;
  return [bytes.subarray(0, at), bytes.subarray(at)];
};

const QUESTION = JSON.stringify({ kind: 'permission', operation: 'shell', options: ['allow_once', 'reject_once'] });
const ask = tools(call(0, 'int_1', 'service.provide_input', QUESTION));
const REPLY = {
  session_id: 'ses-lab-1',
  stream: true,
  messages: [
    {
      role: 'assistant',
      content: null,
      tool_calls: [{ id: 'int_1', type: 'function', function: { name: 'service.provide_input', arguments: QUESTION } }],
    },
    { role: 'tool', tool_call_id: 'int_1', content: 'allow_once' },
  ],
};
const errorChunk = (code: number, reason: string, retryable: boolean) =>
  choice({}, 'error', { error: { code, message: reason, metadata: { reason, retryable } } });

const PIECE = 'abcdefghijklmnop'.repeat(16);
/** A delta of so many times 256 characters, each 256 in a write of their own: a line that comes in small writes. */
const longLine = (writes: number): Written[] => {
  const [before = '', after = ''] = say('|').split('|');
  return [before, { write: PIECE, repeat: writes }, after, ...textEnd];
};
/** The events that came, their text as a digest where an answer may hold one. */
const longText = (writes: number): Expectation => {
  const text = PIECE.repeat(writes);
  const { chat: read } = chatExpect([say(''), ...textEnd]);
  if (read === undefined) throw new Error('no chat');
  return { outcome: 'complete', chat: { ...read, content: digest(text) } };
};

export const CHAT: ClientCase[] = [
  // Text
  chat({
    id: 'chat-long-line-64k',
    title: 'Sends a chunk of 64 KB in writes of 256 bytes.',
    steps: longLine(256),
    whole: true,
    expect: longText(256),
    why: `${H}: a line has no longest length`,
  }),
  chat({
    id: 'chat-long-line-1m',
    title: 'Sends a chunk of 1 MB in writes of 256 bytes.',
    steps: longLine(4_096),
    flags: ['linear'],
    whole: true,
    timeout: 30_000,
    expect: longText(4_096),
    why: `${H}: a line has no longest length; each byte is looked at once`,
  }),
  chat({ id: 'chat-text', title: 'Streams text.', steps: [role(), say('Hel'), say('lo'), ...textEnd], why: TEXT }),
  chat({
    id: 'chat-short',
    title: 'Streams one word, short enough for every pair of cuts.',
    steps: ['data: {"choices":[{"delta":{"content":"é"},"finish_reason":"stop"}]}\n\n', 'data: [DONE]\n\n'],
    why: [TEXT, BLANK],
  }),
  chat({
    id: 'chat-crlf',
    title: 'Ends lines with CRLF.',
    steps: [role(), say('Hi'), ...textEnd].map((one) => (typeof one === 'string' ? one.replaceAll('\n', '\r\n') : one)),
    why: `${H}: lines end in CRLF, LF or CR`,
  }),
  chat({
    id: 'chat-cr',
    title: 'Ends lines with CR.',
    steps: [[role(), say('a'), end('stop'), DONE].join('').replaceAll('\n', '\r')],
    why: `${H}: lines end in CRLF, LF or CR`,
  }),
  chat({
    id: 'chat-no-space',
    title: 'Has no space after the colon.',
    steps: [role(), say('Hi'), ...textEnd].map((one) =>
      typeof one === 'string' ? one.replaceAll('data: ', 'data:') : one,
    ),
    why: `${H}: one space after the colon is removed, where there is one`,
  }),
  chat({
    id: 'chat-data-lines',
    title: 'Spreads a chunk over two data lines.',
    steps: [say('a').replace('"delta":', '"delta":\ndata: '), end('stop'), DONE],
    why: `${H}: data lines are joined with LF`,
  }),
  chat({
    id: 'chat-bom',
    title: 'Begins with a byte order mark.',
    steps: ['\ufeff', role(), say('Hi'), ...textEnd],
    why: `${H}: one leading byte order mark is stripped`,
  }),
  chat({
    id: 'chat-glued',
    title: 'Sends the whole stream in one write.',
    steps: [[role(), say('Hel'), say('lo'), ...textEnd].join('')],
    why: BLANK,
  }),
  chat({
    id: 'chat-u2028',
    title: 'Has U+2028, U+2029 and U+0085 raw in the text.',
    steps: [role(), say('a\u2028b\u2029c\u0085d'), ...textEnd],
    why: `${H}: lines end in CRLF, LF or CR`,
  }),
  chat({
    id: 'chat-surrogates',
    title: 'Spreads the two halves of a surrogate pair over two deltas.',
    steps: [
      role(),
      choice({ content: '@' }).replace('@', '\\ud83d'),
      choice({ content: '@' }).replace('@', '\\ude00'),
      ...textEnd,
    ],
    why: JSON_TEXT,
  }),
  chat({
    id: 'chat-utf8-cut',
    title: 'Cuts inside a character of the text.',
    steps: [role(), ...halved(say('😀')), ...textEnd],
    why: `${H}: the stream is decoded with UTF-8 decode`,
  }),
  chat({
    id: 'chat-reasoning',
    title: 'Streams thinking before the text.',
    steps: [
      role(),
      choice({ reasoning: 'Let me see.' }),
      choice({ reasoning: ' Yes.', content: null }),
      say('Yes'),
      ...textEnd,
    ],
    why: 'CHAT-1: thinking stands in delta.reasoning, never in the content',
  }),
  chat({
    id: 'chat-content-null',
    title: 'Sends `content: null` in deltas.',
    steps: [
      choice({ role: 'assistant', content: null }),
      say('a'),
      choice({ content: null }),
      say('b'),
      choice({ content: null }, 'stop'),
      final(),
      DONE,
    ],
    why: `${OPENAI}: content may be null`,
  }),
  chat({
    id: 'chat-role-again',
    title: 'Repeats the role in every delta.',
    steps: [choice({ role: 'assistant', content: 'a' }), choice({ role: 'assistant', content: 'b' }), ...textEnd],
    why: TEXT,
  }),
  chat({
    id: 'chat-done-in-text',
    title: 'Has [DONE] within the text.',
    steps: [role(), say('[DONE]'), say('data: [DONE]\n\n'), ...textEnd],
    why: `${OPENAI}: only [DONE] ends the stream`,
  }),
  chat({
    id: 'chat-unknown-fields',
    title: 'Has fields that nobody knows.',
    steps: [
      chunkOf({
        choices: [
          {
            index: 0,
            delta: { role: 'assistant', content: 'a', refusal: null, annotations: [] },
            logprobs: null,
            native_finish_reason: null,
            finish_reason: null,
          },
        ],
        provider: 'x',
        service_tier: null,
        obfuscation: 'zzz',
      }),
      ...textEnd,
    ],
    why: 'interface.md: the format is the common one; deployments add fields',
  }),
  chat({
    id: 'chat-empty-deltas',
    title: 'Sends empty deltas and a delta of null.',
    steps: [
      role(),
      choice({}),
      chunkOf({ choices: [{ index: 0, delta: null, finish_reason: null }] }),
      say('a'),
      ...textEnd,
    ],
    why: TEXT,
  }),
  chat({
    id: 'chat-finish-null-after',
    title: 'Sends a null `finish_reason` after the real one.',
    steps: [role(), say('a'), end('stop'), choice({}), final(), DONE],
    why: `${LAB}: the client reports the finish reason that came`,
  }),
  chat({
    id: 'chat-finish-with-text',
    title: 'Sends the finish reason with the last text.',
    steps: [role(), say('a'), choice({ content: 'b' }, 'stop'), final(), DONE],
    why: TEXT,
  }),
  chat({
    id: 'chat-finish-length',
    title: 'Finishes for length.',
    steps: [role(), say('a'), end('length'), final(), DONE],
    why: `${OPENAI}: finish_reason is reported as it came`,
  }),

  // Usage and the final chunk
  chat({
    id: 'chat-usage-final',
    title: 'Sends usage on a final chunk with empty `choices`.',
    steps: [role(), say('a'), end('stop'), final(USAGE, {}), DONE],
    why: [
      `${OPENAI}: with include_usage the last chunk has empty choices`,
      'CHAT-3: the final chunk has empty choices and the session_id',
    ],
  }),
  chat({
    id: 'chat-usage-no-choices',
    title: 'Sends usage on a final chunk without `choices`.',
    steps: [role(), say('a'), end('stop'), data({ id: 'gen-1', object: 'chat.completion.chunk', usage: USAGE }), DONE],
    why: `${LAB}: a chunk without choices is a chunk`,
  }),
  chat({
    id: 'chat-usage-every',
    title: 'Sends usage on every chunk, null or growing.',
    steps: [
      choice({ role: 'assistant', content: '' }, null, { usage: null }),
      choice({ content: 'a' }, null, { usage: { prompt_tokens: 3, completion_tokens: 1, total_tokens: 4 } }),
      choice({}, 'stop', { usage: USAGE }),
      DONE,
    ],
    why: `${OPENAI}: usage is null on other chunks; some servers count on each`,
  }),
  chat({
    id: 'chat-usage-null',
    title: 'Ends with usage null.',
    steps: [role(), say('a'), end('stop'), final(null), DONE],
    why: 'CHAT-4: null when the intern reported none',
  }),
  chat({
    id: 'chat-session-final',
    title: 'Sends the session id on the final chunk alone.',
    steps: [role(), say('a'), ...textEnd],
    expect: { chat: { content: 'a', tool_calls: [], finish_reason: 'stop', usage: USAGE, session_id: 'ses-lab-1' } },
    why: 'interface.md, Events 3: the client reads through [DONE]',
  }),

  // Between the chunks
  chat({
    id: 'chat-keepalive',
    title: 'Sends keepalive comments between chunks.',
    steps: [': keepalive\n\n', role(), ': keepalive\n\n', say('a'), ': keepalive\n\n', ...textEnd],
    why: 'interface.md, Events 5: a comment is written in a silence of 30 seconds; it carries nothing',
  }),
  chat({
    id: 'chat-keepalive-bare',
    title: 'Sends a comment without a blank line between chunks.',
    steps: [role(), ': keepalive\n', say('a'), ...textEnd],
    why: `${H}: a line that starts with a colon is ignored`,
  }),
  chat({
    id: 'chat-retry-field',
    title: 'Sends `retry`, `id` and `event: message` with the chunks.',
    steps: ['retry: 3000\n\n', 'id: 1\n\n', `event: message\nid: 2\n${say('a')}`, ...textEnd],
    why: `${H}: a frame without data dispatches nothing`,
  }),
  chat({
    id: 'chat-empty-data',
    title: 'Sends an event whose data is empty.',
    steps: [role(), 'data:\n\n', 'data: \n\n', say('a'), ...textEnd],
    why: `${LAB}: empty data is skipped`,
  }),
  chat({
    id: 'chat-unknown-event',
    title: 'Sends an event of a type nobody knows, with data that is no JSON.',
    steps: [
      role(),
      'event: ping\ndata: now\n\n',
      say('a'),
      'event: progress\ndata: {"choices":[{"delta":{"content":"x"}}]}\n\n',
      ...textEnd,
    ],
    why: `${LAB}: unknown event types are ignored`,
  }),
  chat({
    id: 'chat-bad-json',
    title: 'Sends data that is no JSON.',
    steps: [role(), say('a'), 'data: {"choices":[{"delta":{"content":"b"\n\n', ...textEnd],
    why: `${LAB}: data that is no JSON object is an error`,
  }),
  chat({
    id: 'chat-json-array',
    title: 'Sends a JSON array for a chunk.',
    steps: [role(), say('a'), 'data: [1,2]\n\n', ...textEnd],
    why: `${LAB}: data that is no JSON object is an error`,
  }),
  chat({
    id: 'chat-json-null',
    title: 'Sends null for a chunk.',
    steps: [role(), say('a'), 'data: null\n\n', ...textEnd],
    why: `${LAB}: data that is no JSON object is an error`,
  }),

  // Errors in the stream
  chat({
    id: 'chat-error-chunk',
    title: 'Sends an error chunk after text.',
    steps: [
      role(),
      say('a'),
      data({
        error: { code: 502, message: 'upstream', metadata: { reason: 'upstream_unavailable', retryable: true } },
      }),
      DONE,
    ],
    why: ERRORS,
  }),
  chat({
    id: 'chat-error-first',
    title: 'Sends an error as the first chunk.',
    steps: [data({ error: { code: 429, message: 'slow down' } }), DONE],
    why: ERRORS,
  }),
  chat({
    id: 'chat-error-string-code',
    title: 'Sends an error whose code is a word.',
    steps: [role(), data({ error: { code: 'server_error', message: 'no' } }), DONE],
    why: `${LAB}: an integer code is the status of the error; a code in letters is not`,
    expect: { error: {} },
  }),
  chat({
    id: 'chat-error-event',
    title: 'Sends `event: error`.',
    steps: [role(), say('a'), 'event: error\ndata: {"error":{"code":500,"message":"broken"}}\n\n', DONE],
    why: [ERRORS, `${OPENAI}: errors come as events of their own`],
  }),
  chat({
    id: 'chat-error-finish',
    title: 'Finishes with `error` without saying which.',
    steps: [role(), say('a'), end('error'), final(), DONE],
    why: `${LAB}, Ends: a call with finish_reason error has failed`,
  }),
  chat({
    id: 'chat-run-ended',
    title: 'Ends the run: code 410, reason run_ended.',
    steps: [role(), say('a'), errorChunk(410, 'run_ended', false), final(), DONE],
    why: 'interface.md, Events 6: a run that the intern ends comes as code 410, reason run_ended',
  }),
  chat({
    id: 'chat-stream-severed',
    title: 'Loses the intern: reason stream_severed.',
    steps: [role(), say('a'), errorChunk(502, 'stream_severed', true), final(null), DONE],
    why: 'interface.md, Events 7: a connection that breaks ends with reason stream_severed',
  }),
  chat({
    id: 'chat-error-tool-open',
    title: 'Fails inside the arguments of a call.',
    steps: [
      role(),
      tools(call(0, 'call_1', 'rm', '{"path":"/tmp')),
      errorChunk(410, 'run_ended', false),
      final(),
      DONE,
    ],
    why: [ERRORS, 'LAB-3: a tool call that was not finished is never reported as finished'],
  }),

  // Tool calls
  chat({
    id: 'chat-tool-whole',
    title: 'Sends a call in one delta.',
    steps: [role(), tools(call(0, 'call_1', 'weather', weather)), ...toolEnd],
    why: SDK_TOOLS,
  }),
  chat({
    id: 'chat-tool-pieces',
    title: 'Sends the arguments in pieces.',
    steps: [role(), tools(call(0, 'call_1', 'weather', '')), ...called('{"ci', 'ty":', '"Paris"}'), ...toolEnd],
    why: SDK_TOOLS,
  }),
  chat({
    id: 'chat-tool-after-text',
    title: 'Sends text, then a call.',
    steps: [role(), say('Let me look.'), tools(call(0, 'call_1', 'weather', weather)), ...toolEnd],
    why: SDK_TOOLS,
  }),
  chat({
    id: 'chat-tool-two-in-one',
    title: 'Sends the deltas of two calls in one chunk.',
    steps: [
      role(),
      tools(call(0, 'call_1', 'a', '{"x"'), call(1, 'call_2', 'b', '{"y"')),
      tools(call(0, undefined, undefined, ':1}'), call(1, undefined, undefined, ':2}')),
      ...toolEnd,
    ],
    why: SDK_TOOLS,
  }),
  chat({
    id: 'chat-tool-interleaved',
    title: 'Interleaves the arguments of two calls.',
    steps: [
      role(),
      tools(call(0, 'call_1', 'a', '')),
      tools(call(1, 'call_2', 'b', '')),
      tools(call(0, undefined, undefined, '{"x":')),
      tools(call(1, undefined, undefined, '{"y":')),
      tools(call(0, undefined, undefined, '1}')),
      tools(call(1, undefined, undefined, '2}')),
      ...toolEnd,
    ],
    why: SDK_TOOLS,
  }),
  chat({
    id: 'chat-tool-index-order',
    title: 'Begins with index 1, index 0 follows in the middle.',
    steps: [
      role(),
      tools(call(1, 'call_2', 'b', '{"y":')),
      tools(call(0, 'call_1', 'a', '{"x":1}')),
      tools(call(1, undefined, undefined, '2}')),
      ...toolEnd,
    ],
    why: `${LAB}: calls are reported in order of index`,
  }),
  chat({
    id: 'chat-tool-index-gap',
    title: 'Uses the indexes 0 and 2.',
    steps: [role(), tools(call(0, 'call_1', 'a', '{}')), tools(call(2, 'call_2', 'b', '{}')), ...toolEnd],
    why: SDK_TOOLS,
  }),
  chat({
    id: 'chat-tool-no-index',
    title: 'Sends two calls without an index.',
    steps: [
      role(),
      tools(call(undefined, 'call_1', 'a', '{"x":')),
      tools(call(undefined, undefined, undefined, '1}')),
      tools(call(undefined, 'call_2', 'b', '{"y":2}')),
      ...toolEnd,
    ],
    why: `${LAB}, Tool calls: a delta without index opens a call if its id is new, else it continues the last call`,
  }),
  chat({
    id: 'chat-tool-no-index-no-id',
    title: 'Sends two calls with neither index nor id.',
    steps: [
      role(),
      tools(call(undefined, undefined, 'a', '{"x":1}')),
      tools(call(undefined, undefined, 'b', '{"y":2}')),
      ...toolEnd,
    ],
    why: `${LAB}, Tool calls: a delta without index whose name comes after another name opens a call`,
  }),
  chat({
    id: 'chat-tool-two-ids',
    title: 'Sends two ids on one index.',
    steps: TWO_IDS,
    why: `${LAB}, Tool calls: a second id on an index opens a second call`,
    alternatives: asError(`${LAB}: a client may refuse calls that contradict each other, but not merge them`),
  }),
  chat({
    id: 'chat-tool-id-null',
    title: 'Has `id: null` in continuations.',
    steps: [
      role(),
      tools(call(0, 'call_1', 'weather', '')),
      tools(call(0, null, undefined, '{"city":')),
      tools(call(0, null, undefined, '"Paris"}')),
      ...toolEnd,
    ],
    why: SDK_TOOLS,
  }),
  chat({
    id: 'chat-tool-id-empty',
    title: 'Has `id: ""` in continuations.',
    steps: [
      role(),
      tools(call(0, 'call_1', 'weather', '')),
      tools(call(0, '', undefined, '{"city":')),
      tools(call(0, '', '', '"Paris"}')),
      ...toolEnd,
    ],
    why: SDK_TOOLS,
  }),
  chat({
    id: 'chat-tool-id-repeated',
    title: 'Repeats the id in continuations.',
    steps: [
      role(),
      tools(call(0, 'call_1', 'weather', '')),
      tools(call(0, 'call_1', undefined, '{"city":')),
      tools(call(0, 'call_1', undefined, '"Paris"}')),
      ...toolEnd,
    ],
    why: SDK_TOOLS,
  }),
  chat({
    id: 'chat-tool-id-never',
    title: 'Never sends an id.',
    steps: [role(), tools(call(0, undefined, 'weather', '{"city":')), ...called('"Paris"}'), ...toolEnd],
    why: `${LAB}: an id that never came is null`,
    alternatives: asError('a call that nobody can answer may be refused'),
  }),
  chat({
    id: 'chat-tool-name-late',
    title: 'Sends the name after the first piece of arguments.',
    steps: [
      role(),
      tools(call(0, 'call_1', undefined, '{"city":')),
      tools(call(0, undefined, 'weather', '"Paris"}')),
      ...toolEnd,
    ],
    why: `${LAB}, Tool calls: a name may come late`,
  }),
  chat({
    id: 'chat-tool-name-null',
    title: 'Has `name: null` in continuations.',
    steps: [
      role(),
      tools(call(0, 'call_1', 'weather', '{"city":')),
      choice({ tool_calls: [{ index: 0, function: { name: null, arguments: '"Paris"}' } }] }),
      ...toolEnd,
    ],
    why: SDK_TOOLS,
  }),
  chat({
    id: 'chat-tool-name-never',
    title: 'Never sends a name.',
    steps: [role(), tools(call(0, 'call_1', undefined, weather)), ...toolEnd],
    why: `${LAB}, Tool calls: a call that never got a name is an error`,
  }),
  chat({
    id: 'chat-tool-parses-early',
    title: 'Has a prefix of the arguments that is JSON by itself.',
    steps: [role(), tools(call(0, 'call_1', 'add', '1')), ...called('2', '3'), ...toolEnd],
    why: [SDK_TOOLS, 'LAB-3: a tool call that was not finished is never reported as finished'],
  }),
  chat({
    id: 'chat-tool-parses-early-object',
    title: 'Has an object for a prefix, and white space after it.',
    steps: [
      role(),
      tools(call(0, 'call_1', 'query', '{"query":"test"}')),
      tools(call(0, undefined, undefined, ' \n')),
      ...toolEnd,
    ],
    flags: ['bytes'],
    why: SDK_TOOLS,
    alternatives: either(
      { ...chatExpect([role(), tools(call(0, 'call_1', 'query', '{"query":"test"}')), ...toolEnd]) },
      'white space after a JSON value means nothing',
    ),
  }),
  chat({
    id: 'chat-tool-arguments-empty',
    title: 'Sends empty arguments.',
    steps: NO_ARGUMENTS,
    why: `${LAB}: arguments that never came are ""`,
    alternatives: emptyObject(NO_ARGUMENTS),
  }),
  chat({
    id: 'chat-tool-arguments-never',
    title: 'Sends no arguments.',
    steps: NEVER_ARGUMENTS,
    why: `${LAB}: arguments that never came are ""`,
    alternatives: emptyObject(NEVER_ARGUMENTS),
  }),
  chat({
    id: 'chat-tool-arguments-null',
    title: 'Sends `arguments: null` before the first piece.',
    steps: [role(), tools(call(0, 'call_1', 'weather', null)), ...called(weather), ...toolEnd],
    why: SDK_TOOLS,
  }),
  chat({
    id: 'chat-tool-arguments-spaces',
    title: 'Has white space and another order in the arguments.',
    steps: [role(), tools(call(0, 'call_1', 'weather', '{ "b" : 1,\n "a": "x" }')), ...toolEnd],
    why: 'RFC 8259 2: white space between tokens means nothing',
  }),
  chat({
    id: 'chat-tool-arguments-bytes',
    title: 'Has numbers and escapes in the arguments that parsing would change.',
    steps: [
      role(),
      tools(call(0, 'call_1', 'pay', '{"amount":12345678901234567890,"rate":1.0,"t":"\\u0041"}')),
      ...toolEnd,
    ],
    flags: ['bytes'],
    why: `${LAB}: arguments are text, reported as they came`,
  }),
  chat({
    id: 'chat-tool-arguments-surrogates',
    title: 'Spreads an escaped surrogate pair over two pieces of arguments.',
    steps: [role(), tools(call(0, 'call_1', 'say', '{"t":"\\ud83d')), ...called('\\ude00"}'), ...toolEnd],
    why: JSON_TEXT,
  }),
  chat({
    id: 'chat-tool-finish-stop',
    title: 'Finishes a call with `stop`.',
    steps: [role(), tools(call(0, 'call_1', 'weather', weather)), ...textEnd],
    why: `${LAB}, Tool calls: tool calls are reported even where finish_reason is stop`,
  }),
  chat({
    id: 'chat-tool-finish-length',
    title: 'Finishes for length inside the arguments.',
    steps: [role(), tools(call(0, 'call_1', 'weather', '{"city":"Pa')), end('length'), final(), DONE],
    why: `${LAB}, Tool calls: where finish_reason is length, a call whose arguments do not parse is not reported`,
  }),
  chat({
    id: 'chat-tool-finish-with-delta',
    title: 'Sends the finish reason with the last piece of arguments.',
    steps: [
      role(),
      tools(call(0, 'call_1', 'weather', '{"city":')),
      choice({ tool_calls: [call(0, undefined, undefined, '"Paris"}')] }, 'tool_calls'),
      final(USAGE, {}),
      DONE,
    ],
    why: SDK_TOOLS,
  }),
  chat({
    id: 'chat-tool-finish-none-called',
    title: 'Finishes with `tool_calls` without a call.',
    steps: [role(), say('a'), ...toolEnd],
    why: `${LAB}: a client reports the calls that came, and invents none`,
  }),

  // Ends
  chat({
    id: 'chat-no-done',
    title: 'Finishes, and ends without [DONE].',
    steps: [role(), say('a'), end('stop'), final()],
    why: `${END}: a stream that ends cleanly after finish_reason is complete, even without [DONE]`,
  }),
  chat({
    id: 'chat-no-finish',
    title: 'Ends with [DONE] without a finish reason.',
    steps: [role(), say('a'), DONE],
    why: `${END}: [DONE] without finish_reason is complete, with null`,
    alternatives: either(
      { outcome: 'error', error: { status: null } },
      `${END}: an error without a status is right too, since no status came`,
    ),
  }),
  chat({
    id: 'chat-no-end',
    title: 'Ends with neither finish reason nor [DONE].',
    steps: [role(), say('a')],
    why: `${END}: a stream that ends without finish_reason and without [DONE] is an error`,
  }),
  chat({
    id: 'chat-no-end-empty',
    title: 'Ends before the first chunk.',
    steps: [': keepalive\n\n'],
    why: `${END}: a stream that ends without finish_reason and without [DONE] is an error`,
  }),
  chat({
    id: 'chat-no-end-tool',
    title: 'Ends cleanly inside the arguments of a call.',
    steps: [role(), tools(call(0, 'call_1', 'rm', '{"path":"/')), ...called('tmp')],
    why: [
      `${END}: a stream that ends without finish_reason and without [DONE] is an error`,
      'LAB-3: a tool call that was not finished is never reported as finished',
    ],
  }),
  chat({
    id: 'chat-no-finish-tool',
    title: 'Ends with [DONE] while a call is open.',
    steps: [role(), tools(call(0, 'call_1', 'rm', '{"path":"/tmp"}')), DONE],
    why: `${END}: [DONE] without finish_reason is an error where a call is open`,
  }),
  chat({
    id: 'chat-done-no-line-end',
    title: 'Ends with [DONE] without a line end.',
    steps: [role(), say('a'), end('stop'), final(), 'data: [DONE]'],
    why: [
      `${END}: a stream that ends cleanly after finish_reason is complete, even without [DONE]`,
      `${H}: pending data at the end is discarded`,
    ],
  }),
  chat({
    id: 'chat-done-open',
    title: 'Sends [DONE] and leaves the socket open.',
    steps: [role(), say('a'), ...textEnd, { end: 'none' }],
    expect: { within: 2_000 },
    why: `${OPENAI}: [DONE] ends the stream, whatever the transport does`,
  }),
  chat({
    id: 'chat-done-more',
    title: 'Sends chunks after [DONE].',
    steps: [role(), say('a'), ...textEnd, say('b'), data({ error: { code: 500, message: 'late' } })],
    why: `${LAB}: what follows [DONE] is ignored`,
  }),
  chat({
    id: 'chat-done-twice',
    title: 'Sends [DONE] twice.',
    steps: [role(), say('a'), ...textEnd, DONE],
    why: `${LAB}: what follows [DONE] is ignored`,
  }),
  chat({
    id: 'chat-cut-after-done',
    title: 'Closes after [DONE], before the last chunk of the body.',
    steps: [role(), say('a'), ...textEnd, { end: 'fin' }],
    expect: { outcome: 'complete' },
    why: `${END}: after [DONE] the transport is not judged`,
    alternatives: either(
      { ...chatExpect([role(), say('a'), ...textEnd]), outcome: 'error' },
      `${END}: a client may report the error of the transport`,
    ),
  }),
  chat({
    id: 'chat-cut-after-finish',
    title: 'Closes after the finish reason, before [DONE] and the last chunk of the body.',
    steps: [role(), say('a'), end('stop'), { end: 'fin' }],
    why: `${END}: a body that is cut before [DONE] is an error, after finish_reason too`,
  }),
  chat({
    id: 'chat-cut-after-finish-close',
    title: 'The same with `connection: close`.',
    answer: { connection: 'close' },
    steps: [role(), say('a'), end('stop'), { end: 'fin' }],
    why: `${END}: a body that is cut before [DONE] is an error, after finish_reason too`,
  }),
  chat({
    id: 'chat-cut-in-arguments',
    title: 'Resets the connection inside the arguments of a call.',
    steps: [role(), tools(call(0, 'call_1', 'rm', '{"path":"/tmp"}')), { wait: 50 }, { end: 'reset' }],
    why: 'LAB-3: a tool call that was not finished is never reported as finished',
  }),
  chat({
    id: 'chat-prompt',
    title: 'Waits for each chunk to be out before the next.',
    steps: [role(), say('a'), say('b'), end('stop'), final(), DONE],
    expect: { prompt: true },
    why: `${H}: the event is dispatched when its blank line ends`,
  }),

  // This interface
  chat({
    id: 'chat-pause',
    title: 'Pauses with a question: one call of service.provide_input, then [DONE].',
    steps: [role(), say('May I? '), ask, ...pauseEnd],
    why: 'interface.md, Events 2 to 4: a question is one tool call; the final chunk with session_id comes after finish_reason',
  }),
  chat({
    id: 'chat-pause-keepalive',
    title: 'Sends keepalives between the question, its finish and [DONE].',
    steps: [role(), ask, ': keepalive\n\n', end('tool_calls'), ': keepalive\n\n', final(null), ': keepalive\n\n', DONE],
    why: 'interface.md, Events 5: a comment is written in a silence of 30 seconds; it carries nothing',
  }),
  plain({
    id: 'chat-continuation',
    title: 'Answers the reply to a question where the stream paused.',
    layer: 'chat',
    body: REPLY,
    why: 'interface.md, chat: the stream continues from where it paused',
    exchanges: [stream([role(), say('Done.'), ...textEnd])],
    expect: {
      ...chatExpect([role(), say('Done.'), ...textEnd]),
      requests: { count: 1, each: [{ method: 'POST', body_has: '"tool_call_id":"int_1"' }] },
    },
  }),
  plain({
    id: 'chat-steered',
    title: 'Answers a streaming request with 202: the prompt was delivered into a run.',
    layer: 'chat',
    why: 'CHAT-14: a steered prompt is answered 202 steered, without a stream',
    exchanges: [json(202, { session_id: 'ses-lab-1', status: 'steered' })],
    expect: { outcome: 'error', error: { status: 202 }, requests: { count: 1 } },
  }),
  plain({
    id: 'chat-not-pending',
    title: 'Refuses a reply: the question is no longer pending.',
    layer: 'chat',
    body: REPLY,
    retries: 'default',
    timeout: 10_000,
    why: 'CHAT-7: 409 interaction_not_pending is not retryable',
    exchanges: [refusal(409, 'interaction_not_pending', false), stream([role(), say('a'), ...textEnd])],
    expect: { outcome: 'error', error: { status: 409 }, requests: { count: 1, watched_for: 1_500 } },
  }),
  plain({
    id: 'chat-attachment-failed',
    title: 'Refuses a reply: the run streams to another request.',
    layer: 'chat',
    body: REPLY,
    retries: 'default',
    timeout: 10_000,
    why: 'CHAT-7: 409 attachment_failed',
    exchanges: [refusal(409, 'attachment_failed', false), stream([role(), say('a'), ...textEnd])],
    expect: {
      outcome: 'error',
      error: { status: 409, message_has: 'attachment_failed' },
      requests: { count: 1, watched_for: 1_500 },
    },
  }),
  plain({
    id: 'chat-interaction-unknown',
    title: 'Refuses a reply: the question was never asked.',
    layer: 'chat',
    body: REPLY,
    retries: 'default',
    timeout: 10_000,
    why: 'CHAT-7: 404 interaction_unknown',
    exchanges: [refusal(404, 'interaction_unknown', false), stream([role(), say('a'), ...textEnd])],
    expect: { outcome: 'error', error: { status: 404 }, requests: { count: 1, watched_for: 1_500 } },
  }),
  plain({
    id: 'chat-busy',
    title: 'Refuses a prompt while a run streams: 409 busy, retryable, with Retry-After.',
    layer: 'chat',
    retries: 'default',
    timeout: 15_000,
    why: 'CHAT-14: 409 busy is retryable, with Retry-After',
    exchanges: [refusal(409, 'busy', true, { 'retry-after': '1' }), stream([role(), say('a'), ...textEnd])],
    expect: { ...chatExpect([role(), say('a'), ...textEnd]), requests: { count: 2, gap_at_least: 1_000 } },
    alternatives: [
      { outcome: 'error', error: { status: 409 }, requests: { count: 1 }, why: 'a client owes nobody a retry' },
    ],
  }),
];
