import type { ClientCase, Expectation, Scripted } from '../../emulator/contract/client-case.js';
import {
  call,
  calls,
  callsIn,
  chat,
  chatExpect,
  choice,
  chunkOf,
  DONE,
  data,
  digest,
  end,
  final,
  HELLO,
  halved,
  json,
  noRetry,
  piece,
  plain,
  refusal,
  role,
  say,
  stream,
  TEXT_END,
  TOOL_END,
  text,
  tools,
  USAGE,
  type Written,
} from './build.js';

const OPENAI = 'OpenAI API reference, Chat streaming';
const SDK_TOOLS = `${OPENAI}: tool-call deltas are joined by index`;
const CHOICES = `${OPENAI}: a delta belongs to the choice that its index names`;
const LAB = 'docs/client-rules.md';
const H = 'WHATWG HTML 9.2.6';
const TEXT = `${OPENAI}: the text is that of all deltas, in their order`;
const BLANK = `${H}: a blank line ends an event, wherever the bytes are cut`;
const END = `${LAB}, Ends`;
const JSON_TEXT = 'RFC 8259 8.2: a string may be cut between the halves of a surrogate pair';
const ERRORS = 'interface.md, Events 6 and 7: the error stands in a chunk of the stream';
const LINES = `${H}: lines end in CRLF, LF or CR`;
const NO_OBJECT = `${LAB}: data that is no JSON object is an error`;
const PAST_DONE = `${LAB}: what follows [DONE] is ignored`;
const NO_END = `${END}: a stream that ends without finish_reason and without [DONE] is an error`;
const NO_DONE = `${END}: a stream that ends cleanly after finish_reason is complete, even without [DONE]`;
const CUT = `${END}: a body that is cut before [DONE] is an error, after finish_reason too`;
const UNFINISHED = 'LAB-3: a tool call that was not finished is never reported as finished';
const SILENT = 'interface.md, Events 5: a comment is written in a silence of 30 seconds; it carries nothing';
const EMPTY = `${LAB}: arguments that never came are ""`;

/** A chat that says `a`. */
const SAID: Written[] = [role(), say('a'), ...TEXT_END];
const OK = stream(SAID);
const weather = '{"city":"Paris"}';
/** The end of a turn that waits for an answer, in this interface. */
const pauseEnd: Written[] = [end('tool_calls'), final(null), DONE];

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

const NO_ARGUMENTS = callsIn([call(0, 'call_1', 'now', '')]);
const NEVER_ARGUMENTS = callsIn([call(0, 'call_1', 'now')]);
const TWO_IDS = callsIn([call(0, 'call_1', 'first', '{"a":1}'), call(0, 'call_2', 'second', '{"b":2}')]);

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
/** An answer that is itself JSON, which is text all the same. */
const ANSWER = '{"text":"allow_once"}';
const answered = {
  ...REPLY,
  messages: REPLY.messages.map((one) => (one.role === 'tool' ? { ...one, content: ANSWER } : one)),
};
/** The parts that every reply needs. */
const NAMED = {
  session_id: 'ses-lab-1',
  messages: [
    {
      role: 'assistant',
      tool_calls: [{ id: 'int_1', function: { name: 'service.provide_input', arguments: QUESTION } }],
    },
    { role: 'tool', tool_call_id: 'int_1', content: ANSWER },
  ],
};
const PROMPT = { stream: true, messages: [{ role: 'user', content: 'Grüße an Žofia, 你好 🙂' }] };
const errorChunk = (code: number, reason: string, retryable: boolean) =>
  choice({}, 'error', { error: { code, message: reason, metadata: { reason, retryable } } });

/** A chunk of the second choice. */
const otherChoice = (delta: object, finish: string | null = null) =>
  chunkOf({ choices: [{ index: 1, delta, finish_reason: finish }] });

