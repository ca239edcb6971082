// Seen: gateways that read on after their caller has left, and that pass a list of headers on (yvgude/lean-ctx#1638).
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { beside, byTheKit, expect } from './tools.mjs';

const ONLY = [
  'chat/tool-call-pauses-and-continues',
  'disconnect/while-it-speaks',
  'disconnect/after-done',
  'limiter/message-and-header',
  'provision/first-boot',
  'bodies/cap-in-bytes',
];

export const judge = (folder) =>
  beside({ clock: 'virtual' }, async ({ variables }) => {
    const gateway = spawn(process.execPath, ['main.mjs'], { cwd: folder, env: { ...process.env, ...variables } });
    try {
      const [first] = await Promise.race([once(gateway.stdout, 'data'), once(gateway, 'exit').then(() => [''])]);
      const [url = ''] = String(first).match(/http:\S+/) ?? [];
      expect(url !== '' && new URL(url).origin !== new URL(variables.INTERN_BASE_URL).origin, 'no gateway began');
      await byTheKit(url, ONLY, variables);
    } finally {
      gateway.kill('SIGKILL');
    }
  });

export const solution = {
  'main.mjs': [
    [
      '  try {\n',
      `  const left = new AbortController();
  response.on('close', () => left.abort());
  try {
`,
    ],
    ["      redirect: 'manual',\n", "      redirect: 'manual',\n      signal: left.signal,\n"],
    [
      "    response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? 'application/json' });\n",
      `    const passed = [...answer.headers].filter(([name]) => !OWN.has(name));
    response.writeHead(answer.status, Object.fromEntries(passed));
`,
    ],
  ],
};
