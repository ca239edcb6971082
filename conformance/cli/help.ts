import type { Argv, Options } from 'yargs';

/** The flags that a call for help shows first, and alone unless it asks for all. */
export const MOST_USED = 'Most used:';

/** A call without the `all` of `--help all`, and whether it had one. */
export function askedForAll(args: readonly string[]): { readonly args: string[]; readonly all: boolean } {
  const at = args.findIndex((arg, index) => arg === 'all' && /^(?:--help|-h)$/.test(args[index - 1] ?? ''));
  return { args: args.filter((_, index) => index !== at), all: at >= 0 };
}

/** Flags by groups, as the help shows them: those that are in none stand last. */
export const grouped = (
  flags: Readonly<Record<string, Options>>,
  groups: Readonly<Record<string, readonly string[]>>,
): Record<string, Options> => {
  const named = Object.entries(groups).flatMap(([group, names]) => names.map((name) => [name, group] as const));
  const order = [...named.map(([name]) => name), ...Object.keys(flags)];
  const groupOf = new Map(named);
  return Object.fromEntries(
    [...new Set(order)].flatMap((name) => {
      const flag = flags[name];
      return flag === undefined ? [] : [[name, { ...flag, group: groupOf.get(name) ?? flag.group ?? 'More:' }]];
    }),
  );
};

/** Adds flags to a command, with those hidden from its help that few use, where some are used most. */
export function withFlags(command: Argv, flags: Readonly<Record<string, Options>>, all: boolean): Argv {
  const short = !all && Object.values(flags).some(({ group }) => group === MOST_USED);
  for (const [name, flag] of Object.entries(flags))
    command.option(name, { ...flag, hidden: short && flag.group !== MOST_USED });
  return short ? command.epilogue('--help all shows every flag.') : command;
}
