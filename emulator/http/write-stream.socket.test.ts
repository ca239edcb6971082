import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { listening } from '../testing/listening.harness.js';

/** The bytes of a server until it closes the connection. */
function sent(url: string, request: string): Promise<string> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  socket.end(request);
  return text(socket);
}

const chat = async () => {
  const { emulator, at } = await listening();
  const { intern, api_key } = emulator.target.credentials;
  const body = JSON.stringify({ stream: true, messages: [{ role: 'user', content: 'hello' }] });
  const head = [
    `POST /api/v1/interns/${intern?.id}/chat/completions HTTP/1.1`,
    `host: ${new URL(at.url).host}`,
    `authorization: Bearer ${api_key}`,
    'connection: close',
    `content-length: ${body.length}`,
  ];
  const [answerHead = '', ...rest] = (await sent(at.url, `${head.join('\r\n')}\r\n\r\n${body}`)).split('\r\n\r\n');
  return { head: answerHead.toLowerCase(), body: rest.join('\r\n\r\n') };
};

test('WEB-2: the opening of a reply that is all there leaves by itself; nothing has a length', async () => {
  const { head, body } = await chat();
  expect(head).toContain('transfer-encoding: chunked');
  expect(head).not.toContain('content-length');
  const chunks = body.split(/\r\n[0-9a-f]+\r\n|^[0-9a-f]+\r\n/).slice(1);
  expect(chunks).toHaveLength(3);
  expect(chunks[0]).toMatch(/^data: \{[^\n]*"role":"assistant"[^\n]*\n\n$/);
  expect(chunks[1]).toMatch(/"content":"hello"[\s\S]*data: \[DONE\]\n\n$/);
});
