import { readdir, readFile } from 'node:fs/promises';
import { dirname, extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The policy of the page: it uses only its own files, and never stands inside another page. */
const HEADERS = {
  'content-security-policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "connect-src 'self'",
    "img-src 'self' data:",
    "frame-ancestors 'none'",
    "base-uri 'none'",
    "form-action 'none'",
    "require-trusted-types-for 'script'",
    'trusted-types',
  ].join('; '),
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
};

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.json': 'application/json',
};

export interface ServedFile {
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly body: string | Uint8Array<ArrayBuffer>;
}

type Files = ReadonlyMap<string, Uint8Array>;

/** The compiled package has the page in `dist/console`, wherever in `dist` the bundler put this module. */
async function readFiles(from: string): Promise<Files> {
  for (let folder = from; ; folder = dirname(folder)) {
    const place = join(folder, 'console');
    const names = await readdir(place).catch((): string[] => []);
    if (names.includes('index.html'))
      return new Map(await Promise.all(names.map(async (name) => [name, await readFile(join(place, name))] as const)));
    if (folder === dirname(folder)) throw new Error(`the page was not found in or above ${from}: run npm run build`);
  }
}

/** From the sources, the page is built on the first request, so it is never older than its sources. */
async function buildFiles(): Promise<Files> {
  const script = new URL('../../scripts/console.mjs', import.meta.url).href;
  const { buildConsole } = (await import(script)) as { buildConsole(): Promise<{ files: Files }> };
  return (await buildConsole()).files;
}

const load = (): Promise<Files> => {
  const self = fileURLToPath(import.meta.url);
  return self.endsWith('.ts') ? buildFiles() : readFiles(dirname(self));
};

/** Serves the files of the page below `/_emulator/console/`, and `index.html` as the page itself (SEE-4). */
export function createConsole(): (name: string) => Promise<ServedFile> {
  let loading: Promise<Files> | undefined;
  return async (name) => {
    loading ??= load();
    const bytes = (await loading).get(name);
    if (!bytes) return { status: 404, headers: { 'content-type': 'text/plain', ...HEADERS }, body: 'Not found' };
    return {
      status: 200,
      headers: {
        ...HEADERS,
        'content-type': TYPES[extname(name)] ?? 'application/octet-stream',
        'cache-control': /-[A-Z0-9]{8}\./.test(name) ? 'public, max-age=31536000, immutable' : 'no-cache',
      },
      body: new Uint8Array(bytes),
    };
  };
}
