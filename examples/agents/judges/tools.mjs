// What judges use: the lab, explore and the kit by the commands of the package, an emulator, and the client as a process.
// Each answers or throws an Unsolved, whose message is the reason.
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { commandOf, doorOf } from '../package.mjs';
import { endGroup } from '../score/processes.mjs';

/** Why a client is not solved. */
export class Unsolved extends Error {}

export function expect(holds, reason) {
  if (!holds) throw new Unsolved(reason);
}

const LIMIT = 60_000;
/** What reaches no client: the variables of who scores. */
const quiet = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^INTERN_|^NODE_OPTIONS$/.test(name)));

/** Runs a program to its end, or to a limit in ms: what it printed, and its status (null where it was ended). */
export const runTo = (limit, [file, ...args], { cwd, env = {} } = {}) =>
  new Promise((resolve) => {
    const child = spawn(file, args, {
      cwd,
      env: { ...quiet, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    });
    const said = { stdout: '', stderr: '' };
    const end = () => endGroup(child.pid);
    const timer = setTimeout(end, limit);
    for (const name of ['stdout', 'stderr']) child[name].on('data', (piece) => (said[name] += piece));
    child.on('error', (error) => resolve({ ...said, status: 127, stderr: error.message }));
    child.on('exit', end);
    child.on('close', (status) => {
      clearTimeout(timer);
      resolve({ ...said, status });
    });
  });

/** Runs a command of the package with a JSON report, and answers it. */
async function reported(command, args, rest, options) {
  const folder = mkdtempSync(join(tmpdir(), 'judge-'));
  const file = join(folder, 'report.json');
  try {
    const flags = [...args, '--report', `json=${file}`, ...rest];
    const { stderr, stdout, status } = await runTo(LIMIT, [...commandOf(command), ...flags], {
      cwd: folder,
      ...options,
    });
    try {
      return { ...JSON.parse(readFileSync(file, 'utf8')), status };
    } catch {
      throw new Unsolved(`it could not be judged: ${(stderr || stdout).trim().split('\n').at(-1)}`);
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Every one of these cases of the client lab passes. */
export async function inTheLab(client, only) {
  const adapter = join(import.meta.dirname, '..', client.endsWith('.py') ? 'adapter.py' : 'adapter.mjs');
  const program = client.endsWith('.py') ? 'python3' : process.execPath;
  const { checks } = await reported(
    'intern-conformance',
    ['client', '--only', only.join(), '--cuts', 'few', '--seed', 'judge'],
    ['--', program, adapter, client],
  );
  for (const id of only) {
    const { verdict = 'nothing', title } = checks.find((check) => check.id === id) ?? {};
    expect(verdict.startsWith('pass'), `${id}: ${verdict} (${title})`);
  }
}

/** `explore` finds nothing in a program. */
export async function explored(folder, program, only, flags = []) {
  const { status, findings } = await reported(
    'intern-emulator',
    ['explore', '--only', only, '--seed', 'judge', '--patience', '6s', '--save', '.', ...flags],
    ['--', process.execPath, join(folder, program[0]), ...program.slice(1)],
  );
  expect(status === 0, findings?.[0]?.sentence ?? `explore ended with status ${status}`);
}

/** The kit finds nothing behind an address. */
export async function byTheKit(url, only, credentials) {
  const { checks, incomplete } = await reported(
    'intern-conformance',
    [url, '--only', only.join(), '--seed', 'judge'],
    [],
    { env: credentials },
  );
  for (const id of only) {
    const { verdict = 'nothing' } = checks.find((check) => check.id === id) ?? {};
    expect(verdict === 'pass', `${id}: ${verdict} ${incomplete.join(' ')}`.trim());
  }
}

/** The variables that a client is given. */
export const variablesOf = ({ base_url, workspace_id, credentials }) => ({
  INTERN_BASE_URL: base_url,
  INTERN_WORKSPACE_ID: workspace_id,
  INTERN_API_KEY: credentials.api_key,
  INTERN_INTERN_ID: credentials.intern.id,
  INTERN_OAUTH_TOKEN: credentials.oauth_token,
});

/** Does something beside an emulator: `control(method, path, body)`, `variables`, and `say(program, …)` for a client. */
export async function beside(options, work) {
  const { createEmulator } = await doorOf('.');
  const emulator = createEmulator({ ...options, log: () => {} });
  try {
    const { controlUrl } = await emulator.listen({ port: 0, daemonPort: 0 });
    const control = async (method, path, body) => {
      const response = await fetch(controlUrl + path, { method, ...(body && { body: JSON.stringify(body) }) });
      return response.json();
    };
    const variables = variablesOf(await control('GET', '/target'));
    const run = (folder, args, limit = 10_000) =>
      runTo(limit, [process.execPath, ...args], { cwd: folder, env: variables });
    const journal = async (query = '') => (await control('GET', `/journal?${query}`)).data;
    return await work({ control, variables, run, journal });
  } finally {
    await emulator.close();
  }
}
