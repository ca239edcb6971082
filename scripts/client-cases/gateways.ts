import type { ClientCase, Expectation } from '../../emulator/contract/client-case.js';
import {
  call,
  calls,
  chat,
  chatExpect,
  choice,
  chunkOf,
  DONE,
  data,
  end,
  final,
  json,
  piece,
  plain,
  role,
  say,
  TEXT_END,
  TOOL_END,
  text,
  tools,
  USAGE,
  type Written,
} from './build.js';

const LAB = 'docs/client-rules.md, Tool calls';
const OPENAI = 'OpenAI API reference, Chat streaming';
const JOINED = `${OPENAI}: the deltas of an index are one call`;
const ERRORS = 'interface.md, Events 6 and 7: the error stands in a chunk of the stream';
const SECOND_ID = `${LAB}: a second id on an index opens a call only with another name, or after arguments that parse`;
const CODE = 'docs/client-rules.md, Protocol: the client reports the code of an error as it came';

const ARGUMENTS = ['{"city":', '"Par', 'is"}'];
const withFinish = (written: readonly Written[], reason: string): Expectation => {
  const expected = chatExpect(written);
  if (expected.chat === undefined) throw new Error('no chat');
  return { ...expected, chat: { ...expected.chat, finish_reason: reason } };
};

const FINISH_DIFFERS: Written[] = [
  role(),
  tools(call(0, 'call_1', 'weather', '{"city":"Paris"}')),
  end('tool_calls'),
  end('stop'),
  final(USAGE, {}),
  DONE,
];
const CODE_TEXT: Written[] = [
  role(),
  data({ error: { code: 'rate_limit_exceeded', message: 'Try again later.' } }),
  DONE,
];
const GLUED = [say('Hel').trimEnd(), say('lo').trimEnd()].join('\n');
const WHOLE = { id: 'call_1', type: 'function', function: { name: 'weather', arguments: '{"city":"Paris"}' } };

