import type { ClientCase, Expectation } from '../../emulator/contract/client-case.js';
import {
  call,
  chat,
  chatExpect,
  choice,
  chunkOf,
  DONE,
  data,
  end,
  final,
  json,
  plain,
  role,
  say,
  tools,
  USAGE,
  type Written,
} from './build.js';

const LAB = 'docs/client-rules.md, Tool calls';
const OPENAI = 'OpenAI API reference, Chat streaming';
const JOINED = `${OPENAI}: the deltas of an index are one call`;
const ERRORS = 'interface.md, Events 6 and 7: the error stands in a chunk of the stream';

const ARGUMENTS = ['{"city":', '"Par', 'is"}'];
const toolEnd: Written[] = [end('tool_calls'), final(USAGE, {}), DONE];
const textEnd: Written[] = [end('stop'), final(), DONE];
/** A call in pieces: the opening delta, and one for each piece of its arguments. */
const pieces = (...deltas: object[]): Written[] => [role(), ...deltas.map((delta) => tools(delta)), ...toolEnd];
const named = (name: string | null, args?: unknown, more: object = {}) => ({
  index: 0,
  ...more,
  function: { ...(name === null ? {} : { name }), ...(args === undefined ? {} : { arguments: args }) },
});
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
  chat({
    id: 'chat-gateway-name-empty-first',
    title: 'Opens a call with an empty name, and names it in the next delta.',
    steps: pieces(call(0, 'call_1', '', ''), named('weather'), ...ARGUMENTS.map((one) => named(null, one))),
    why: [`${LAB}: a name may come late`, JOINED],
  }),
  chat({
    id: 'chat-gateway-name-empty-after',
    title: 'Has an empty name and an empty id in each delta after the first.',
    steps: pieces(call(0, 'call_1', 'weather', ''), ...ARGUMENTS.map((one) => call(0, '', '', one))),
    why: JOINED,
  }),
  chat({
    id: 'chat-gateway-name-repeated',
    title: 'Repeats id and name in each delta of a call.',
    steps: pieces(...ARGUMENTS.map((one) => call(0, 'call_1', 'weather', one))),
    why: `${LAB}: a second id on an index opens a call, the same id does not; a name comes once`,
  }),
  chat({
    id: 'chat-gateway-id-each',
    title: 'Has a new id in each delta of one call.',
    steps: pieces(
      call(0, 'call_1', 'weather', ''),
      ...ARGUMENTS.map((one, at) => call(0, `call_${at + 2}`, undefined, one)),
    ),
    why: `${LAB}: a second id on an index opens a call only with another name, or after arguments that parse`,
  }),
  chat({
    id: 'chat-gateway-id-each-named',
    title: 'Has a new id and the name in each delta of one call.',
    steps: pieces(...ARGUMENTS.map((one, at) => call(0, `call_${at + 1}`, 'weather', one))),
    why: `${LAB}: a second id on an index opens a call only with another name, or after arguments that parse`,
  }),
  chat({
    id: 'chat-gateway-id-null-text',
    title: 'Has the text "null" for an id in continuations.',
    steps: pieces(
      call(0, 'call_1', 'weather', ''),
      ...[...ARGUMENTS, ''].map((one) => call(0, 'null', undefined, one)),
    ),
    why: `${LAB}: the text "null" is not an id`,
  }),
  chat({
    id: 'chat-gateway-id-late',
    title: 'Tells the id with the last piece of the arguments.',
    steps: pieces(named('weather', '{"city":'), named(null, '"Paris"}', { id: 'call_1', type: 'function' })),
    why: JOINED,
  }),
  chat({
    id: 'chat-gateway-arguments-object',
    title: 'Sends the arguments as an object, not as text.',
    steps: pieces(call(0, 'call_1', 'weather', { city: 'Paris' })),
    why: `${LAB}: an object of arguments stands for its JSON text`,
  }),
  chat({
    id: 'chat-gateway-arguments-null-first',
    title: 'Opens a call with null for its arguments, and sends them in pieces.',
    steps: pieces(call(0, 'call_1', 'weather', null), ...ARGUMENTS.map((one) => named(null, one))),
    why: JOINED,
  }),
  chat({
    id: 'chat-gateway-arguments-missing-first',
    title: 'Opens a call without arguments, and ends it with a delta that has no function.',
    steps: pieces(call(0, 'call_1', 'weather'), ...ARGUMENTS.map((one) => named(null, one)), { index: 0 }),
    why: JOINED,
  }),
  chat({
    id: 'chat-gateway-escape-split',
    title: 'Divides the arguments inside a \\u escape, between the halves of a surrogate pair.',
    steps: pieces(
      call(0, 'call_1', 'weather', '{"city":"\\ud8'),
      named(null, '3d\\u'),
      named(null, 'de0'),
      named(null, '0"}'),
    ),
    why: ['RFC 8259 7: an escape is six characters, wherever a delta ends', JOINED],
    flags: ['bytes'],
  }),
  chat({
    id: 'chat-gateway-finish-early',
    title: 'Tells the finish reason before the last deltas of the call.',
    steps: [
      role(),
      tools(call(0, 'call_1', 'weather', '{"city":')),
      choice({ tool_calls: [named(null, '"Par')] }, 'tool_calls'),
      tools(named(null, 'is"}')),
      final(USAGE, {}),
      DONE,
    ],
    why: [JOINED, 'docs/client-rules.md, Ends: the stream is over at [DONE]'],
  }),
  chat({
    id: 'chat-gateway-finish-twice',
    title: 'Tells the finish reason twice.',
    steps: [
      role(),
      tools(call(0, 'call_1', 'weather', '{"city":"Paris"}')),
      end('tool_calls'),
      end('tool_calls'),
      final(USAGE, {}),
      DONE,
    ],
    why: `${LAB}: where finish_reason comes twice, each call is reported once`,
  }),
  chat({
    id: 'chat-gateway-finish-differs',
    title: 'Tells two finish reasons that differ.',
    steps: FINISH_DIFFERS,
    why: `${LAB}: where finish_reason comes twice, each call is reported once; either reason is right`,
    alternatives: [{ ...withFinish(FINISH_DIFFERS, 'tool_calls'), why: `${LAB}: either reason is right` }],
  }),
  chat({
    id: 'chat-gateway-function-call-both',
    title: 'Sends a call as tool_calls and as function_call, too.',
    steps: [
      role(),
      ...ARGUMENTS.map((one, at) =>
        choice({
          tool_calls: [at === 0 ? call(0, 'call_1', 'weather', one) : named(null, one)],
          function_call: { ...(at === 0 ? { name: 'weather' } : {}), arguments: one },
        }),
      ),
      ...toolEnd,
    ],
    why: `${LAB}: tool_calls stands before function_call`,
  }),
  chat({
    id: 'chat-gateway-function-call',
    title: 'Sends a call as function_call alone.',
    steps: [
      role(),
      choice({ function_call: { name: 'weather', arguments: '' } }),
      ...ARGUMENTS.map((one) => choice({ function_call: { arguments: one } })),
      end('function_call'),
      final(USAGE, {}),
      DONE,
    ],
    why: `${LAB}: function_call alone is one call, its id null`,
  }),
  chat({
    id: 'chat-gateway-index-from-1',
    title: 'Counts calls from 1.',
    steps: [
      role(),
      tools(call(1, 'call_1', 'first', '{"a":')),
      tools({ ...named(null, '1}'), index: 1 }),
      tools(call(2, 'call_2', 'second', '{"b":2}')),
      ...toolEnd,
    ],
    why: `${JOINED}; the first index may be any number`,
  }),
  chat({
    id: 'chat-gateway-index-text',
    title: 'Sends the index as text.',
    steps: [
      role(),
      tools({ ...call(undefined, 'call_1', 'first', '{"a":'), index: '0' }),
      tools({ ...call(undefined, 'call_2', 'second', '{"b":'), index: '1' }),
      tools({ index: '0', function: { arguments: '1}' } }, { index: '1', function: { arguments: '2}' } }),
      ...toolEnd,
    ],
    why: `${LAB}: an index as text is the number it spells`,
  }),
  chat({
    id: 'chat-gateway-interleaved-ids',
    title: 'Interleaves two calls, with the id in each delta and the second index first.',
    steps: [
      role(),
      tools(call(1, 'call_2', 'second', '{"b":')),
      tools(call(0, 'call_1', 'first', '{"a":')),
      tools(call(1, 'call_2', undefined, '2}')),
      tools(call(0, 'call_1', undefined, '1}')),
      ...toolEnd,
    ],
    why: JOINED,
  }),
  chat({
    id: 'chat-gateway-index-all-0',
    title: 'Gives two whole calls the index 0.',
    steps: pieces(call(0, 'call_1', 'first', '{"a":1}'), call(0, 'call_2', 'first', '{"a":2}')),
    why: `${LAB}: a second id on an index opens a call after arguments that parse`,
    alternatives: [
      {
        outcome: 'error',
        why: 'docs/client-rules.md: a client may refuse calls that contradict each other, but not merge them',
      },
    ],
  }),
  chat({
    id: 'chat-gateway-message',
    title: 'Sends the call in a message, where a delta should stand.',
    steps: [
      role(),
      chunkOf({ choices: [{ index: 0, message: { role: 'assistant', content: null, tool_calls: [WHOLE] } }] }),
      ...toolEnd,
    ],
    why: `${LAB}: where the delta is missing or empty, the message is read in its place`,
  }),
  chat({
    id: 'chat-gateway-message-repeats',
    title: 'Repeats a call that the deltas have told in a message at the end.',
    steps: [
      role(),
      tools(call(0, 'call_1', 'weather', '')),
      ...ARGUMENTS.map((one) => tools(named(null, one))),
      chunkOf({
        choices: [
          { index: 0, delta: {}, message: { role: 'assistant', tool_calls: [WHOLE] }, finish_reason: 'tool_calls' },
        ],
      }),
      final(USAGE, {}),
      DONE,
    ],
    why: `${LAB}: a call whose id is known is not reported again`,
  }),
  chat({
    id: 'chat-gateway-calls-null',
    title: 'Has null or nothing for the tool calls of text.',
    steps: [
      choice({ role: 'assistant', content: '', tool_calls: null, function_call: null, refusal: null }),
      choice({ content: 'Hel', tool_calls: [] }),
      choice({ content: 'lo', tool_calls: null }),
      ...textEnd,
    ],
    why: `${OPENAI}: a reply without tool calls has no tool_calls`,
  }),
  chat({
    id: 'chat-gateway-keepalive-data',
    title: 'Keeps the stream alive with data that has no choices.',
    steps: [
      role(),
      say('Hel'),
      data({ type: 'keepalive' }),
      data({}),
      say('lo'),
      data({ type: 'keepalive' }),
      ...textEnd,
    ],
    why: `${LAB}: keepalives are JSON objects without choices`,
  }),
  chat({
    id: 'chat-gateway-choices-null',
    title: 'Has null for the choices of a chunk.',
    steps: [role(), chunkOf({ choices: null }), say('a'), end('stop'), chunkOf({ choices: null, usage: USAGE }), DONE],
    why: `${LAB}: a chunk without choices carries no tool calls`,
  }),
  chat({
    id: 'chat-gateway-usage-before-finish',
    title: 'Sends the usage before the finish reason.',
    steps: [role(), say('a'), final(USAGE, {}), end('stop'), DONE],
    why: `${OPENAI}: usage has a chunk of its own without choices, which does not end the stream`,
  }),
  chat({
    id: 'chat-gateway-error-code-text',
    title: 'Ends in an error whose code is a word.',
    steps: CODE_TEXT,
    expect: { ...chatExpect(CODE_TEXT), error: { status: null, code: 'rate_limit_exceeded' } },
    why: [ERRORS, 'docs/client-rules.md, Protocol: the client reports the code of an error as it came'],
  }),
  chat({
    id: 'chat-gateway-error-after-content',
    title: 'Breaks off after text with an error that has neither choices nor an end.',
    steps: [role(), say('Hel'), data({ error: { code: 'server_error', message: 'The server had an error.' } })],
    why: [ERRORS, 'docs/client-rules.md, Protocol: the client reports the code of an error as it came'],
  }),
  plain({
    id: 'http-error-in-200',
    title: 'Answers 200 with an error in JSON.',
    layer: 'chat',
    why: 'docs/client-rules.md, Ends: a 200 that is no stream is an error',
    exchanges: [json(200, { error: { code: 'model_overloaded', message: 'The model is overloaded.' } })],
    expect: { outcome: 'error', chat: { content: '', tool_calls: [], finish_reason: null, usage: null } },
  }),
  chat({
    id: 'chat-gateway-glued',
    title: 'Has no blank line between two chunks.',
    steps: [role(), `${GLUED}\n\n`, ...textEnd],
    why: `${LAB}: two data lines are one event (WHATWG HTML 9.2.6), which is no JSON`,
    expect: { outcome: 'error' },
    alternatives: [
      {
        ...chatExpect([role(), say('Hel'), say('lo'), ...textEnd]),
        why: `${LAB}: a client may keep both of two glued events`,
      },
    ],
  }),
];
