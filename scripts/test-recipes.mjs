// Runs the recipes of docs/recipes.md, the files of examples/, with the package as a user gets it: packed, and
// installed beside what the recipes need. The blocks of other pages run there too, each in a folder of its own. `npm
// run test:recipes -- NAME…` runs some; `--tarball FILE` uses a package that is packed already.

import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { parse } from 'yaml';
import { block } from '../test/blocks.ts';
import { findTool, TOOLS } from '../test/tools.ts';

const ROOT = resolve(import.meta.dirname, '..');
const EXAMPLES = join(ROOT, 'examples');
const LIMIT = 300_000;

/** The steps of a workflow that are commands; the install is done already. */
const stepsOf = (file) =>
  [...readFileSync(join(EXAMPLES, file), 'utf8').matchAll(/^ +- run: (.*)$/gm)]
    .map(([, command]) => command)
    .filter((command) => command !== 'npm ci')
    .join('\n');

const ALLOWED = /allow_once, allow_always, reject_once, reject_always[\s\S]*Allowed once\./;
const beside = (command, flags = '') => `npx intern-emulator exec ${flags} -- ${command}`;
/** A command of a page whose paths begin at the folder that the package is installed in. */
const fromHere = (command) => command.trim().replaceAll('node_modules/', `$(npm root)/`);
/** The steps of action.yml, each as a script, run one after the other as a runner does. */
function actionSteps(given) {
  const { inputs, runs } = parse(readFileSync(join(ROOT, 'action.yml'), 'utf8'));
  const inputOf = (expression) => {
    const [, name] = /^\$\{\{ inputs\.([\w-]+) \}\}$/.exec(expression);
    return given[name] ?? inputs[name].default;
  };
  const files = {};
  // Steps of other actions, and those that a condition leaves out by default, are GitHub's.
  const own = runs.steps.filter((step) => step.run !== undefined && step.if === undefined);
  for (const [at, { env, run }] of own.entries()) {
    const set = Object.entries(env).map(([name, text]) => `export ${name}="${inputOf(text)}"\n`);
    files[`${at}.sh`] = `${set.join('')}${run}`;
  }
  const runner = 'export RUNNER_TEMP=$PWD/temp GITHUB_OUTPUT=$PWD/output GITHUB_STEP_SUMMARY=$PWD/summary';
  const steps = Object.keys(files).map((file) => `bash -eo pipefail ${file}`);
  return { files, run: [runner, ...steps, 'cat output summary'].join('\n') };
}
const PIP = findTool('pip');
const PYTHON_PACKAGE = '$(npm root)/intern-emulator/examples/python';
/** A command to run in a copy of examples/, what it must print, and the tools of the system that it needs. */
const RECIPES = [
  { name: 'openai', run: beside('node openai.mjs'), prints: ALLOWED },
  { name: 'ai-sdk', run: beside('node ai-sdk.mjs'), prints: ALLOWED },
  { name: 'langchain', run: beside('node langchain.mjs'), prints: ALLOWED },
  {
    name: 'openrouter',
    run: beside('node openrouter.mjs', '--profile openrouter'),
    prints: /first-intern: running[\s\S]*Allowed once/,
  },
  { name: 'fetch', run: beside('node fetch.mjs'), prints: /colour/i },
  {
    name: 'stdlib.py',
    needs: ['python'],
    run: beside(`${findTool('python')} stdlib.py`),
    prints: /"kind":"permission"[\s\S]*Allowed once\./,
  },
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
  { name: 'concurrently', run: 'sh concurrently/dev.sh', prints: /first-intern/, port: 'INTERN_EMULATOR_PORT' },
  {
    name: 'container',
    needs: ['curl'],
    run: 'sh container/try.sh',
    prints: /"ok"[\s\S]*first-intern[\s\S]*"base_url":"http:\/\/emulator:4683\/api\/v1"\s+stopped/,
    port: 'INTERN_EMULATOR_PORT',
  },
  {
    name: 'image',
    needs: ['podman', 'curl', 'bash'],
    run: `bash ${join(ROOT, 'scripts/test-container.sh')} intern-emulator-*.tgz`,
    prints:
      /^built\nhealthy\nuser 10001 CapEff: 0+ \/app EROFS native 0\n"base_url":"http:\/\/localhost:\d+\/api\/v1"\nkept-intern\nended with 0$/m,
    port: 'INTERN_EMULATOR_PORT',
  },
  { name: 'github-actions', run: stepsOf('github-actions.yml'), prints: /pass 1/ },
  {
    // Here alone the packages are installed that this app needs.
    name: 'explore-ai-sdk',
    run: `${[process.execPath, '--import', import.meta.resolve('tsx'), join(ROOT, 'scripts/explore-score.ts')].map((part) => `'${part}'`).join(' ')} ai-sdk --print`,
    prints: /^ {2}ai-sdk \(right\): nothing; \d{2,} schedules/m,
  },
  {
    // Each finding of two libraries' own examples, replayed by its file three times.
    name: 'explore-apps',
    run: `${[process.execPath, '--import', import.meta.resolve('tsx'), join(ROOT, 'scripts/explore-apps.ts')].map((part) => `'${part}'`).join(' ')} node-fetch got`,
    prints:
      /^2 apps: 4 groups of 4 defects, 1\.00 a defect; 100 % true, 0 false, 0 missed; 4 of 4 shown again 3 times; 0 not run; load /m,
  },
  {
    name: 'lab',
    run: `${fromHere(block('docs/lab.md', 'sh'))} || test $? = 1`,
    prints: /fail {2}sse-crlf[\s\S]*does not conform: all \d+ checked/,
  },
];

