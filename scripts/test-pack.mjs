// Tries the package as a user gets it: packs it, installs the tarball into an empty folder, runs the commands through
// npx, loads every export by import and by require, and compiles a consumer of its types under both module resolutions.
// publint and are-the-types-wrong check the published files too.
//
//   node scripts/test-pack.mjs [TARBALL]
//
// A given tarball is tried on this Node alone: checks that do not depend on Node are left out.

import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { createInterface } from 'node:readline';

const ROOT = resolve(import.meta.dirname, '..');
const folder = mkdtempSync(join(tmpdir(), 'pack-'));
const run = (file, args, cwd = folder) => execFileSync(file, args, { cwd, encoding: 'utf8', stdio: 'pipe' });
/** The size of an install at most, in MB: readable code takes 0.7 more than minified, the pictures of pages 0.6. */
const MOST_MB = 12;

const [given] = process.argv.slice(2);

const step = (what) => console.log(`ok  ${what}`);
const need = (holds, what) => {
  if (!holds) throw new Error(what);
  step(what);
};

function sizeOf(path) {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (!stat?.isDirectory()) return stat?.size ?? 0;
  return readdirSync(path).reduce((sum, name) => sum + sizeOf(join(path, name)), 0);
}

/** The targets of an export entry, whatever its conditions. */
const targetsOf = (entry) => (typeof entry === 'string' ? [entry] : Object.values(entry).flatMap(targetsOf));

async function main() {
  if (given === undefined) await judge(await pack());
  else {
    copyFileSync(given, join(folder, basename(given)));
    await install(basename(given));
  }
  await tryCommands();
  if (given === undefined) checkTypes();
}

/** Packs, and checks what is in the tarball; returns its name. */
async function pack() {
  const [{ filename, files }] = JSON.parse(run('npm', ['pack', '--json', '--pack-destination', folder], ROOT));
  const packed = new Set(files.map(({ path }) => `./${path}`));
  const manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  const missing = [...Object.values(manifest.exports).flatMap(targetsOf), ...Object.values(manifest.bin)]
    .map((path) => (path.startsWith('./') ? path : `./${path}`))
    .filter((path) => {
      const [head, tail] = path.split('*');
      return tail === undefined
        ? !packed.has(path)
        : ![...packed].some((file) => file.startsWith(head) && file.endsWith(tail));
    });
  need(missing.length === 0, `every export and bin is in the tarball${missing.length ? `; missing: ${missing}` : ''}`);
  for (const file of ['README.md', 'LICENSE', 'CHANGELOG.md', 'dist/THIRD-PARTY-LICENSES.txt']) {
    need(packed.has(`./${file}`), `${file} is in the tarball`);
  }
  // Examples are tests of their own, and meant to be read.
  const ownTest = /^\.\/(?!examples\/).*\.(?:test|harness)\./;
  need(![...packed].some((file) => ownTest.test(file)), 'no test of ours is in the tarball');
  return filename;
}

async function install(filename) {
  writeFileSync(join(folder, 'package.json'), '{"name": "consumer", "private": true, "type": "module"}');
  // npm says on standard error what it warns of.
  const script = 'exec npm install --no-audit --no-fund --prefer-offline "$0" 2>&1';
  const said = run('sh', ['-c', script, join(folder, filename)]);
  const warnings = said.split('\n').filter((line) => /warn/i.test(line) && !line.includes('Unknown user config'));
  need(warnings.length === 0, `npm install warns of nothing${warnings.map((line) => `\n${line}`)}`);
  const modules = join(folder, 'node_modules');
  const count = readdirSync(modules)
    .filter((name) => !name.startsWith('.'))
    .flatMap((name) => (name.startsWith('@') ? readdirSync(join(modules, name)) : [name])).length;
  const size = sizeOf(modules) / 1e6;
  need(size <= MOST_MB, `installed: ${count} packages, ${size.toFixed(1)} MB, at most ${MOST_MB}`);
}

async function judge(filename) {
  await install(filename);
  const tool = (name, ...args) => run(join(ROOT, 'node_modules', '.bin', name), [join(folder, filename), ...args]);
  tool('publint', '--strict');
  step('publint finds nothing');
  // CommonJS gets the same modules through require, which Node can since 20.19: tried below.
  tool('attw', '--profile', 'esm-only', '--exclude-entrypoints', './package.json');
  step('are-the-types-wrong finds nothing');
}

