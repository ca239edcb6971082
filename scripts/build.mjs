// Compiles the package: esbuild writes the JavaScript (one shared set of chunks, so that the command starts fast),
// tsc writes the types. Run by `npm run build` and, through `prepare`, by `npm ci` and `npm pack`.

import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { build } from 'esbuild';

const wanted = [
  'bin/intern-emulator.ts',
  'bin/intern-conformance.ts',
  'emulator/index.ts',
  'conformance/index.ts',
  'conformance/vitest.ts',
].filter((file) => existsSync(file));

const { version } = JSON.parse(readFileSync('package.json', 'utf8'));

await rm('dist', { recursive: true, force: true });
await build({
  entryPoints: wanted,
  outdir: 'dist',
  outbase: '.',
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node20.19',
  packages: 'bundle',
  // Loaded only where used, or too large to be worth copying.
  external: ['oidc-provider', 'jose', 'fast-check', 'vitest', 'vitest/*', 'yargs', 'yargs/*', 'tweetnacl'],
  banner: {
    js: "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);",
  },
  define: { __VERSION__: JSON.stringify(version) },
  logLevel: 'warning',
});
if (!process.argv.includes('--no-types')) {
  execFileSync('node_modules/.bin/tsc', ['-p', 'tsconfig.build.json'], { stdio: 'inherit' });
}
