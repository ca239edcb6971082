// The reference player: scripted, no model. It knows its mends by heart, and waits to hear which: one is made when what it is for
// is named, by what the client prints or by what the door says, and not before. Its score shows that the door carries what a
// player needs to hear. It says nothing of any model.
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

/** What is named (a requirement, a case of the lab, a reason), what then stands in the client, and what belongs there. */
const MENDS = [
  ['sse-utf8-cut', 'while piece := response.read1(4096):', 'for piece in response:'],
  ['sse-crlf', "text.split('\\n\\n')", 'text.split(/\\r?\\n\\r?\\n/)'],
  [
    'sse-comment-frame',
    "for (const event of events) yield event.replace(/^data: /, '');",
    `for (const event of events) {
      const data = event.split(/\\r?\\n/).flatMap((line) => (line.startsWith('data:') ? [line.replace(/^data: ?/, '')] : []));
      if (data.length > 0) yield data.join('\\n');
    }`,
  ],
  ['CHAT-15', "if (finish_reason === 'tool_calls') return { call, session };", ''],
  ['CHAT-15', '      }\n    }\n  }\n}\n', '      }\n    }\n  }\n  return call && { call, session };\n}\n'],
  [
    'intern_not_ready',
    'const { id } = await create.json();',
    `const { id, status: born } = await create.json();
for (let status = born; status !== 'running'; ) {
  if (!['queued', 'provisioning'].includes(status)) throw new Error(\`the intern is \${status}\`);
  await new Promise((resolve) => setTimeout(resolve, 100));
  ({ status } = await (await send(\`/interns/\${id}\`)).json());
}`,
  ],
  [
    'http-retry-after',
    'if (response.ok) break;\n    await new Promise((resolve) => setTimeout(resolve, 100));',
    `if (response.ok || attempt === TRIES) break;
    const { error } = await response.clone().json().catch(() => ({}));
    if (!error?.metadata?.retryable) break;
    const wait = Number(response.headers.get('retry-after') ?? 0.1);
    await new Promise((resolve) => setTimeout(resolve, wait * 1_000));`,
  ],
  [
    'sign-retry-503',
    '  const proof = await proofFor({ signUrl, key, request });\n  for (let attempt = 1; ; attempt++) {\n',
    '  for (let attempt = 1; ; attempt++) {\n    const proof = await proofFor({ signUrl, key, request });\n',
  ],
  [
    'sign-reserialised',
    '    text = json.dumps(json.loads(body), separators=(",", ":"))\n    return hashlib.sha256(text.encode()).hexdigest()',
    '    return hashlib.sha256(body).hexdigest()',
  ],
  [
    'chat-error-chunk',
    'reply.usage = chunk.usage',
    'if (chunk.error) throw Object.assign(new Error(chunk.error.message), { status: chunk.error.code });\n      reply.usage = chunk.usage',
  ],
  [
    'chat-error-finish',
    "if (data === '[DONE]') return reply;",
    "if (data === '[DONE]' && reply.finish_reason === 'error') throw new Error('the run failed');\n      if (data === '[DONE]') return reply;",
  ],
  ['chat-no-end', '  return reply;\n}\n', "  throw new Error('the reply broke off');\n}\n"],
];
const ADAPTERS = {
  'client.mjs': [process.execPath, join(import.meta.dirname, 'adapter.mjs')],
  'client.py': ['python3', join(import.meta.dirname, 'adapter.py')],
};

/** What a tool of the door answers, as text that has everything. */
async function call(name, given = {}) {
  const response = await fetch(process.env.INTERN_MCP_URL, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2025-06-18',
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: given } }),
  });
  const text = await response.text();
  const message = text.startsWith('{') ? text : [...text.matchAll(/^data: (.+)$/gm)].at(-1)?.[1];
  const { result, error } = JSON.parse(message);
  if (error) throw new Error(`${name}: ${error.message}`);
  return result;
}

const files = readdirSync('.').filter((name) => /\.(mjs|py)$/.test(name));
const has = (text) => files.find((name) => readFileSync(name, 'utf8').includes(text));

// What everybody sees: what the client prints.
const [, attempt] = readFileSync('TASK.md', 'utf8').match(/```sh\n([\s\S]*?)```/);
const tried = spawnSync('sh', ['-c', `exec ${attempt}`], { encoding: 'utf8', timeout: 5_000 });
let heard = tried.stdout + tried.stderr;

if (process.env.INTERN_MCP_URL) {
  const { structuredContent } = await call('list_requests');
  for (const { id } of structuredContent.requests) heard += JSON.stringify(await call('explain_request', { id }));
  for (const client of files.filter((name) => name in ADAPTERS)) {
    const only = MENDS.flatMap(([named, from]) => (/^[a-z]+-/.test(named) && has(from) ? [named] : []));
    const command = [...ADAPTERS[client], resolve(client)];
    if (only.length > 0) {
      const { structuredContent: checked, content } = await call('check_client', { command, only });
      heard += JSON.stringify(checked?.findings ?? content);
    }
  }
}

for (const [named, from, to] of MENDS) {
  const file = has(from);
  if (file === undefined || !heard.includes(named)) continue;
  writeFileSync(
    file,
    readFileSync(file, 'utf8').replace(from, () => to),
  );
  console.log(`${file}: mended for ${named}`);
}
