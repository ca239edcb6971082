import { readdirSync } from 'node:fs';
import { join } from 'node:path';

/** The export `client` of a file of `clients/real`. */
export interface RealClient {
  /** How it is called, if not by the file's name. */
  readonly title?: string;
  /** Its package on npm, whose versions these are. */
  readonly package?: string;
  /** The versions that are run, the oldest first. Without a package: those of Node, or of the machine's own tool. */
  readonly versions: readonly string[];
  /** The command that prints the version of the machine's own tool. */
  readonly version?: readonly [string, ...string[]];
  /** Other packages that it needs, by their versions. */
  readonly with?: Readonly<Record<string, string>>;
  /** The major version of Node that it needs, if not the one that runs the lab. */
  readonly node?: number;
  readonly layers?: readonly string[];
  readonly abilities?: readonly string[];
  /** An adapter of its own, from the root of the repository; else the file's default export loads the client. */
  readonly adapter?: string;
  /** The command of an adapter in another language, from the root of the repository. */
  readonly command?: readonly [string, ...string[]];
  /** A command that succeeds where the tool is there, and how to get it. */
  readonly needs?: { readonly command: readonly [string, ...string[]]; readonly get: string };
  /** A note for readers of its results. */
  readonly note?: string;
}

/** A client by the name of its file. */
export interface Listed extends RealClient {
  readonly name: string;
}

/** The parts that clients share. */
const HELPERS = /^(start|by-.*)\.mjs$/;

/** Every client of this folder, by name. */
export async function listClients(): Promise<readonly Listed[]> {
  const files = readdirSync(import.meta.dirname).filter((file) => file.endsWith('.mjs') && !HELPERS.test(file));
  return Promise.all(
    files.sort().map(async (file) => {
      const { client } = (await import(join(import.meta.dirname, file))) as { client: RealClient };
      return { name: file.replace('.mjs', ''), ...client };
    }),
  );
}