/** The app of docs/first-hour.md as the page makes it, and as the page mends it. */
function firstHour() {
  const [app = '', ask = '', test = '', split = '', limit = ''] = [0, 1, 2, 3, 4].map((at) =>
    block('docs/first-hour.md', 'js', at),
  );
  const lines = app.split('\n');
  const mended = lines.flatMap((line) =>
    line.includes('.split(') ? [split.trimEnd()] : line.includes('body: JSON') ? [line, limit.trimEnd()] : [line],
  );
  const files = { 'ask.mjs': ask, 'deploy.test.mjs': test };
  return [
    { ...files, 'deploy.mjs': app },
    { ...files, 'deploy.mjs': mended.join('\n') },
  ];
}
const [FIRST, MENDED] = firstHour();
/** The commands of the page, of which the install is the first. */
const hour = (at) => block('docs/first-hour.md', 'sh', at).trim();

/** Examples of pages beside the recipes: files from their blocks, and a command in the folder that has them. */
const SHOWN = [
  {
    name: 'action.yml',
    needs: ['bash'],
    ...actionSteps({ version: '$(echo ../../intern-emulator-*.tgz)', only: 'scim/*' }),
    prints: /verdict=pass\nexit=0\nreport=intern-conformance\.json\n[\s\S]*conforms/,
  },
  {
    name: 'README.md-parser',
    files: { 'parser.test.ts': block('README.md', 'ts') },
    // The install before it is done already.
    run: `${block('README.md', 'sh', 8).trim().split('\n').at(-1)} || test $? = 1`,
    prints: /Tests .*8 failed/,
  },
  {
    name: 'first-hour.md',
    files: FIRST,
    run: [hour(1), hour(2)].join('\n'),
    prints: /It wants shell: allow_once, .*\nI would like to use the shell. Allowed once\.\n[\s\S]*# pass 1\b/,
  },
  {
    name: 'first-hour.md-explore',
    files: FIRST,
    run: `${hour(3)} || test $? = 1`,
    prints: /✗ harmless-passes {2}.*CR LF[\s\S]*✗ {2}settles: .*it did not end[\s\S]*laws broken: /,
  },
  {
    // The steps of the workflow, by the app that is mended.
    name: 'first-hour.md-ci',
    files: MENDED,
    run: parse(block('docs/first-hour.md', 'yaml'))
      .jobs.test.steps.flatMap(({ run }) => (run === undefined || run === 'npm ci' ? [] : [run]))
      .join('\n'),
    prints: /# pass 1\b[\s\S]*no law broken, but some of it went unnoticed: /,
  },
  {
    name: 'first-hour.md-console',
    needs: ['curl'],
    files: {
      ...MENDED,
      'try.sh': `
        ../../node_modules/.bin/${hour(4).replace('npx ', '')} --port $FREE_PORT &
        until curl -sf http://127.0.0.1:$FREE_PORT/_emulator/health; do sleep 0.2; done
        ${hour(5).replaceAll('4683', '$FREE_PORT')}
        curl -s -H 'accept: text/html' http://127.0.0.1:$FREE_PORT/_emulator/
        kill -INT $!
        wait $! || test $? = 130`,
    },
    run: 'sh -e try.sh',
    prints: /Allowed once\.[\s\S]*<title>/,
    port: 'FREE_PORT',
  },
  { name: 'running.md', files: { 'run.mjs': block('docs/running.md', 'js') }, run: 'node run.mjs', prints: /^200$/m },
  {
    name: 'running.md-settings',
    files: { 'intern-emulator.config.json': block('docs/running.md', 'json') },
    run: beside("sh -c 'echo $INTERN_PROFILE $INTERN_CLOCK'"),
    prints: /^openrouter virtual$/m,
  },
  {
    name: 'running.md-data',
    run: `${beside('true', '--data interns.json')}; ls`,
    prints: /^interns\.json$/m,
  },
  {
    name: 'seeds.md',
    files: { 'world.json': block('docs/seeds.md', 'json') },
    run: beside("sh -c 'echo $INTERN_API_KEY'", '--seed-file world.json'),
    prints: /^key-of-ada-for-tests$/m,
  },
  {
    name: 'scripts.md',
    files: {
      'dice.ts': `${block('docs/scripts.md', 'ts')}
        const { base_url, credentials } = emulator.target;
        const answer = emulator.fetch(base_url + '/interns/' + credentials.intern?.id + '/chat/completions', {
          method: 'POST',
          headers: { authorization: 'Bearer ' + credentials.api_key },
          body: JSON.stringify({ stream: true, messages: [{ role: 'user', content: 'script: dice\\nsix' }] }),
        });
        console.log(await (await answer).text());
        await emulator.close();`,
    },
    run: 'npx esbuild dice.ts --format=esm --outfile=dice.mjs --log-level=error && node dice.mjs',
    prints: /You said six; I rolled [1-6]\./,
  },
  {
    name: 'sdk-authors.md',
    files: { 'client.test.ts': block('docs/sdk-authors.md', 'ts') },
    run: 'npx vitest run',
    prints: /1 passed/,
  },
  {
    name: 'sdk-authors.md-server',
    // The address is the emulator's, and a few of the checks are enough.
    files: {
      'server.test.ts': block('docs/sdk-authors.md', 'ts', 1)
        .replace("'http://127.0.0.1:8080/api/v1'", "process.env.INTERN_BASE_URL ?? ''")
        .replace('rate: 0,', "rate: 0,\n  only: ['GET-1'],"),
    },
    run: beside('npx vitest run'),
    prints: /Tests .*\d+ passed/,
  },
  {
    name: 'sdk-authors.md-alone',
    files: { 'run.mjs': block('docs/sdk-authors.md', 'js').replace('CHAT-*', 'CHAT-1') },
    run: beside('node run.mjs'),
    prints: /^conforms/m,
  },
  {
    name: 'judge.md',
    files: { 'listed.test.js': block('docs/judge.md', 'js') },
    run: beside('npx vitest run'),
    prints: /1 passed/,
  },
  {
    name: 'parallel-tests.md-node',
    run: fromHere(block('docs/parallel-tests.md', 'sh', 2)),
    prints: /# pass 5[01]\b|pass 5[01]\b/,
  },
  {
    // No registry of Python's is asked: pip builds with the system's setuptools.
    name: 'parallel-tests.md-pytest',
    needs: ['pip'],
    files: { 'test_shown.py': block('docs/parallel-tests.md', 'python') },
    run: fromHere(block('docs/parallel-tests.md', 'sh', 1))
      .replace('pip install', `${PIP} -m pip install --no-index --no-deps --no-build-isolation --target site`)
      .replace('npx', 'PYTHONPATH=$PWD/site npx')
      .replace('python3 -m pytest', `${PIP} -m pytest . ${PYTHON_PACKAGE}/tests`),
    prints: /\b55 passed/,
  },
  {
    name: 'parallel-tests.md-lab',
    needs: ['python'],
    run: `PYTHONPATH=${PYTHON_PACKAGE} npx intern-conformance client --only 'sse-*' -- ${findTool('python')} ${PYTHON_PACKAGE}/tests/adapter.py`,
    prints: /^conforms[\s\S]* 0 fail,/m,
  },
  {
    name: 'recordings.md',
    needs: ['curl'],
    // An emulator is the deployment. The recorder is stopped as by Ctrl-C before its file is replayed.
    files: {
      'try.sh': (() => {
        const [record = '', replay = '', drift = ''] = block('docs/recordings.md', 'sh')
          .trim()
          .split('\n')
          .map((line) => line.replace(/ +#.*/, '').replace('npx ', '../../node_modules/.bin/'));
        return `
          ${record.replace('https://staging.test/api/v1', '$INTERN_BASE_URL')} --port $FREE_PORT &
          here=http://127.0.0.1:$FREE_PORT/api/v1/interns
          until curl -sf "$here" -H "Authorization: Bearer $INTERN_API_KEY"; do sleep 0.2; done
          kill -INT $!
          wait $! || test $? = 130
          ${replay} --port $FREE_PORT --quiet &
          until curl -sf "$here" -H "Authorization: Bearer $INTERN_API_KEY"; do sleep 0.2; done
          kill -INT $!
          ${drift}`;
      })(),
    },
    run: beside('sh -e try.sh'),
    prints: /first-intern[\s\S]*first-intern[\s\S]*conforms/,
    port: 'FREE_PORT',
  },
];

/** Below the ports that the system assigns by itself: any other socket could get one of those meanwhile. */
async function freePort() {
  for (let port = 20_000 + (process.pid % 5_000) * 2; ; port += 2) {
    const server = createServer().listen(port, '127.0.0.1');
    const free = await once(server, 'listening').then(
      () => true,
      () => false,
    );
    await new Promise((closed) => server.close(closed));
    if (free) return port;
  }
}

/** Whether it did what it must. If a tool is missing it is left out, and the end of the output says so. */
async function tryRecipe({ name, run, prints, port, files, needs = [] }, folder) {
  const lacks = needs.filter((tool) => findTool(tool) === undefined);
  if (lacks.length > 0) {
    skipped.push(
      `${name} because of missing ${lacks.map((tool) => `${TOOLS[tool].what} (${TOOLS[tool].get})`).join(' and ')}`,
    );
    return true;
  }
  for (const [file, text] of Object.entries(files ?? {})) writeFileSync(join(folder, file), text);
  const env = { ...process.env, CI: '1', ...(port ? { [port]: String(await freePort()) } : {}) };
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

const { values: given, positionals: only } = parseArgs({
  options: { tarball: { type: 'string' } },
  allowPositionals: true,
});
const names = [...RECIPES, ...SHOWN].map(({ name }) => name);
const unknown = only.filter((name) => !names.includes(name));
if (unknown.length > 0) {
  console.error(`no such recipe: ${unknown.join(', ')}; known are ${names.join(', ')}`);
  process.exit(2);
}
const skipped = [];
const folder = mkdtempSync(join(tmpdir(), 'recipes-'));
const npm = (args, cwd = folder) => execFileSync('npm', args, { cwd, encoding: 'utf8', stdio: 'pipe' });
try {
  cpSync(EXAMPLES, folder, { recursive: true, filter: (path) => !path.includes('node_modules') });
  const pack = () => JSON.parse(npm(['pack', '--json', '--pack-destination', folder], ROOT))[0].filename;
  const filename = given.tarball === undefined ? pack() : basename(given.tarball);
  // Beside the recipes, some of which look for it there.
  if (given.tarball !== undefined) copyFileSync(given.tarball, join(folder, filename));
  npm(['ci', '--no-audit', '--no-fund', '--prefer-offline']);
  npm(['install', '--no-save', '--no-audit', '--no-fund', '--prefer-offline', join(folder, filename)]);
  const failed = [];
  const wanted = ({ name }) => only.length === 0 || only.includes(name);
  for (const recipe of RECIPES.filter(wanted)) if (!(await tryRecipe(recipe, folder))) failed.push(recipe.name);
  for (const shown of SHOWN.filter(wanted)) {
    const own = join(folder, 'pages', shown.name);
    mkdirSync(own, { recursive: true });
    if (!(await tryRecipe(shown, own))) failed.push(shown.name);
  }
  if (skipped.length > 0) console.log(`skipped ${skipped.join(', ')}`);
  if (failed.length > 0) {
    console.error(`FAILED  ${failed.join(', ')}: see above`);
    process.exitCode = 1;
  }
} catch (error) {
  console.error(`FAILED  ${error.stdout ?? ''}${error.stderr ?? ''}${error.stack}`);
  process.exitCode = 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