async function tryCommands() {
  const manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  need(run('npx', ['intern-emulator', '--version']).trim() === manifest.version, 'npx intern-emulator --version');
  need(run('npx', ['intern-conformance', '--help']).includes('intern-conformance'), 'npx intern-conformance --help');
  await serveAndAsk();
  const { stdout } = spawnSync('npx', ['intern-conformance', 'http://nowhere.test/api/v1', '--api-key', 'k'], {
    cwd: folder,
    encoding: 'utf8',
    env: { ...process.env, HTTP_PROXY: 'http://127.0.0.1:9', INTERN_WORKSPACE_ID: 'w' },
  });
  need(
    stdout.includes('the proxy http://127.0.0.1:9'),
    'the kit sends through a proxy, with the undici of the package',
  );
  const script = `
    const r = await fetch(process.env.INTERN_BASE_URL + '/interns', { headers: { authorization: 'Bearer ' + process.env.INTERN_API_KEY } });
    console.log(r.status);`;
  const args = ['intern-emulator', 'exec', '--', 'node', '--input-type=module', '-e', script];
  need(run('npx', args).trim() === '200', 'npx intern-emulator exec');

  for (const entry of ['', '/conformance', '/lab', '/explore']) {
    const name = `intern-emulator${entry}`;
    run('node', ['--input-type=module', '-e', `import * as all from '${name}'; if (!Object.keys(all).length) throw 1`]);
    step(`import '${name}'`);
    run('node', ['--input-type=commonjs', '-e', `if (!Object.keys(require('${name}')).length) throw 1`]);
    step(`require('${name}')`);
  }
}

/** Starts the emulator, asks it for its interns, and stops it as Ctrl-C does. */
async function serveAndAsk() {
  const child = spawn('npx', ['intern-emulator', '--port', '0', '--json'], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'inherit'],
    detached: true,
  });
  const [line] = await once(createInterface({ input: child.stdout }), 'line');
  const { base_url, credentials } = JSON.parse(line);
  const answer = await fetch(`${base_url}/interns`, { headers: { authorization: `Bearer ${credentials.api_key}` } });
  need(answer.status === 200, 'npx intern-emulator --json, and a request');
  const gone = once(child, 'exit');
  // As a terminal does it: to the whole group, npx and the emulator.
  process.kill(-child.pid, 'SIGINT');
  const [status, signal] = await gone;
  need(status === 0 || signal === 'SIGINT', 'stopped by SIGINT');
}

const CONSUMER = `
import { createEmulator, type Emulator, type Behaviour, type Target } from 'intern-emulator';
import { REPORTERS, runConformance } from 'intern-emulator/conformance';
import * as lab from 'intern-emulator/lab';
import * as exploring from 'intern-emulator/explore';
import * as suites from 'intern-emulator/vitest';
import * as exploringSuites from 'intern-emulator/explore/vitest';
import * as labSuites from 'intern-emulator/lab/vitest';

const greet: Behaviour = {
  name: 'greet',
  async *turn(turn) {
    yield { say: 'Hello ' + turn.prompt };
  },
};
const emulator: Emulator = createEmulator({ clock: 'virtual', scripts: [greet] });
const target: Target = emulator.target;
const response: Response = await emulator.fetch(target.base_url + '/interns');
const report: (results: Awaited<ReturnType<typeof runConformance>>) => string = REPORTERS.tty;
export { report, exploring, exploringSuites, lab, labSuites, response, runConformance, suites };
// @ts-expect-error there is no such option
createEmulator({ clok: 'virtual' });
`;

/** The newest patch of each TypeScript that the types are for. */
const TYPESCRIPTS = ['5.7', '5.8', '5.9', '6.0', '7.0'];

/** Compiles a small consumer against the installed types, with nothing skipped, without the types of Node and with them. */
function checkTypes() {
  mkdirSync(join(folder, 'src'));
  writeFileSync(join(folder, 'src', 'consumer.ts'), CONSUMER);
  const install = (...packages) => run('npm', ['install', '--no-audit', '--no-fund', '--prefer-offline', ...packages]);
  install(...TYPESCRIPTS.map((version) => `typescript-${version}@npm:typescript@~${version}.0`));
  for (const types of [[], ['node']]) {
    if (types.length > 0) install(`@types/node@${manifestOf('@types/node')}`);
    for (const version of TYPESCRIPTS) {
      // Both resolutions find the same files: one is tried without the types of Node, the other with them.
      const [module, moduleResolution] = types.length > 0 ? ['esnext', 'bundler'] : ['nodenext', 'nodenext'];
      const compilerOptions = { module, moduleResolution, target: 'es2022', strict: true, noEmit: true, types };
      writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['src'] }));
      run('node', [join('node_modules', `typescript-${version}`, 'bin', 'tsc'), '-p', folder]);
      step(`types in TypeScript ${version}, ${types.length > 0 ? 'with' : 'without'} @types/node`);
    }
  }
}

const manifestOf = (name) => JSON.parse(readFileSync(join(ROOT, 'node_modules', name, 'package.json'), 'utf8')).version;

try {
  await main();
} catch (error) {
  console.error(`FAILED  ${error.stdout ?? ''}${error.stderr ?? ''}${error.stack}`);
  process.exitCode = 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
