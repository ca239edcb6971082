// Holds the agents' door against what others wrote (AGENT-5): the protocol's conformance suite for servers, over HTTP,
// and the inspector's command line, which lists and calls every tool over both transports. `npm run test:agents`, after a
// build. Both tools need Node 22, which scripts/node.sh brings; they are installed below .tmp/, since nothing else needs
// their hundred packages.

import { execFile, spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';

const ROOT = resolve(import.meta.dirname, '..');
const TOOLS = join(ROOT, '.tmp/agents-tools');
const VERSIONS = { '@modelcontextprotocol/conformance': '0.1.16', '@modelcontextprotocol/inspector': '2.12.0' };
const COMMAND = join(ROOT, 'dist/bin/intern-emulator.js');
const LIMIT = 120_000;

/** Scenarios that call tools, resources and prompts of the suite's own names: scripts/agents-fixtures.ts has those beside our own. */
const WITH_FIXTURES = [
  'completion-complete',
  'tools-call-simple-text',
  'tools-call-image',
  'tools-call-audio',
  'tools-call-embedded-resource',
  'tools-call-mixed-content',
  'tools-call-error',
  'tools-call-with-progress',
  'resources-read-text',
  'resources-read-binary',
  'resources-templates-read',
  'prompts-get-simple',
  'prompts-get-with-args',
  'prompts-get-embedded-resource',
  'prompts-get-with-image',
];

/** Scenarios that do not apply, and why. If one passes, the suite fails: then it applies. */
const NOT_OURS = {
  'logging-set-level': 'the server declares no logging: its answers say what there is to say',
  'tools-call-with-logging': 'the same',
  'tools-call-sampling': 'a server without sessions asks its client nothing',
  'tools-call-elicitation': 'the same',
  'elicitation-sep1034-defaults': 'the same',
  'elicitation-sep1330-enums': 'the same',
  'resources-subscribe': 'without sessions nothing could be sent later',
  'resources-unsubscribe': 'the same',
  'server-sse-multiple-streams': 'it needs the id of a session',
};

/** Arguments that each tool takes; what it says. */
const CALLS = {
  status: [[], 'INTERN_API_KEY='],
  manage_intern: [['action=create', 'name=inspected'], 'create: 201'],
  list_interns: [[], 'first-intern'],
  chat: [['prompt=script: ask-permission\nhello', 'approval_mode=manual'], 'The intern asks'],
  answer_question: [['intern_id=none', 'session_id=none', 'answer=yes'], 'no intern none|No run of session'],
  list_requests: [['limit=5'], '/api/v1/interns'],
  explain_request: [[], 'requirement|Nothing was wrong'],
  advance_clock: [['by=1s'], 'It is '],
  inject_fault: [['clear=true'], '0 faults'],
  put_script: [['script={"name":"inspected","turn":[{"say":"hi"}]}'], 'The script inspected is there'],
  snapshot: [['action=list'], 'start'],
  explain_proof: [['headers={}'], 'refused'],
  check_server: [['only=["list/bad-cursor"]'], '1 done: 1 pass'],
  check_client: [['command=["false"]'], 'stdio|ended with status'],
};

/** Tools that are called over stdio too. */
const OVER_STDIO = ['status', 'chat', 'check_server', 'check_client'];

const run = promisify(execFile);
const npmFree = { ...process.env, NODE_OPTIONS: '' };
const { stdout: bin22 } = await run('bash', [join(ROOT, 'scripts/node.sh'), '22']);
const env = { ...npmFree, PATH: `${bin22.trim()}:${process.env.PATH}` };

mkdirSync(TOOLS, { recursive: true });
if (!Object.keys(VERSIONS).every((name) => existsSync(join(TOOLS, 'node_modules', name)))) {
  writeFileSync(join(TOOLS, 'package.json'), JSON.stringify({ private: true, dependencies: VERSIONS }));
  await run('npm', ['install', '--silent', '--no-audit', '--no-fund', '--ignore-scripts', '--omit=optional'], {
    cwd: TOOLS,
    env,
  });
}
const tool = (name) => join(TOOLS, 'node_modules/.bin', name);

const emulator = spawn(
  process.execPath,
  [COMMAND, '--port', '0', '--daemon-port', '0', '--clock', 'auto', '--json', '--quiet'],
  {
    stdio: ['ignore', 'pipe', 'inherit'],
  },
);
const fixtures = spawn('npx', ['tsx', join(ROOT, 'scripts/agents-fixtures.ts')], {
  stdio: ['pipe', 'pipe', 'inherit'],
  cwd: ROOT,
});
const firstLine = async ({ stdout }) => (await createInterface({ input: stdout })[Symbol.asyncIterator]().next()).value;
const folder = mkdtempSync(join(tmpdir(), 'agents-'));
let failed = false;
const say = (good, what, detail = '') => {
  failed ||= !good;
  console.log(`${good ? 'ok  ' : 'FAIL'} ${what}${good ? '' : `\n${detail}`}`);
};
const attempt = async (file, args) => {
  try {
    const { stdout, stderr } = await run(file, args, { env, timeout: LIMIT, cwd: folder, maxBuffer: 1e8 });
    return { status: 0, output: stdout + stderr };
  } catch (error) {
    return { status: error.code ?? 1, output: `${error.stdout}${error.stderr}` };
  }
};

try {
  const { control_url } = JSON.parse(await firstLine(emulator));
  const url = `${control_url}/mcp`;

  const suite = async (at, name, expected, least) => {
    writeFileSync(join(folder, `${name}.yml`), `server:\n${expected.map((one) => `  - ${one}\n`).join('')}`);
    const args = ['server', '--url', at, '--expected-failures', `${name}.yml`];
    const { status, output } = await attempt(tool('conformance'), args);
    const passed = [...output.matchAll(/^✓ ([\w-]+): [1-9]/gm)].map(([, scenario]) => scenario);
    const what = `conformance suite over HTTP, ${name}: ${passed.length}: ${passed.join(', ')}`;
    say(status === 0 && passed.length >= least, what, output.slice(-3_000));
  };
  await suite(url, 'emulator', [...WITH_FIXTURES, ...Object.keys(NOT_OURS)], 6);
  await suite(await firstLine(fixtures), 'fixtures', Object.keys(NOT_OURS), 21);

  const transports = { http: [url, '--transport', 'http'], stdio: [process.execPath, COMMAND, 'mcp', '--port', '0'] };
  for (const [transport, at] of Object.entries(transports)) {
    const inspect = (...args) => attempt(tool('mcp-inspector'), ['--cli', ...at, ...args]);
    const { output: listed } = await inspect('--method', 'tools/list');
    const missing = Object.keys(CALLS).filter((name) => !listed.includes(`"name": "${name}"`));
    say(missing.length === 0, `inspector over ${transport}: tools/list`, `${missing}\n${listed.slice(-2_000)}`);
    // Over stdio each call is an emulator of its own: those that differ there.
    const left = Object.entries(CALLS).filter(([name]) => transport === 'http' || OVER_STDIO.includes(name));
    const work = async () => {
      for (let next = left.shift(); next; next = left.shift()) {
        const [name, [given, expected]] = next;
        const { output } = await inspect(
          '--method',
          'tools/call',
          '--tool-name',
          name,
          ...given.flatMap((one) => ['--tool-arg', one]),
        );
        say(new RegExp(expected).test(output), `inspector over ${transport}: ${name}`, output);
      }
    };
    await Promise.all([work(), work(), work()]);
  }
} finally {
  emulator.kill();
  fixtures.stdin.end();
  rmSync(folder, { recursive: true, force: true });
}
process.exit(failed ? 1 : 0);
