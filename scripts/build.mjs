// Compiles the package: esbuild writes the JavaScript (one shared set of chunks, so that the command starts fast), tsc
// writes the types. Run by `npm run build`, by `npm ci` (postprepare) and by `npm pack` (prepack). A script named
// `prepare` would do both, and npm would warn everybody who installs the package from a tarball or a repository.
//
//   node scripts/build.mjs [--outdir dist] [--no-types]

import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { parseArgs } from 'node:util';
import { build } from 'esbuild';
import { buildConsole } from './console.mjs';
import { bundledLicences } from './licences.mjs';
import { mergeStart } from './merge-chunks.mjs';
import { pruneTypes } from './prune-types.mjs';
import { vendorTypes } from './vendor-types.mjs';

const { values: given } = parseArgs({
  options: { outdir: { type: 'string', default: 'dist' }, 'no-types': { type: 'boolean', default: false } },
});
const { outdir } = given;

const ENTRIES = [
  'bin/intern-emulator.ts',
  'bin/intern-conformance.ts',
  'emulator/index.ts',
  'conformance/index.ts',
  'conformance/vitest.ts',
  'conformance/clients/index.ts',
  'conformance/clients/vitest.ts',
  'conformance/explore/index.ts',
  'conformance/explore/vitest.ts',
];

/** The process that writes recordings. It is beside the chunk that starts it. */
const RECORDER = { in: 'emulator/recording/writer-main.ts', out: 'recorder' };

/** zod's messages in forty languages, of which we use one: most of its size. */
const withoutLocales = {
  name: 'without-locales',
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]zod[\\/]v4[\\/]locales[\\/]index\.js$/ }, () => ({
      contents: "export { default as en } from './en.js';",
    }));
  },
};

/** The parser of yargs alone: the rest, which loads the segmentation rules of every script, is a quarter of the time to start. */
const parserAlone = {
  name: 'parser-alone',
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]yargs[\\/]helpers[\\/]helpers\.mjs$/ }, () => ({
      contents: "export { default as Parser } from 'yargs-parser';",
    }));
  },
};

/** The part of zod that schemas use, in a file of its own that is read at the first validation (see with-zod.ts). */
const ZOD = './zod.cjs';
/** The engine of regular expressions, which is read where a match has one (see linear-regex.ts). */
const RE2 = './re2.cjs';
/** The package that starts commands on Windows too (see spawn.ts). */
const SPAWN = './spawn.cjs';
/** The second opinion on signatures (see proofs.ts). */
const NACL = './nacl.cjs';
/** Packages that a source asks for by `require`: each is a file of its own. */
const REQUIRED = [
  { source: 'emulator/contract/with-zod.ts', name: 'zod', file: ZOD },
  { source: 'emulator/contract/linear-regex.ts', name: 're2js', file: RE2 },
  { source: 'emulator/contract/spawn.ts', name: 'cross-spawn', file: SPAWN },
  { source: 'conformance/rules/proofs.ts', name: 'tweetnacl', file: NACL },
];
const requiredApart = {
  name: 'required-apart',
  setup({ onLoad }) {
    for (const { source, name, file } of REQUIRED)
      onLoad(
        { filter: new RegExp(`[\\\\/]${source.replaceAll('/', '[\\\\/]').replace('.', '\\.')}$`) },
        async ({ path }) => ({
          contents: (await readFile(path, 'utf8')).replace(`('${name}')`, `('${file}')`),
          loader: 'ts',
        }),
      );
  },
};

/** undici, which is CommonJS and asks for modules of Node by `require`: in a file of its own too, without what nobody uses. */
const UNDICI = './undici.cjs';
const undiciApart = {
  name: 'undici-apart',
  setup({ onResolve }) {
    onResolve({ filter: /^undici$/ }, () => ({ path: UNDICI, external: true }));
  },
};

/** The SDK of the Model Context Protocol, which one command and one path load: apart, so that its own names can be short. */
const MCP = './mcp.cjs';
const mcpApart = {
  name: 'mcp-apart',
  setup({ onResolve }) {
    onResolve({ filter: /^@modelcontextprotocol\/server/ }, () => ({ path: MCP, external: true }));
  },
};

