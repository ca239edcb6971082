// Compiles the package: esbuild writes the JavaScript (one shared set of chunks, so that the command starts fast),
// tsc writes the types. Run by `npm run build` and, through `prepare`, by `npm ci` and `npm pack`.

import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { build } from 'esbuild';

const wanted = [
  'bin/intern-emulator.ts',
  'bin/intern-conformance.ts',
  'emulator/index.ts',
  'conformance/index.ts',
  'conformance/vitest.ts',
].filter((file) => existsSync(file));

const { values: given } = parseArgs({
  options: { outdir: { type: 'string', default: 'dist' }, 'no-types': { type: 'boolean', default: false } },
});
const outdir = given.outdir;

const { version } = JSON.parse(readFileSync('package.json', 'utf8'));

/** zod's messages in forty languages, of which we speak one: most of its size. */
const withoutLocales = {
  name: 'without-locales',
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]zod[\\/]v4[\\/]locales[\\/]index\.js$/ }, () => ({
      contents: "export { default as en } from './en.js';",
    }));
  },
};

await rm(outdir, { recursive: true, force: true });
await build({
  entryPoints: wanted,
  outdir,
  outbase: '.',
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node20.19',
  packages: 'bundle',
  // Loaded only where used, or too large to be worth copying.
  external: ['oidc-provider', 'jose', 'fast-check', 'vitest', 'vitest/*', 'tweetnacl'],
  plugins: [withoutLocales],
  // Half the time to start is reading the source: names stay, spaces go.
  minifyWhitespace: true,
  minifySyntax: true,
  define: { __VERSION__: JSON.stringify(version) },
  logLevel: 'warning',
});
if (!given['no-types']) {
  execFileSync('node_modules/.bin/tsc', ['-p', 'tsconfig.build.json', '--outDir', outdir], { stdio: 'inherit' });
}
