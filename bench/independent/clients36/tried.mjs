// Plays a situation to each wrong client and to the right one, and names those that do the same as the right one.
// `node tried.mjs [NAME…]`. What needs HTTP/2 is not tried here.

import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import http from 'node:http';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import zlib from 'node:zlib';

const chunk = (delta, finish_reason = null, more = {}) =>
  `data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason }], ...more })}\n\n`;
const last = `data: ${JSON.stringify({ choices: [], session_id: 's', usage: { total_tokens: 3 } })}\n\n`;
const done = 'data: [DONE]\n\n';
const hi = chunk({ content: 'hi' });
const stop = chunk({}, 'stop');
const reply = [hi, stop, last, done];
const call = (index, id, name, args) => ({ index, id, type: 'function', function: { name, arguments: args } });
const calls = (...tool_calls) => chunk({ tool_calls });
const ended = [chunk({}, 'tool_calls'), last, done];
const sse = (...chunks) => ({ layer: 'sse', answers: [{ chunks }] });
const chat = (...chunks) => ({ layer: 'chat', answers: [{ chunks }] });
const first = (answer, more = {}) => ({
  layer: 'chat',
  retries: 'default',
  answers: [answer, { chunks: reply }],
  ...more,
});
const refusal = (status, headers = {}, retryable = true) => ({
  status,
  headers: { 'content-type': 'application/json', ...headers },
  chunks: [JSON.stringify({ error: { code: status, message: 'no', metadata: { reason: 'r', retryable } } })],
});
const sent = (body) => ({ layer: 'chat', body, answers: [{ chunks: reply }] });
const silent = { layer: 'chat', idle_limit: 200, timeout: 900 };
const held = { chunks: [hi], ends: 'never' };
const proof = {
  headers: { 'content-type': 'application/json' },
  chunks: [
    JSON.stringify({
      'x-svc-invoke-signature': 'a+/=',
      'x-svc-invoke-timestamp': '1',
      'x-svc-invoke-user': 'a b|c',
      'x-svc-invoke-signature-v2': 'c+/=',
      'x-svc-invoke-nonce': 'n',
    }),
  ],
};
const fine = { headers: { 'content-type': 'application/json' }, chunks: ['{}'] };
const signing = (request = {}, answers = [proof, fine]) => ({
  layer: 'signing',
  retries: 'default',
  answers,
  request: {
    method: 'POST',
    path: '/a%2Fb/./c?q=1',
    headers: { 'X-Svc-Invoke-Nonce': 'old' },
    body_base64: Buffer.from('{ "a": "é" }').toString('base64'),
    ...request,
  },
});
const binary = { body_base64: Buffer.of(0xff, 1).toString('base64') };
const gzip = (text, size) => ({
  headers: { 'content-encoding': 'gzip' },
  chunks: [zlib.gzipSync(text).subarray(0, size)],
});
const two = [hi, stop].join('');