/** Packages by others, in files of their own: names stay, spaces go. What is ours stays as a person reads it in a stack. */
const SMALL = { minifyWhitespace: true, minifySyntax: true };
const FORM = { bundle: true, format: 'esm', platform: 'node', target: 'node20.19', logLevel: 'warning' };

await rm(outdir, { recursive: true, force: true });
const { metafile } = await build({
  entryPoints: [...ENTRIES.filter((file) => existsSync(file)), RECORDER],
  outdir,
  outbase: '.',
  splitting: true,
  ...FORM,
  // Loaded only where they are used, or the user's own copy.
  external: ['oidc-provider', 'jose', 'fast-check', 'vitest', 'vitest/*'],
  plugins: [requiredApart, undiciApart, mcpApart, parserAlone],
  metafile: true,
});
for (const [file, source] of [
  ...REQUIRED.map(({ file, source }) => [file, source]),
  [UNDICI, 'conformance/drivers/network.ts'],
  [MCP, 'emulator/agents/server.ts'],
  [MCP, 'emulator/agents/row.ts'],
  [MCP, 'emulator/cli/mcp.ts'],
  [`${RECORDER.out}.js`, 'emulator/recording/writer-process.ts'],
]) {
  const loader = Object.entries(metafile.outputs).find(([, { inputs }]) => source in inputs)?.[0];
  if (loader === undefined || relative(outdir, dirname(loader)) !== '')
    throw new Error(`${file} must be beside what loads it: ${loader}`);
}
await mergeStart(metafile.outputs, {
  start: ['emulator/cli/main.ts', 'emulator/cli/serve.ts'],
  emulator: 'emulator/emulator.ts',
  // Read at every start. Statements and names stay, and a short line has few of them, for a stack.
  options: { ...FORM, minifyWhitespace: true, lineLimit: 120 },
});
/** Writes a package into a file of its own, as CommonJS; returns its sources. */
async function apart(file, source) {
  const { metafile: made } = await build({
    ...source,
    outfile: join(outdir, file),
    bundle: true,
    format: 'cjs',
    platform: 'node',
    target: 'node20.19',
    plugins: [withoutLocales],
    ...SMALL,
    metafile: true,
    logLevel: 'warning',
  });
  return Object.keys(made.inputs);
}
const packages = [
  ...(await apart(ZOD, { entryPoints: ['emulator/contract/zod.ts'] })),
  ...(await apart(RE2, { entryPoints: ['re2js'], minifyIdentifiers: true })),
  ...(await apart(SPAWN, { entryPoints: ['cross-spawn'] })),
  ...(await apart(NACL, { entryPoints: ['tweetnacl'] })),
  ...(await apart(UNDICI, {
    stdin: { contents: "export { EnvHttpProxyAgent, fetch } from 'undici/index-fetch.js';", resolveDir: '.' },
  })),
];
packages.push(
  ...(await apart(MCP, {
    stdin: {
      contents: `export { createMcpHandler, McpServer, ResourceNotFoundError, ResourceTemplate } from '@modelcontextprotocol/server';
        export { serveStdio, StdioServerTransport } from '@modelcontextprotocol/server/stdio';`,
      resolveDir: '.',
    },
    minifyIdentifiers: true,
  })),
);
const page = await buildConsole();
await mkdir(join(outdir, 'console'));
for (const [name, bytes] of page.files) await writeFile(join(outdir, 'console', name), bytes);
await writeFile(
  join(outdir, 'THIRD-PARTY-LICENSES.txt'),
  bundledLicences([...Object.keys(metafile.inputs), ...packages, ...page.inputs]),
);

if (!given['no-types']) {
  execFileSync('node_modules/.bin/tsc', ['-p', 'tsconfig.build.json', '--outDir', outdir], { stdio: 'inherit' });
  pruneTypes(
    outdir,
    ENTRIES.filter((file) => !file.startsWith('bin/')).map((file) => file.replace(/\.ts$/, '.d.ts')),
  );
  vendorTypes(outdir, 'zod');
}
