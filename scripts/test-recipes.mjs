// Runs the recipes of docs/recipes.md, the files of examples/, with the package as a stranger gets it: packed, and
// installed beside what the recipes need. `npm run test:recipes -- NAME…` runs some.

import { execFileSync, spawn } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const ROOT = resolve(import.meta.dirname, '..');
const EXAMPLES = join(ROOT, 'examples');
const LIMIT = 120_000;

/** The steps of a workflow that are commands; the install is done already. */
const stepsOf = (file) =>
  [...readFileSync(join(EXAMPLES, file), 'utf8').matchAll(/^ +- run: (.*)$/gm)]
    .map(([, command]) => command)
    .filter((command) => command !== 'npm ci')
    .join('\n');

const ALLOWED = /allow_once, allow_always, reject_once, reject_always[\s\S]*Allowed once\./;
const beside = (command, flags = '') => `npx intern-emulator exec ${flags} -- ${command}`;

/** A command to run in a copy of examples/, and what it has to print. */
const RECIPES = [
  { name: 'openai', run: beside('node openai.mjs'), prints: ALLOWED },
  { name: 'ai-sdk', run: beside('node ai-sdk.mjs'), prints: ALLOWED },
  { name: 'langchain', run: beside('node langchain.mjs'), prints: ALLOWED },
  { name: 'openrouter', run: beside('node openrouter.mjs', '--profile openrouter'), prints: /first-intern: running/ },
  { name: 'fetch', run: beside('node fetch.mjs'), prints: /colour/i },
  { name: 'stdlib.py', run: beside('python3 stdlib.py'), prints: /"kind":"permission"[\s\S]*Allowed once\./ },
  { name: 'vite', run: beside('node vite/try.mjs'), prints: /through the proxy, streamed, and across origins/ },
  { name: 'vitest', run: 'npx vitest run --root vitest', prints: /1 passed/ },
  {
    name: 'jest-esm',
    run: 'NODE_OPTIONS=--experimental-vm-modules npx jest -c jest-esm/jest.config.json',
    prints: /1 passed/,
  },
  { name: 'jest-cjs', run: beside('npx jest -c jest-cjs/jest.config.json'), prints: /1 passed/ },
  { name: 'node-test', run: 'node --test node-test/interns.test.mjs', prints: /pass 1/ },
  { name: 'mocha', run: 'npx mocha mocha/interns.test.mjs', prints: /1 passing/ },
  { name: 'concurrently', run: 'sh concurrently/dev.sh', prints: /first-intern/, port: true },
  {
    name: 'container',
    run: 'sh container/try.sh',
    prints: /"ok"[\s\S]*first-intern[\s\S]*"base_url":"http:\/\/emulator:4683\/api\/v1"\s+stopped/,
    port: true,
  },
  { name: 'github-actions', run: stepsOf('github-actions.yml'), prints: /pass 1/ },
];

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((ready) => server.once('listening', ready));
  const { port } = server.address();
  await new Promise((closed) => server.close(closed));
  return port;
}

async function tryRecipe({ name, run, prints, port }, folder) {
  const env = { ...process.env, CI: '1', ...(port ? { INTERN_EMULATOR_PORT: String(await freePort()) } : {}) };
  const child = spawn('sh', ['-ec', run], { cwd: folder, env, timeout: LIMIT, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk) => {
      output += chunk;
    });
  const status = await new Promise((closed) => child.once('close', closed));
  const passed = status === 0 && prints.test(output);
  console.log(passed ? `ok      ${name}` : `FAILED  ${name} (exit ${status}), expected ${prints}\n${output}`);
  return passed;
}

const only = process.argv.slice(2);
const unknown = only.filter((name) => !RECIPES.some((recipe) => recipe.name === name));
if (unknown.length > 0) {
  console.error(`no such recipe: ${unknown.join(', ')}; there are ${RECIPES.map(({ name }) => name).join(', ')}`);
  process.exit(2);
}
const folder = mkdtempSync(join(tmpdir(), 'recipes-'));
const npm = (args, cwd = folder) => execFileSync('npm', args, { cwd, encoding: 'utf8', stdio: 'pipe' });
try {
  cpSync(EXAMPLES, folder, { recursive: true, filter: (path) => !path.includes('node_modules') });
  const [{ filename }] = JSON.parse(npm(['pack', '--json', '--pack-destination', folder], ROOT));
  npm(['ci', '--no-audit', '--no-fund', '--prefer-offline']);
  npm(['install', '--no-save', '--no-audit', '--no-fund', '--prefer-offline', join(folder, filename)]);
  let failed = 0;
  for (const recipe of RECIPES.filter(({ name }) => only.length === 0 || only.includes(name)))
    if (!(await tryRecipe(recipe, folder))) failed += 1;
  process.exitCode = failed === 0 ? 0 : 1;
} catch (error) {
  console.error(`FAILED  ${error.stdout ?? ''}${error.stderr ?? ''}${error.stack}`);
  process.exitCode = 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