const situations = {
  'lf-only': sse('data: a\r\n\r\n'),
  'crlf-but-no-cr': sse('data: a\r\rdata: b\r\r'),
  'cr-held': { ...sse('data: a\r\r', 'data: b\r\r'), gap: 60 },
  'crlf-cut-twice': { ...sse('data: a\r', '\ndata: b\r\n\r\n'), gap: 60 },
  'unicode-lines': sse('data: a\u2028b\n\n'),
  'bom-kept': sse('\ufeffdata: a\n\n'),
  'bom-anywhere': sse('data: a\ufeffb\n\n'),
  'decode-per-chunk': { ...sse(Buffer.from('data: é').subarray(0, 7), Buffer.of(0xa9, 10, 10)), gap: 60 },
  'latin1-unless-reported': sse('data: é\n\n'),
  'charset-obeyed': {
    layer: 'sse',
    answers: [{ headers: { 'content-type': 'text/event-stream;charset=iso-8859-1' }, chunks: ['data: é\n\n'] }],
  },
  'space-needed': sse('data:a\n\n'),
  'value-lstrip': sse('data:   a\n\n'),
  'value-rstrip': sse('data: a  \n\n'),
  'colon-space-split': sse('data: a: b\n\n'),
  'data-last-line': sse('data: a\ndata: b\n\n'),
  'data-glued': sse('data: a\ndata: b\n\n'),
  'line-is-event': sse('data: a\ndata: b\n\n'),
  'empty-data-lost': sse('data:\n\n'),
  'no-data-reported': sse('event: ping\n\n'),
  'name-sticks': sse('event: x\ndata: a\n\ndata: b\n\n'),
  'name-survives-blank': sse('event: x\n\ndata: b\n\n'),
  'named-lost': sse('event: x\ndata: a\n\n'),
  'id-not-kept': sse('id: 1\ndata: a\n\ndata: b\n\n'),
  'id-with-nul': sse('id: 1\0\ndata: a\n\n'),
  'empty-id-ignored': sse('id: 1\ndata: a\n\nid:\ndata: b\n\n'),
  'id-needs-data': sse('id: 1\n\ndata: a\n\n'),
  'comment-block-dropped': sse(': keepalive\ndata: a\n\n'),
  'data-must-lead': sse('id: 1\ndata: a\n\n'),
  'field-any-case': sse('DATA: a\n\n'),
  'field-by-prefix': sse('database: a\n\n'),
  'no-colon-ignored': sse('data: a\ndata\n\n'),
  'long-line': sse(`data: ${'a'.repeat(70_000)}\n\n`),
  'chunk-is-event': { ...sse('data: a', 'b\n\n'), gap: 60 },
  'event-held': { ...sse('data: a\n\n', 'data: b\n\n'), gap: 60 },
  'scan-again': { ...sse(...Array.from({ length: 300 }, () => 'a'.repeat(65_000)), 'data: a\n\n'), slow: true },
  'type-exact': {
    layer: 'sse',
    answers: [{ headers: { 'content-type': 'text/event-stream; charset=utf-8' }, chunks: ['data: a\n\n'] }],
  },
  'type-case': {
    layer: 'sse',
    answers: [{ headers: { 'content-type': 'Text/Event-Stream' }, chunks: ['data: a\n\n'] }],
  },
  'type-unread': { layer: 'sse', answers: [{ headers: { 'content-type': 'text/html' }, chunks: ['<p>'] }] },
  'status-unread': { layer: 'sse', answers: [{ status: 404, chunks: ['data: a\n\n'] }] },
  'any-2xx': { layer: 'sse', answers: [{ status: 202, chunks: ['data: a\n\n'] }] },
  'html-error-crash': {
    layer: 'chat',
    answers: [{ status: 502, headers: { 'content-type': 'text/html' }, chunks: ['<p>'] }],
  },
  'reason-untold': { layer: 'chat', answers: [refusal(400)] },
  'cut-is-end': { layer: 'chat', answers: [{ chunks: [two], ends: 'cut' }] },
  'gzip-unread': { layer: 'sse', answers: [gzip('data: a\n\n')] },
  'gzip-at-end': { layer: 'sse', gap: 60, answers: [{ gzipped: true, chunks: ['data: a\n\n', 'data: b\n\n'] }] },
  'cut-gzip-is-end': {
    layer: 'chat',
    answers: [
      gzip(
        two +
          ' '.repeat(9) +
          Array.from({ length: 999 }, (_, at) => createHash('sha256').update(String(at)).digest('hex')).join(''),
        20_000,
      ),
    ],
  },
  'deflate-raw': {
    layer: 'sse',
    answers: [{ headers: { 'content-encoding': 'deflate' }, chunks: [zlib.deflateSync('data: a\n\n')] }],
  },
  'redirect-tells-key': first({ status: 307, headers: { location: '{other}/x' } }),
  'redirect-307-gets': first({ status: 307, headers: { location: '/x' } }),
  'redirect-303-posts': first({ status: 303, headers: { location: '/x' } }),
  'redirect-loop': {
    layer: 'chat',
    answers: Array.from({ length: 9 }, () => ({ status: 307, headers: { location: '/x' } })),
  },
  'retries-refusals': first(refusal(400)),
  'retries-unasked': first(refusal(503), { retries: 0 }),
  'retries-on-and-on': {
    layer: 'chat',
    retries: 'default',
    timeout: 9000,
    answers: Array.from({ length: 4 }, () => refusal(503)),
  },
  'retryable-unread': first(refusal(503, {}, false)),
  'retry-after-unread': first(refusal(429, { 'retry-after': '1' }), { slow: true }),
  'retry-after-as-ms': first(refusal(429, { 'retry-after': '1' }), { slow: true }),
  'retry-after-number-only': first(refusal(429, { 'retry-after': '{soon}' }), {
    slow: true,
    timeout: 9000,
  }),
  'waits-an-hour': first(refusal(429, { 'retry-after': '3600' }), { timeout: 700 }),
  'retry-without-body': first(refusal(503)),
  'broken-stream-resent': first({ chunks: [hi], ends: 'cut' }),
  'new-key-each-try': first(refusal(503)),
  'timeout-unread': { layer: 'chat', timeout: 300, answers: [held] },
  'latin1-body': sent({ a: 'ž' }),
  'length-in-characters': sent({ a: 'é' }),
  'unknown-fields-cut': sent({ session_id: 's' }),
  'call-id-renamed': sent({ messages: [{ role: 'tool', tool_call_id: 'toolu_1', content: 'yes' }] }),
  'empty-message-cut': sent({ messages: [{ role: 'assistant', content: null, tool_calls: [] }] }),
  'tool-answer-parsed': sent({ messages: [{ role: 'tool', tool_call_id: 'a', content: '{"a":1}' }] }),
  'stops-at-finish': chat(...reply),
  'done-in-text': chat(chunk({ content: '[DONE]' }), ...reply),
  'reads-past-done': chat(...reply, hi),
  'waits-for-close': { layer: 'chat', timeout: 700, answers: [{ chunks: reply, ends: 'never' }] },
  'eof-is-complete': chat(hi),
  'empty-choices-crash': chat(...reply),
  'usage-beside-choices': chat(...reply),
  'usage-null-crash': chat(hi, stop, 'data: {"choices":[],"usage":null}\n\n', done),
  'session-beside-choices': chat(...reply),
  'error-chunk-ignored': chat(hi, 'data: {"error":{"code":410,"message":"m"},"choices":[]}\n\n', done),
  'finish-error-is-end': chat(hi, chunk({}, 'error'), last, done),
  'error-code-lost': chat(hi, 'data: {"error":{"code":410,"message":"m"}}\n\n', done),
  'bad-json-skipped': chat(hi, 'data: {"choi\n\n', stop, done),
  'null-as-text': chat(chunk({ role: 'assistant', content: null }), ...reply),
  'first-chunk-skipped': chat(...reply),
  'stops-at-empty-text': chat(chunk({ content: '' }), ...reply),
  'finish-overwritten': chat(hi, stop, chunk({}), done),
  'last-content-lost': chat(hi, chunk({ content: '!' }, 'stop'), done),
  'choices-mixed': chat(hi, 'data: {"choices":[{"index":1,"delta":{"content":"other"}}]}\n\n', stop, done),
  'calls-to-last': chat(
    calls(call(0, 'a', 'f', ''), call(1, 'b', 'g', '')),
    calls({ index: 0, function: { arguments: '{}' } }),
    ...ended,
  ),
  'calls-by-id': chat(calls(call(0, 'a', 'f', '')), calls({ index: 0, function: { arguments: '{}' } }), ...ended),
  'calls-by-position': chat(calls(call(0, 'a', 'f', '{}')), calls(call(1, 'b', 'g', '{}')), ...ended),
  'one-call-a-delta': chat(calls(call(0, 'a', 'f', '{}'), call(1, 'b', 'g', '{}')), ...ended),
  'index-needed': chat(calls(call(undefined, 'a', 'f', '{}')), ...ended),
  'calls-from-zero': chat(calls(call(1, 'a', 'f', '{}')), ...ended),
  'calls-as-they-came': chat(calls(call(1, 'a', 'f', '{}')), calls(call(0, 'b', 'g', '{}')), ...ended),
  'id-overwritten': chat(calls(call(0, 'a', 'f', '')), calls({ index: 0, function: { arguments: '{}' } }), ...ended),
  'name-appended': chat(calls(call(0, 'a', 'f', '{')), calls(call(0, 'a', 'f', '}')), ...ended),
  'arguments-replaced': chat(
    calls(call(0, 'a', 'f', '{')),
    calls({ index: 0, function: { arguments: '}' } }),
    ...ended,
  ),
  'empty-arguments-crash': chat(calls(call(0, 'a', 'f', '')), ...ended),
  'arguments-rewritten': chat(calls(call(0, 'a', 'f', '{"a":12345678901234567890}')), ...ended),
  'half-call-reported': { layer: 'chat', answers: [{ chunks: [calls(call(0, 'a', 'f', '{'))], ends: 'cut' }] },
  'calls-need-reason': chat(calls(call(0, 'a', 'f', '{}')), stop, done),
  'text-beside-calls-lost': chat(hi, calls(call(0, 'a', 'f', '{}')), ...ended),
  'comments-are-silence': { ...silent, gap: 120, answers: [{ chunks: [hi, ': k\n\n', ': k\n\n', ...reply] }] },
  'idle-unwatched': { ...silent, slow: true, answers: [held] },
  'idle-for-head-only': { ...silent, slow: true, answers: [held] },
  'idle-is-total': { ...silent, gap: 120, answers: [{ chunks: [hi, ...reply] }] },
  'silence-retried': { ...silent, retries: 'default', answers: [{ ends: 'unanswered' }, { chunks: reply }] },
  'idle-stays-open': { ...silent, answers: [held] },
  'abort-stays-open': { layer: 'chat', abort: { when: 'event', n: 1 }, answers: [held] },
  'abort-unheard-waiting': first(refusal(503, { 'retry-after': '1' }), { abort: { when: 'ms', ms: 200 } }),
  'abort-is-error': { layer: 'chat', abort: { when: 'event', n: 1 }, answers: [held] },
  'abort-retried': {
    layer: 'chat',
    abort: { when: 'ms', ms: 200 },
    answers: [{ ends: 'unanswered' }, { chunks: reply }],
  },
  'abort-before-unseen': { layer: 'chat', abort: { when: 'before' }, answers: [{ chunks: reply }] },
  'stop-stays-open': { layer: 'chat', stop_after: 1, answers: [held] },
  'hash-of-compact': signing(),
  'hash-of-text': signing(binary),
  'hash-upper': signing(),
  'empty-unhashed': signing({ body_base64: '' }),
  'route-with-query': signing(),
  'route-lower': signing(),
  'route-decoded': signing(),
  'no-route': signing(),
  'v1-only': signing(),
  'signature-as-url': signing(),
  'timestamp-in-ms': signing(),
  'user-encoded': signing(),
  'proof-again': signing({}, [proof, refusal(503), proof, fine]),
  'key-to-daemon': signing(),
  'callers-headers-win': signing(),
  'both-values': signing(),
  'unsigned-if-refused': signing({}, [refusal(403, {}, false), fine]),
  'redirect-tells-proof': signing({}, [proof, { status: 307, headers: { location: '{other}/x' } }, fine]),
  'path-rewritten': signing(),
  'body-as-text': signing(binary),
  'body-compacted': signing(),
  'daemon-status-unread': signing({}, [proof, refusal(404)]),
  'new-proof-forever': signing({}, [proof, refusal(401), proof, refusal(401), proof, fine]),
  'sign-without-type': signing(),
};

