import { spawn } from 'node:child_process';
import { resolve } from 'node:path';
import { environmentOf } from '../emulator/cli/exec.js';
import { createEmulator, type EmulatorOptions } from '../emulator/index.js';

const ROOT = resolve(import.meta.dirname, '..');

/** Runs something beside an emulator, as `exec` does. Asynchronous, because the emulator is in this process. */
async function beside(options: EmulatorOptions, file: string, args: readonly string[]) {
  const emulator = createEmulator(options);
  try {
    const at = await emulator.listen({ port: 0 });
    const env = { ...process.env, ...environmentOf(emulator.target, at, true) };
    const child = spawn(file, args, { cwd: ROOT, env, stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk: Buffer) => {
        output += chunk.toString();
      });
    const status = await new Promise<number | null>((done) => child.once('close', done));
    return { status, output, at };
  } finally {
    await emulator.close();
  }
}

/** Runs commands of a page beside an emulator that takes the place of the one at the default address. */
export function shellBeside(options: EmulatorOptions, commands: string) {
  const script = commands
    .replaceAll('http://127.0.0.1:4683', '$EMULATOR')
    .replace(/'\$EMULATOR([^']*)'/g, '"$EMULATOR$1"')
    .replaceAll('curl ', 'curl -sS --fail ');
  return beside(options, 'sh', ['-ec', `EMULATOR=\${INTERN_BASE_URL%/api/v1}\n${script}`]);
}