const PIECE = 'abcdefghijklmnop'.repeat(16);
/** A delta of so many times 256 characters, each 256 in a write of their own: a line that comes in small writes. */
const longLine = (writes: number): Written[] => {
  const [before = '', after = ''] = say('|').split('|');
  return [before, { write: PIECE, repeat: writes }, after, ...TEXT_END];
};
/** The events that came, their text as a digest where an answer may hold one. */
const longText = (writes: number): Expectation => {
  const text = PIECE.repeat(writes);
  const { chat: read } = chatExpect([say(''), ...TEXT_END]);
  if (read === undefined) throw new Error('no chat');
  return { outcome: 'complete', chat: { ...read, content: digest(text) } };
};

/** Refuses the reply to a question, which is not sent again. */
const refusedReply = (
  id: string,
  title: string,
  { why, first, error }: { why: string; first: Scripted; error?: Expectation['error'] },
): ClientCase =>
  plain(id, title, {
    layer: 'chat',
    body: REPLY,
    retries: 'default',
    timeout: 10_000,
    why,
    exchanges: [first, OK],
    expect: {
      outcome: 'error',
      error: { status: first.status, ...error },
      requests: { count: 1, watched_for: 1_500 },
    },
  });

export const CHAT: ClientCase[] = [
  // Text
  chat(
    'chat-long-line-64k',
    'Sends a chunk of 64 KB in writes of 256 bytes.',
    `${H}: a line has no longest length`,
    longLine(256),
    { whole: true, expect: longText(256) },
  ),
  chat(
    'chat-long-line-1m',
    'Sends a chunk of 1 MB in writes of 256 bytes.',
    `${H}: a line has no longest length; each byte is looked at once`,
    longLine(4_096),
    { flags: ['linear'], whole: true, timeout: 30_000, expect: longText(4_096) },
  ),
  text('chat-text', 'Streams text.', TEXT, [say('Hel'), say('lo')]),
  chat(
    'chat-short',
    'Streams one word, short enough for every pair of cuts.',
    [TEXT, BLANK],
    ['data: {"choices":[{"delta":{"content":"é"},"finish_reason":"stop"}]}\n\n', 'data: [DONE]\n\n'],
  ),
  chat(
    'chat-crlf',
    'Ends lines with CRLF.',
    LINES,
    [role(), say('Hi'), ...TEXT_END].map((one) => (typeof one === 'string' ? one.replaceAll('\n', '\r\n') : one)),
  ),
  chat('chat-cr', 'Ends lines with CR.', LINES, [
    [role(), say('a'), end('stop'), DONE].join('').replaceAll('\n', '\r'),
  ]),
  chat(
    'chat-no-space',
    'Has no space after the colon.',
    `${H}: one space after the colon is removed, where there is one`,
    [role(), say('Hi'), ...TEXT_END].map((one) => (typeof one === 'string' ? one.replaceAll('data: ', 'data:') : one)),
  ),
  chat('chat-data-lines', 'Spreads a chunk over two data lines.', `${H}: data lines are joined with LF`, [
    say('a').replace('"delta":', '"delta":\ndata: '),
    end('stop'),
    DONE,
  ]),
  chat('chat-bom', 'Begins with a byte order mark.', `${H}: one leading byte order mark is stripped`, [
    '\ufeff',
    role(),
    say('Hi'),
    ...TEXT_END,
  ]),
  chat('chat-glued', 'Sends the whole stream in one write.', BLANK, [
    [role(), say('Hel'), say('lo'), ...TEXT_END].join(''),
  ]),
  text('chat-u2028', 'Has U+2028, U+2029 and U+0085 raw in the text.', LINES, [say('a\u2028b\u2029c\u0085d')]),
  text('chat-surrogates', 'Spreads the two halves of a surrogate pair over two deltas.', JSON_TEXT, [
    choice({ content: '@' }).replace('@', '\\ud83d'),
    choice({ content: '@' }).replace('@', '\\ude00'),
  ]),
  text('chat-utf8-cut', 'Cuts inside a character of the text.', `${H}: the stream is decoded with UTF-8 decode`, [
    ...halved(say('😀')),
  ]),
  text(
    'chat-reasoning',
    'Streams thinking before the text.',
    'CHAT-1: thinking stands in delta.reasoning, never in the content',
    [choice({ reasoning: 'Let me see.' }), choice({ reasoning: ' Yes.', content: null }), say('Yes')],
  ),
  text('chat-choices', 'Sends the text of two choices.', CHOICES, [
    say('Hel'),
    otherChoice({ role: 'assistant', content: 'Good ' }),
    say('lo'),
    otherChoice({ content: 'day' }),
    otherChoice({}, 'length'),
  ]),
  chat('chat-content-null', 'Sends `content: null` in deltas.', `${OPENAI}: content may be null`, [
    choice({ role: 'assistant', content: null }),
    say('a'),
    choice({ content: null }),
    say('b'),
    choice({ content: null }, 'stop'),
    final(),
    DONE,
  ]),
  chat('chat-role-again', 'Repeats the role in every delta.', TEXT, [
    choice({ role: 'assistant', content: 'a' }),
    choice({ role: 'assistant', content: 'b' }),
    ...TEXT_END,
  ]),
  text('chat-done-in-text', 'Has [DONE] within the text.', `${OPENAI}: only [DONE] ends the stream`, [
    say('[DONE]'),
    say('data: [DONE]\n\n'),
  ]),
  chat(
    'chat-unknown-fields',
    'Has fields that nobody knows.',
    'interface.md: the format is the common one; deployments add fields',
    [
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
      ...TEXT_END,
    ],
  ),
  text('chat-empty-deltas', 'Sends empty deltas and a delta of null.', TEXT, [
    choice({}),
    chunkOf({ choices: [{ index: 0, delta: null, finish_reason: null }] }),
    say('a'),
  ]),
  chat(
    'chat-finish-null-after',
    'Sends a null `finish_reason` after the real one.',
    `${LAB}: the client reports the finish reason that came`,
    [role(), say('a'), end('stop'), choice({}), final(), DONE],
  ),
  chat('chat-finish-with-text', 'Sends the finish reason with the last text.', TEXT, [
    role(),
    say('a'),
    choice({ content: 'b' }, 'stop'),
    final(),
    DONE,
  ]),
  chat('chat-finish-length', 'Finishes for length.', `${OPENAI}: finish_reason is reported as it came`, [
    role(),
    say('a'),
    end('length'),
    final(),
    DONE,
  ]),

  // Usage and the final chunk
  chat(
    'chat-usage-final',
    'Sends usage on a final chunk with empty `choices`.',
    [
      `${OPENAI}: with include_usage the last chunk has empty choices`,
      'CHAT-3: the final chunk has empty choices and the session_id',
    ],
    [role(), say('a'), end('stop'), final(USAGE, {}), DONE],
  ),
  chat(
    'chat-usage-no-choices',
    'Sends usage on a final chunk without `choices`.',
    `${LAB}: a chunk without choices is a chunk`,
    [role(), say('a'), end('stop'), data({ id: 'gen-1', object: 'chat.completion.chunk', usage: USAGE }), DONE],
  ),
  chat(
    'chat-usage-every',
    'Sends usage on every chunk, null or growing.',
    `${OPENAI}: usage is null on other chunks; some servers count on each`,
    [
      choice({ role: 'assistant', content: '' }, null, { usage: null }),
      choice({ content: 'a' }, null, { usage: { prompt_tokens: 3, completion_tokens: 1, total_tokens: 4 } }),
      choice({}, 'stop', { usage: USAGE }),
      DONE,
    ],
  ),
  chat('chat-usage-null', 'Ends with usage null.', 'CHAT-4: null when the intern reported none', [
    role(),
    say('a'),
    end('stop'),
    final(null),
    DONE,
  ]),
  text(
    'chat-session-final',
    'Sends the session id on the final chunk alone.',
    'interface.md, Events 3: the client reads through [DONE]',
    [say('a')],
    {
      expect: { chat: { content: 'a', tool_calls: [], finish_reason: 'stop', usage: USAGE, session_id: 'ses-lab-1' } },
    },
  ),

  // Between the chunks
  chat('chat-keepalive', 'Sends keepalive comments between chunks.', SILENT, [
    ': keepalive\n\n',
    role(),
    ': keepalive\n\n',
    say('a'),
    ': keepalive\n\n',
    ...TEXT_END,
  ]),
  text(
    'chat-keepalive-bare',
    'Sends a comment without a blank line between chunks.',
    `${H}: a line that starts with a colon is ignored`,
    [': keepalive\n', say('a')],
  ),
  chat(
    'chat-retry-field',
    'Sends `retry`, `id` and `event: message` with the chunks.',
    `${H}: a frame without data dispatches nothing`,
    ['retry: 3000\n\n', 'id: 1\n\n', `event: message\nid: 2\n${say('a')}`, ...TEXT_END],
  ),
  text('chat-empty-data', 'Sends an event whose data is empty.', `${LAB}: empty data is skipped`, [
    'data:\n\n',
    'data: \n\n',
    say('a'),
  ]),
  text(
    'chat-unknown-event',
    'Sends an event of a type nobody knows, with data that is no JSON.',
    `${LAB}: unknown event types are ignored`,
    ['event: ping\ndata: now\n\n', say('a'), 'event: progress\ndata: {"choices":[{"delta":{"content":"x"}}]}\n\n'],
  ),
  text('chat-bad-json', 'Sends data that is no JSON.', NO_OBJECT, [
    say('a'),
    'data: {"choices":[{"delta":{"content":"b"\n\n',
  ]),
  text('chat-json-array', 'Sends a JSON array for a chunk.', NO_OBJECT, [say('a'), 'data: [1,2]\n\n']),
  text('chat-json-null', 'Sends null for a chunk.', NO_OBJECT, [say('a'), 'data: null\n\n']),

  // Errors in the stream
  chat('chat-error-chunk', 'Sends an error chunk after text.', ERRORS, [
    role(),
    say('a'),
    data({
      error: { code: 502, message: 'upstream', metadata: { reason: 'upstream_unavailable', retryable: true } },
    }),
    DONE,
  ]),
  chat('chat-error-first', 'Sends an error as the first chunk.', ERRORS, [
    data({ error: { code: 429, message: 'slow down' } }),
    DONE,
  ]),
  chat(
    'chat-error-string-code',
    'Sends an error whose code is a word.',
    `${LAB}: an integer code is the status of the error; a code in letters is not`,
    [role(), data({ error: { code: 'server_error', message: 'no' } }), DONE],
    { expect: { error: {} } },
  ),
  chat(
    'chat-error-event',
    'Sends `event: error`.',
    [ERRORS, `${OPENAI}: errors come as events of their own`],
    [role(), say('a'), 'event: error\ndata: {"error":{"code":500,"message":"broken"}}\n\n', DONE],
  ),
  chat(
    'chat-error-finish',
    'Finishes with `error` without saying which.',
    `${LAB}, Ends: a call with finish_reason error has failed`,
    [role(), say('a'), end('error'), final(), DONE],
  ),
  chat(
    'chat-run-ended',
    'Ends the run: code 410, reason run_ended.',
    'interface.md, Events 6: a run that the intern ends comes as code 410, reason run_ended',
    [role(), say('a'), errorChunk(410, 'run_ended', false), final(), DONE],
  ),
  chat(
    'chat-stream-severed',
    'Loses the intern: reason stream_severed.',
    'interface.md, Events 7: a connection that breaks ends with reason stream_severed',
    [role(), say('a'), errorChunk(502, 'stream_severed', true), final(null), DONE],
  ),
  chat(
    'chat-error-tool-open',
    'Fails inside the arguments of a call.',
    [ERRORS, UNFINISHED],
    [role(), tools(call(0, 'call_1', 'rm', '{"path":"/tmp')), errorChunk(410, 'run_ended', false), final(), DONE],
  ),

  // Tool calls
  calls('chat-tool-whole', 'Sends a call in one delta.', SDK_TOOLS, [call(0, 'call_1', 'weather', weather)]),
  calls('chat-tool-pieces', 'Sends the arguments in pieces.', SDK_TOOLS, [
    call(0, 'call_1', 'weather', ''),
    piece('{"ci'),
    piece('ty":'),
    piece('"Paris"}'),
  ]),
  chat('chat-tool-after-text', 'Sends text, then a call.', SDK_TOOLS, [
    role(),
    say('Let me look.'),
    tools(call(0, 'call_1', 'weather', weather)),
    ...TOOL_END,
  ]),
  calls('chat-tool-two-in-one', 'Sends the deltas of two calls in one chunk.', SDK_TOOLS, [
    [call(0, 'call_1', 'a', '{"x"'), call(1, 'call_2', 'b', '{"y"')],
    [piece(':1}'), piece(':2}', 1)],
  ]),
  calls('chat-tool-interleaved', 'Interleaves the arguments of two calls.', SDK_TOOLS, [
    call(0, 'call_1', 'a', ''),
    call(1, 'call_2', 'b', ''),
    piece('{"x":'),
    piece('{"y":', 1),
    piece('1}'),
    piece('2}', 1),
  ]),
  calls(
    'chat-tool-index-order',
    'Begins with index 1, index 0 follows in the middle.',
    `${LAB}: calls are reported in order of index`,
    [call(1, 'call_2', 'b', '{"y":'), call(0, 'call_1', 'a', '{"x":1}'), piece('2}', 1)],
  ),
  calls('chat-tool-index-gap', 'Uses the indexes 0 and 2.', SDK_TOOLS, [
    call(0, 'call_1', 'a', '{}'),
    call(2, 'call_2', 'b', '{}'),
  ]),
  calls(
    'chat-tool-no-index',
    'Sends two calls without an index.',
    `${LAB}, Tool calls: a delta without index opens a call if its id is new, else it continues the last call`,
    [
      call(undefined, 'call_1', 'a', '{"x":'),
      call(undefined, undefined, undefined, '1}'),
      call(undefined, 'call_2', 'b', '{"y":2}'),
    ],
  ),
  calls(
    'chat-tool-no-index-no-id',
    'Sends two calls with neither index nor id.',
    `${LAB}, Tool calls: a delta without index whose name comes after another name opens a call`,
    [call(undefined, undefined, 'a', '{"x":1}'), call(undefined, undefined, 'b', '{"y":2}')],
  ),
  chat(
    'chat-tool-two-ids',
    'Sends two ids on one index.',
    `${LAB}, Tool calls: a second id on an index opens a second call`,
    TWO_IDS,
    { alternatives: asError(`${LAB}: a client may refuse calls that contradict each other, but not merge them`) },
  ),
  calls('chat-tool-id-null', 'Has `id: null` in continuations.', SDK_TOOLS, [
    call(0, 'call_1', 'weather', ''),
    call(0, null, undefined, '{"city":'),
    call(0, null, undefined, '"Paris"}'),
  ]),
  calls('chat-tool-id-empty', 'Has `id: ""` in continuations.', SDK_TOOLS, [
    call(0, 'call_1', 'weather', ''),
    call(0, '', undefined, '{"city":'),
    call(0, '', '', '"Paris"}'),
  ]),
  calls('chat-tool-id-repeated', 'Repeats the id in continuations.', SDK_TOOLS, [
    call(0, 'call_1', 'weather', ''),
    call(0, 'call_1', undefined, '{"city":'),
    call(0, 'call_1', undefined, '"Paris"}'),
  ]),
  calls(
    'chat-tool-id-never',
    'Never sends an id.',
    `${LAB}: an id that never came is null`,
    [call(0, undefined, 'weather', '{"city":'), piece('"Paris"}')],
    { alternatives: asError('a call that nobody can answer may be refused') },
  ),
  calls(
    'chat-tool-name-late',
    'Sends the name after the first piece of arguments.',
    `${LAB}, Tool calls: a name may come late`,
    [call(0, 'call_1', undefined, '{"city":'), call(0, undefined, 'weather', '"Paris"}')],
  ),
  chat('chat-tool-name-null', 'Has `name: null` in continuations.', SDK_TOOLS, [
    role(),
    tools(call(0, 'call_1', 'weather', '{"city":')),
    choice({ tool_calls: [{ index: 0, function: { name: null, arguments: '"Paris"}' } }] }),
    ...TOOL_END,
  ]),
  calls('chat-tool-name-never', 'Never sends a name.', `${LAB}, Tool calls: a call that never got a name is an error`, [
    call(0, 'call_1', undefined, weather),
  ]),
  calls(
    'chat-tool-parses-early',
    'Has a prefix of the arguments that is JSON by itself.',
    [SDK_TOOLS, UNFINISHED],
    [call(0, 'call_1', 'add', '1'), piece('2'), piece('3')],
  ),
  calls(
    'chat-tool-parses-early-object',
    'Has an object for a prefix, and white space after it.',
    SDK_TOOLS,
    [call(0, 'call_1', 'query', '{"query":"test"}'), piece(' \n')],
    {
      flags: ['bytes'],
      alternatives: either(
        chatExpect(callsIn([call(0, 'call_1', 'query', '{"query":"test"}')])),
        'white space after a JSON value means nothing',
      ),
    },
  ),
  chat('chat-tool-arguments-empty', 'Sends empty arguments.', EMPTY, NO_ARGUMENTS, {
    alternatives: emptyObject(NO_ARGUMENTS),
  }),
  chat('chat-tool-arguments-never', 'Sends no arguments.', EMPTY, NEVER_ARGUMENTS, {
    alternatives: emptyObject(NEVER_ARGUMENTS),
  }),
  calls('chat-tool-arguments-null', 'Sends `arguments: null` before the first piece.', SDK_TOOLS, [
    call(0, 'call_1', 'weather', null),
    piece(weather),
  ]),
  calls(
    'chat-tool-arguments-spaces',
    'Has white space and another order in the arguments.',
    'RFC 8259 2: white space between tokens means nothing',
    [call(0, 'call_1', 'weather', '{ "b" : 1,\n "a": "x" }')],
  ),
  calls(
    'chat-tool-arguments-bytes',
    'Has numbers and escapes in the arguments that parsing would change.',
    `${LAB}: arguments are text, reported as they came`,
    [call(0, 'call_1', 'pay', '{"amount":12345678901234567890,"rate":1.0,"t":"\\u0041"}')],
    { flags: ['bytes'] },
  ),
  calls(
    'chat-tool-arguments-surrogates',
    'Spreads an escaped surrogate pair over two pieces of arguments.',
    JSON_TEXT,
    [call(0, 'call_1', 'say', '{"t":"\\ud83d'), piece('\\ude00"}')],
  ),
  text(
    'chat-tool-finish-stop',
    'Finishes a call with `stop`.',
    `${LAB}, Tool calls: tool calls are reported even where finish_reason is stop`,
    [tools(call(0, 'call_1', 'weather', weather))],
  ),
  chat(
    'chat-tool-finish-length',
    'Finishes for length inside the arguments.',
    `${LAB}, Tool calls: where finish_reason is length, a call whose arguments do not parse is not reported`,
    [role(), tools(call(0, 'call_1', 'weather', '{"city":"Pa')), end('length'), final(), DONE],
  ),
  chat('chat-tool-finish-with-delta', 'Sends the finish reason with the last piece of arguments.', SDK_TOOLS, [
    role(),
    tools(call(0, 'call_1', 'weather', '{"city":')),
    choice({ tool_calls: [piece('"Paris"}')] }, 'tool_calls'),
    final(USAGE, {}),
    DONE,
  ]),
  chat(
    'chat-tool-finish-none-called',
    'Finishes with `tool_calls` without a call.',
    `${LAB}: a client reports the calls that came, and invents none`,
    [role(), say('a'), ...TOOL_END],
  ),

  // Ends
  chat('chat-no-done', 'Finishes, and ends without [DONE].', NO_DONE, [role(), say('a'), end('stop'), final()]),
  chat(
    'chat-no-finish',
    'Ends with [DONE] without a finish reason.',
    `${END}: [DONE] without finish_reason is complete, with null`,
    [role(), say('a'), DONE],
    {
      alternatives: either(
        { outcome: 'error', error: { status: null } },
        `${END}: an error without a status is right too, since no status came`,
      ),
    },
  ),
  chat('chat-no-end', 'Ends with neither finish reason nor [DONE].', NO_END, [role(), say('a')]),
  chat('chat-no-end-empty', 'Ends before the first chunk.', NO_END, [': keepalive\n\n']),
  chat(
    'chat-no-end-tool',
    'Ends cleanly inside the arguments of a call.',
    [NO_END, UNFINISHED],
    [role(), tools(call(0, 'call_1', 'rm', '{"path":"/')), tools(piece('tmp'))],
  ),
  chat(
    'chat-no-finish-tool',
    'Ends with [DONE] while a call is open.',
    `${END}: [DONE] without finish_reason is an error where a call is open`,
    [role(), tools(call(0, 'call_1', 'rm', '{"path":"/tmp"}')), DONE],
  ),
  chat(
    'chat-done-no-line-end',
    'Ends with [DONE] without a line end.',
    [NO_DONE, `${H}: pending data at the end is discarded`],
    [role(), say('a'), end('stop'), final(), 'data: [DONE]'],
  ),
  chat(
    'chat-done-open',
    'Sends [DONE] and leaves the socket open.',
    `${OPENAI}: [DONE] ends the stream, whatever the transport does`,
    [...SAID, { end: 'none' }],
    { expect: { within: 2_000 } },
  ),
  chat('chat-done-more', 'Sends chunks after [DONE].', PAST_DONE, [
    ...SAID,
    say('b'),
    data({ error: { code: 500, message: 'late' } }),
  ]),
  chat('chat-done-twice', 'Sends [DONE] twice.', PAST_DONE, [...SAID, DONE]),
  chat(
    'chat-cut-after-done',
    'Closes after [DONE], before the last chunk of the body.',
    `${END}: after [DONE] the transport is not judged`,
    [...SAID, { end: 'fin' }],
    {
      expect: { outcome: 'complete' },
      alternatives: either(
        { ...chatExpect(SAID), outcome: 'error' },
        `${END}: a client may report the error of the transport`,
      ),
    },
  ),
  chat('chat-cut-after-finish', 'Closes after the finish reason, before [DONE] and the last chunk of the body.', CUT, [
    role(),
    say('a'),
    end('stop'),
    { end: 'fin' },
  ]),
  chat(
    'chat-cut-after-finish-close',
    'The same with `connection: close`.',
    CUT,
    [role(), say('a'), end('stop'), { end: 'fin' }],
    { answer: { connection: 'close' } },
  ),
  chat('chat-cut-in-arguments', 'Resets the connection inside the arguments of a call.', UNFINISHED, [
    role(),
    tools(call(0, 'call_1', 'rm', '{"path":"/tmp"}')),
    { wait: 50 },
    { end: 'reset' },
  ]),
  chat(
    'chat-prompt',
    'Waits for each chunk to be out before the next.',
    `${H}: the event is dispatched when its blank line ends`,
    [role(), say('a'), say('b'), end('stop'), final(), DONE],
    { expect: { prompt: true } },
  ),

  // This interface
  chat(
    'chat-pause',
    'Pauses with a question: one call of service.provide_input, then [DONE].',
    'interface.md, Events 2 to 4: a question is one tool call; the final chunk with session_id comes after finish_reason',
    [role(), say('May I? '), ask, ...pauseEnd],
  ),
  chat('chat-pause-keepalive', 'Sends keepalives between the question, its finish and [DONE].', SILENT, [
    role(),
    ask,
    ': keepalive\n\n',
    end('tool_calls'),
    ': keepalive\n\n',
    final(null),
    ': keepalive\n\n',
    DONE,
  ]),
  plain('chat-request', 'Watches how it is asked.', {
    layer: 'chat',
    why: ['interface.md: an API key is sent as bearer token', 'CHAT-15: a reply is asked for with stream: true'],
    exchanges: [stream([role(), say('Hello'), ...TEXT_END])],
    expect: {
      ...chatExpect([role(), say('Hello'), ...TEXT_END]),
      requests: {
        count: 1,
        each: [{ method: 'POST', with_header: ['authorization: Bearer {key}'], body_has: '"stream":true' }],
      },
    },
  }),
  plain('chat-continuation', 'Answers the reply to a question where the stream paused.', {
    layer: 'chat',
    body: REPLY,
    why: 'interface.md, chat: the stream continues from where it paused',
    exchanges: [stream([role(), say('Done.'), ...TEXT_END])],
    expect: {
      ...chatExpect([role(), say('Done.'), ...TEXT_END]),
      requests: { count: 1, each: [{ method: 'POST', body_has: '"tool_call_id":"int_1"' }] },
    },
  }),
  plain('chat-continuation-whole', 'Watches what the reply to a question names.', {
    layer: 'chat',
    body: answered,
    why: 'interface.md, chat: a reply has the same session_id, the assistant message that echoes the call, and the tool message',
    exchanges: [stream(HELLO)],
    expect: { ...chatExpect(HELLO), requests: { count: 1, each: [{ method: 'POST', body_has: NAMED }] } },
  }),
  plain('chat-request-utf8', 'Watches how a prompt beyond ASCII is sent.', {
    layer: 'chat',
    body: PROMPT,
    why: 'RFC 8259 8.1: JSON that is exchanged between systems is UTF-8',
    exchanges: [stream(HELLO)],
    expect: { ...chatExpect(HELLO), requests: { count: 1, each: [{ method: 'POST', body_has: PROMPT }] } },
  }),
  plain('chat-steered', 'Answers a streaming request with 202: the prompt was delivered into a run.', {
    layer: 'chat',
    why: 'CHAT-14: a steered prompt is answered 202 steered, without a stream',
    exchanges: [json(202, { session_id: 'ses-lab-1', status: 'steered' })],
    expect: { outcome: 'error', error: { status: 202 }, requests: { count: 1 } },
  }),
  refusedReply('chat-not-pending', 'Refuses a reply: the question is no longer pending.', {
    why: 'CHAT-7: 409 interaction_not_pending is not retryable',
    first: refusal(409, 'interaction_not_pending', false),
  }),
  refusedReply('chat-attachment-failed', 'Refuses a reply: the run streams to another request.', {
    why: 'CHAT-7: 409 attachment_failed',
    first: refusal(409, 'attachment_failed', false),
    error: { message_has: 'attachment_failed' },
  }),
  refusedReply('chat-interaction-unknown', 'Refuses a reply: the question was never asked.', {
    why: 'CHAT-7: 404 interaction_unknown',
    first: refusal(404, 'interaction_unknown', false),
  }),
  plain('chat-busy', 'Refuses a prompt while a run streams: 409 busy, retryable, with Retry-After.', {
    layer: 'chat',
    retries: 'default',
    timeout: 15_000,
    why: 'CHAT-14: 409 busy is retryable, with Retry-After',
    exchanges: [refusal(409, 'busy', true, { 'retry-after': '1' }), OK],
    expect: { ...chatExpect(SAID), requests: { count: 2, gap_at_least: 1_000 } },
    alternatives: [noRetry({ error: { status: 409 } })],
  }),
];