/** Chats as gateways and servers of other makers send them (LAB-18). */
export const GATEWAYS: ClientCase[] = [
  calls(
    'chat-gateway-name-empty-first',
    'Opens a call with an empty name, and names it in the next delta.',
    [`${LAB}: a name may come late`, JOINED],
    [call(0, 'call_1', '', ''), call(0, undefined, 'weather'), ...ARGUMENTS.map((one) => piece(one))],
  ),
  calls('chat-gateway-name-empty-after', 'Has an empty name and an empty id in each delta after the first.', JOINED, [
    call(0, 'call_1', 'weather', ''),
    ...ARGUMENTS.map((one) => call(0, '', '', one)),
  ]),
  calls(
    'chat-gateway-name-repeated',
    'Repeats id and name in each delta of a call.',
    `${LAB}: a second id on an index opens a call, the same id does not; a name comes once`,
    [...ARGUMENTS.map((one) => call(0, 'call_1', 'weather', one))],
  ),
  calls('chat-gateway-id-each', 'Has a new id in each delta of one call.', SECOND_ID, [
    call(0, 'call_1', 'weather', ''),
    ...ARGUMENTS.map((one, at) => call(0, `call_${at + 2}`, undefined, one)),
  ]),
  calls('chat-gateway-id-each-named', 'Has a new id and the name in each delta of one call.', SECOND_ID, [
    ...ARGUMENTS.map((one, at) => call(0, `call_${at + 1}`, 'weather', one)),
  ]),
  calls(
    'chat-gateway-id-null-text',
    'Has the text "null" for an id in continuations.',
    `${LAB}: the text "null" is not an id`,
    [call(0, 'call_1', 'weather', ''), ...[...ARGUMENTS, ''].map((one) => call(0, 'null', undefined, one))],
  ),
  calls('chat-gateway-id-late', 'Tells the id with the last piece of the arguments.', JOINED, [
    call(0, undefined, 'weather', '{"city":'),
    call(0, 'call_1', undefined, '"Paris"}'),
  ]),
  calls(
    'chat-gateway-arguments-object',
    'Sends the arguments as an object, not as text.',
    `${LAB}: an object of arguments stands for its JSON text`,
    [call(0, 'call_1', 'weather', { city: 'Paris' })],
  ),
  calls(
    'chat-gateway-arguments-null-first',
    'Opens a call with null for its arguments, and sends them in pieces.',
    JOINED,
    [call(0, 'call_1', 'weather', null), ...ARGUMENTS.map((one) => piece(one))],
  ),
  calls(
    'chat-gateway-arguments-missing-first',
    'Opens a call without arguments, and ends it with a delta that has no function.',
    JOINED,
    [call(0, 'call_1', 'weather'), ...ARGUMENTS.map((one) => piece(one)), { index: 0 }],
  ),
  calls(
    'chat-gateway-escape-split',
    'Divides the arguments inside a \\u escape, between the halves of a surrogate pair.',
    ['RFC 8259 7: an escape is six characters, wherever a delta ends', JOINED],
    [call(0, 'call_1', 'weather', '{"city":"\\ud8'), piece('3d\\u'), piece('de0'), piece('0"}')],
    { flags: ['bytes'] },
  ),
  chat(
    'chat-gateway-finish-early',
    'Tells the finish reason before the last deltas of the call.',
    [JOINED, 'docs/client-rules.md, Ends: the stream is over at [DONE]'],
    [
      role(),
      tools(call(0, 'call_1', 'weather', '{"city":')),
      choice({ tool_calls: [piece('"Par')] }, 'tool_calls'),
      tools(piece('is"}')),
      final(USAGE, {}),
      DONE,
    ],
  ),
  chat(
    'chat-gateway-finish-twice',
    'Tells the finish reason twice.',
    `${LAB}: where finish_reason comes twice, each call is reported once`,
    [
      role(),
      tools(call(0, 'call_1', 'weather', '{"city":"Paris"}')),
      end('tool_calls'),
      end('tool_calls'),
      final(USAGE, {}),
      DONE,
    ],
  ),
  chat(
    'chat-gateway-finish-differs',
    'Tells two finish reasons that differ.',
    `${LAB}: where finish_reason comes twice, each call is reported once; either reason is right`,
    FINISH_DIFFERS,
    { alternatives: [{ ...withFinish(FINISH_DIFFERS, 'tool_calls'), why: `${LAB}: either reason is right` }] },
  ),
  chat(
    'chat-gateway-function-call-both',
    'Sends a call as tool_calls and as function_call, too.',
    `${LAB}: tool_calls stands before function_call`,
    [
      role(),
      ...ARGUMENTS.map((one, at) =>
        choice({
          tool_calls: [at === 0 ? call(0, 'call_1', 'weather', one) : piece(one)],
          function_call: { ...(at === 0 ? { name: 'weather' } : {}), arguments: one },
        }),
      ),
      ...TOOL_END,
    ],
  ),
  chat(
    'chat-gateway-function-call',
    'Sends a call as function_call alone.',
    `${LAB}: function_call alone is one call, its id null`,
    [
      role(),
      choice({ function_call: { name: 'weather', arguments: '' } }),
      ...ARGUMENTS.map((one) => choice({ function_call: { arguments: one } })),
      end('function_call'),
      final(USAGE, {}),
      DONE,
    ],
  ),
  calls('chat-gateway-index-from-1', 'Counts calls from 1.', `${JOINED}; the first index may be any number`, [
    call(1, 'call_1', 'first', '{"a":'),
    piece('1}', 1),
    call(2, 'call_2', 'second', '{"b":2}'),
  ]),
  calls('chat-gateway-index-text', 'Sends the index as text.', `${LAB}: an index as text is the number it spells`, [
    { ...call(undefined, 'call_1', 'first', '{"a":'), index: '0' },
    { ...call(undefined, 'call_2', 'second', '{"b":'), index: '1' },
    [
      { index: '0', function: { arguments: '1}' } },
      { index: '1', function: { arguments: '2}' } },
    ],
  ]),
  calls(
    'chat-gateway-interleaved-ids',
    'Interleaves two calls, with the id in each delta and the second index first.',
    JOINED,
    [
      call(1, 'call_2', 'second', '{"b":'),
      call(0, 'call_1', 'first', '{"a":'),
      call(1, 'call_2', undefined, '2}'),
      call(0, 'call_1', undefined, '1}'),
    ],
  ),
  calls(
    'chat-gateway-index-all-0',
    'Gives two whole calls the index 0.',
    `${LAB}: a second id on an index opens a call after arguments that parse`,
    [call(0, 'call_1', 'first', '{"a":1}'), call(0, 'call_2', 'first', '{"a":2}')],
    {
      alternatives: [
        {
          outcome: 'error',
          why: 'docs/client-rules.md: a client may refuse calls that contradict each other, but not merge them',
        },
      ],
    },
  ),
  chat(
    'chat-gateway-message',
    'Sends the call in a message, where a delta should stand.',
    `${LAB}: where the delta is missing or empty, the message is read in its place`,
    [
      role(),
      chunkOf({ choices: [{ index: 0, message: { role: 'assistant', content: null, tool_calls: [WHOLE] } }] }),
      ...TOOL_END,
    ],
  ),
  chat(
    'chat-gateway-message-repeats',
    'Repeats a call that the deltas have told in a message at the end.',
    `${LAB}: a call whose id is known is not reported again`,
    [
      role(),
      tools(call(0, 'call_1', 'weather', '')),
      ...ARGUMENTS.map((one) => tools(piece(one))),
      chunkOf({
        choices: [
          { index: 0, delta: {}, message: { role: 'assistant', tool_calls: [WHOLE] }, finish_reason: 'tool_calls' },
        ],
      }),
      final(USAGE, {}),
      DONE,
    ],
  ),
  chat(
    'chat-gateway-calls-null',
    'Has null or nothing for the tool calls of text.',
    `${OPENAI}: a reply without tool calls has no tool_calls`,
    [
      choice({ role: 'assistant', content: '', tool_calls: null, function_call: null, refusal: null }),
      choice({ content: 'Hel', tool_calls: [] }),
      choice({ content: 'lo', tool_calls: null }),
      ...TEXT_END,
    ],
  ),
  text(
    'chat-gateway-keepalive-data',
    'Keeps the stream alive with data that has no choices.',
    `${LAB}: keepalives are JSON objects without choices`,
    [say('Hel'), data({ type: 'keepalive' }), data({}), say('lo'), data({ type: 'keepalive' })],
  ),
  chat(
    'chat-gateway-choices-null',
    'Has null for the choices of a chunk.',
    `${LAB}: a chunk without choices carries no tool calls`,
    [role(), chunkOf({ choices: null }), say('a'), end('stop'), chunkOf({ choices: null, usage: USAGE }), DONE],
  ),
  chat(
    'chat-gateway-usage-before-finish',
    'Sends the usage before the finish reason.',
    `${OPENAI}: usage has a chunk of its own without choices, which does not end the stream`,
    [role(), say('a'), final(USAGE, {}), end('stop'), DONE],
  ),
  chat('chat-gateway-error-code-text', 'Ends in an error whose code is a word.', [ERRORS, CODE], CODE_TEXT, {
    expect: { ...chatExpect(CODE_TEXT), error: { status: null, code: 'rate_limit_exceeded' } },
  }),
  chat(
    'chat-gateway-error-after-content',
    'Breaks off after text with an error that has neither choices nor an end.',
    [ERRORS, CODE],
    [role(), say('Hel'), data({ error: { code: 'server_error', message: 'The server had an error.' } })],
  ),
  plain('http-error-in-200', 'Answers 200 with an error in JSON.', {
    layer: 'chat',
    why: 'docs/client-rules.md, Ends: a 200 that is no stream is an error',
    exchanges: [json(200, { error: { code: 'model_overloaded', message: 'The model is overloaded.' } })],
    expect: { outcome: 'error', chat: { content: '', tool_calls: [], finish_reason: null, usage: null } },
  }),
  text(
    'chat-gateway-glued',
    'Has no blank line between two chunks.',
    `${LAB}: two data lines are one event (WHATWG HTML 9.2.6), which is no JSON`,
    [`${GLUED}\n\n`],
    {
      expect: { outcome: 'error' },
      alternatives: [
        {
          ...chatExpect([role(), say('Hel'), say('lo'), ...TEXT_END]),
          why: `${LAB}: a client may keep both of two glued events`,
        },
      ],
    },
  ),
];
