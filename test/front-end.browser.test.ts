import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { resolve } from 'node:path';
import { build } from 'esbuild';
import type Client from 'openai';
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { createEmulator, type Emulator, type EmulatorOptions } from '../emulator/index.js';
import { launchChromium } from './chromium.js';
import { needs } from './tools.js';

/** A page of another origin, such as a user's chat front end, and what it finds at the emulator's address. */
let browser: Browser;
let pages: Server;
let openai: string;
const emulators: Emulator[] = [];

beforeAll(async () => {
  const bundled = await build({
    stdin: { contents: "export { OpenAI } from 'openai'", resolveDir: resolve(import.meta.dirname, '..') },
    bundle: true,
    format: 'iife',
    globalName: 'bundle',
    platform: 'browser',
    write: false,
  });
  openai = bundled.outputFiles[0]?.text ?? '';
  pages = createServer((request, response) => {
    const isScript = request.url === '/openai.js';
    response.setHeader('content-type', isScript ? 'text/javascript' : 'text/html');
    response.end(isScript ? openai : '<!doctype html><title>A front end</title>');
  }).listen(0, '127.0.0.1');
  await once(pages, 'listening');
  browser = await launchChromium('--host-resolver-rules=MAP front.test 127.0.0.1');
});

afterEach(async () => {
  for (const emulator of emulators.splice(0)) await emulator.close();
});
afterAll(async () => {
  await browser?.close();
  pages?.close();
});

/** A page at a host, and what it learns of an emulator that listens. */
async function open(host: string, options: EmulatorOptions = {}) {
  const emulator = createEmulator(options);
  emulators.push(emulator);
  const { baseUrl } = await emulator.listen({ port: 0 });
  const page: Page = await (await browser.newContext()).newPage();
  const said: string[] = [];
  page.on('console', (message) => said.push(message.text()));
  await page.goto(`http://${host}:${(pages.address() as AddressInfo).port}/`);
  const { credentials } = emulator.target;
  const given = { base: baseUrl, key: credentials.api_key, intern: credentials.intern?.id ?? '' };
  return { emulator, page, given, said };
}

test('a plain page with fetch and a reader lists, streams, is asked and answers', needs('chromium'), async () => {
  const { page, given } = await open('localhost');
  const seen = await page.evaluate(async ({ base, key, intern }) => {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    const list = (await (await fetch(`${base}/interns`, { headers })).json()) as { data: { name: string }[] };
    const chat = async (body: object) => {
      const response = await fetch(`${base}/interns/${intern}/chat/completions`, {
        method: 'POST',
        headers: { ...headers, 'x-request-id': 'from-a-page' },
        body: JSON.stringify({ stream: true, session_id: 'a-session', ...body }),
      });
      const reader = (response.body as ReadableStream<Uint8Array>).pipeThrough(new TextDecoderStream()).getReader();
      let text = '';
      for (let part = await reader.read(); !part.done; part = await reader.read()) text += part.value;
      return { text, id: response.headers.get('x-request-id') };
    };
    const asked = await chat({
      approval_mode: 'manual',
      messages: [{ role: 'user', content: 'script: ask-permission' }],
    });
    const call = /"id":"(call_[^"]+)"/.exec(asked.text)?.[1];
    const answered = await chat({ messages: [{ role: 'tool', tool_call_id: call, content: 'allow_once' }] });
    const refused = await fetch(`${base}/interns?status=asleep`, { headers });
    return {
      names: list.data.map((row) => row.name),
      asked,
      answered,
      detail: refused.headers.get('x-emulator-detail'),
    };
  }, given);
  expect(seen.names).toEqual(['first-intern']);
  expect(seen.asked).toEqual({ text: expect.stringContaining('"finish_reason":"tool_calls"'), id: 'from-a-page' });
  expect(seen.answered.text).toContain('"finish_reason":"stop"');
  expect(seen.detail).toContain('asleep');
});

test('the openai client in a page streams, is asked and answers', needs('chromium'), async () => {
  const { page, given } = await open('127.0.0.1');
  await page.addScriptTag({ url: '/openai.js' });
  const seen = await page.evaluate(async ({ base, key, intern }) => {
    const { OpenAI } = (globalThis as unknown as { bundle: { OpenAI: typeof Client } }).bundle;
    const client = new OpenAI({
      baseURL: `${base}/interns/${intern}`,
      apiKey: key,
      dangerouslyAllowBrowser: true,
      maxRetries: 0,
    });
    const chat = async (body: object) => {
      // The session and the answers to questions are this interface's own.
      const stream = await client.chat.completions.create({ model: 'any', stream: true, messages: [], ...body });
      let text = '';
      let call: string | undefined;
      let session: string | undefined;
      let finish: string | null = null;
      for await (const chunk of stream) {
        const choice = chunk.choices[0];
        text += choice?.delta.content ?? '';
        call ??= choice?.delta.tool_calls?.[0]?.id;
        finish = choice?.finish_reason ?? finish;
        session = (chunk as { session_id?: string }).session_id ?? session;
      }
      return { text, call, session, finish };
    };
    const hello = await chat({ messages: [{ role: 'user', content: 'Hello' }] });
    const asked = await chat({
      approval_mode: 'manual',
      messages: [{ role: 'user', content: 'script: ask-permission' }],
    });
    const answered = await chat({
      session_id: asked.session,
      messages: [{ role: 'tool', tool_call_id: asked.call, content: 'allow_once' }],
    });
    return { hello: hello.text, asked: asked.finish, answered: answered.finish };
  }, given);
  expect(seen).toEqual({ hello: expect.stringContaining('Hello'), asked: 'tool_calls', answered: 'stop' });
});

const list = (page: Page, given: { base: string; key: string }) =>
  page.evaluate(
    ({ base, key }) =>
      fetch(`${base}/interns`, { headers: { authorization: `Bearer ${key}` } }).then(
        (response) => response.status,
        (error: Error) => error.name,
      ),
    given,
  );

test(
  'a page that is not of loopback fails, and journal and browser say why; --cors lets it in',
  needs('chromium'),
  async () => {
    const { emulator, page, given, said } = await open('front.test');
    expect(await list(page, given)).toBe('TypeError');
    expect(said.join('\n')).toContain('CORS policy');
    const journal = (await (await emulator.fetch('/_emulator/journal')).json()) as { data: { wrong: string | null }[] };
    const origin = new URL(page.url()).origin;
    expect(journal.data.map(({ wrong }) => wrong)).toEqual([
      `pages of the origin ${origin} are not admitted: start with --cors ${origin}`,
    ]);
    const let_in = await open('front.test', { cors: [origin] });
    expect(await list(let_in.page, let_in.given)).toBe(200);
  },
);

test('no page of another origin reads the control interface', needs('chromium'), async () => {
  const { page, given } = await open('localhost', { cors: ['*'] });
  const target = given.base.replace('/api/v1', '/_emulator/target');
  const outcome = await page.evaluate(
    (url) =>
      fetch(url).then(
        () => 'read',
        (error: Error) => error.name,
      ),
    target,
  );
  expect(outcome).toBe('TypeError');
});
