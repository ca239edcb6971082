import { FLAG_NAMES, FLAGS, type Flag, kebab } from './flags.js';

/**
 * The flags of a plain `serve`, as yargs would read them; undefined for anything unusual, which is left to yargs.
 * Loading yargs takes a tenth of the time to start, and most starts do not need it.
 */
export function plainFlags(args: readonly string[]): Record<string, unknown> | undefined {
  const argv: Record<string, unknown> = {};
  for (let at = args[0] === 'serve' ? 1 : 0; at < args.length; at++) {
    const [, flag, given] = /^--([a-z][a-z0-9-]*)(?:=(.+))?$/s.exec(args[at] ?? '') ?? [];
    const kind = flag === 'config' ? 'single' : kindOf(flag);
    if (flag === undefined || kind === undefined || (kind !== 'list' && flag in argv)) return undefined;
    if (kind === 'switch') {
      if (given !== undefined) return undefined;
      argv[flag] = true;
      continue;
    }
    const value = given ?? args[++at];
    // yargs reads quoted texts, and values that may be flags themselves.
    if (value === undefined || value === '' || /^["'-]/.test(value)) return undefined;
    argv[flag] = kind === 'list' ? [...((argv[flag] as string[] | undefined) ?? []), value] : value;
  }
  return argv;
}

function kindOf(flag: string | undefined): Flag<unknown>['kind'] | undefined {
  const name = FLAG_NAMES.find((each) => kebab(each) === flag);
  return name === undefined ? undefined : FLAGS[name].kind;
}