/** What a client did and answered. */
async function played(way, { layer, answers, gap = 0, slow = false, body = { stream: true }, ...asked }) {
  const seen = [];
  const rest = [...answers];
  let other = '';
  const answering = async (request, response) => {
    const parts = [];
    request.on('error', () => {});
    for await (const bytes of request) parts.push(bytes);
    const { host, date, ...headers } = request.headers;
    if (headers['idempotency-key'])
      headers['idempotency-key'] = seen.findIndex(({ key }) => key === headers['idempotency-key']);
    const one = {
      key: request.headers['idempotency-key'],
      at: host === other,
      line: `${request.method} ${request.url}`,
      headers,
      body: Buffer.concat(parts).toString('latin1'),
    };
    seen.push(one);
    const answer = rest.shift() ?? { status: 500 };
    const { status = 200, headers: given = {}, chunks = [], ends = 'whole', gzipped = false } = answer;
    response.on('close', () => {
      one.closed = true;
    });
    if (ends === 'unanswered') return;
    const named = Object.entries({
      'content-type': 'text/event-stream',
      ...given,
      ...(gzipped ? { 'content-encoding': 'gzip' } : {}),
    });
    response.writeHead(
      status,
      Object.fromEntries(
        named.map(([name, value]) => [
          name,
          value.replace('{other}', `http://${other}`).replace('{soon}', new Date(Date.now() + 4000).toUTCString()),
        ]),
      ),
    );
    response.flushHeaders();
    const into = gzipped ? zlib.createGzip() : response;
    if (gzipped) into.pipe(response);
    for (const bytes of chunks) {
      into.write(bytes);
      if (gzipped) into.flush();
      await sleep(gap);
      one.reported = (one.reported ?? []).concat(lines.length);
    }
    if (ends === 'whole') into.end();
    if (ends === 'cut') {
      await sleep(30);
      response.socket?.destroy();
    }
  };
  const servers = [http.createServer(answering), http.createServer(answering)];
  for (const server of servers) await once(server.listen(0, '127.0.0.1'), 'listening');
  const [base, elsewhere] = servers.map((server) => `127.0.0.1:${server.address().port}`);
  other = elsewhere;
  const child = spawn(process.execPath, [fileURLToPath(new URL('client.mjs', import.meta.url)), way], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const lines = [];
  let answered;
  const over = new Promise((resolve) => {
    answered = resolve;
  });
  createInterface({ input: child.stdout }).on('line', (line) => {
    const reported = JSON.parse(line);
    if (reported.event) lines.push(reported);
    if (reported.outcome) answered(reported);
  });
  const began = Date.now();
  const ask = {
    run: '1',
    layer,
    url: `http://${base}/run`,
    base_url: `http://${base}`,
    sign_url: `http://${base}/sign`,
    daemon_origin: `http://${base}`,
    daemon_token: 'T',
    headers: { authorization: 'Bearer KEY' },
    body,
    timeout: 3000,
    retries: 0,
    ...asked,
  };
  child.stdin.write(`${JSON.stringify(ask)}\n`);
  const answer = await Promise.race([over, sleep(ask.timeout + 500).then(() => 'none')]);
  const took = Date.now() - began;
  await sleep(ask.abort || ask.retries || layer !== 'sse' ? 250 : 20);
  const did = JSON.stringify({
    answer,
    seen: seen.map(({ key, reported, ...shown }) => (gap > 0 ? { ...shown, reported } : shown)),
  })
    .replaceAll(base, 'BASE')
    .replaceAll(other, 'OTHER');
  child.stdin.end();
  child.kill();
  for (const server of servers) {
    server.closeAllConnections();
    server.close();
  }
  return { did, took: slow ? took : 0 };
}

const names = process.argv.length > 2 ? process.argv.slice(2) : Object.keys(situations);
let same = 0;
for (const name of names) {
  const [right, wrong] = [await played('right', situations[name]), await played(name, situations[name])];
  const shows = right.did !== wrong.did || Math.abs(right.took - wrong.took) > 400;
  if (!shows) same += 1;
  if (!shows || process.argv.length > 2)
    console.log(
      `${name}: ${shows ? 'differs' : 'does as the right one does'}\n  right ${right.took} ${right.did}\n  wrong ${wrong.took} ${wrong.did}`,
    );
}
console.log(`${names.length} tried, ${same} do as the right one does`);
process.exit(0);
