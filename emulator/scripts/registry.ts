import { hostDelay } from '../clock/host.js';
import type { Prompted } from '../contract/match.js';
import type { InternRow, ScriptRow } from '../contract/state.js';
import type { ScriptView } from '../contract/views.js';
import type { Collection } from '../store/store.js';
import type { Behaviour, LifecyclePlan, ScriptRegistry, ScriptSource } from './behaviour.js';
import { type ChosenTurn, chooseLifecycle, chooseTurn } from './choose.js';
import { compileScript } from './compile.js';
import { createScriptReader, scriptFilesOf } from './files.js';
import { checkLifecycle } from './lifecycle.js';
import type { Matches } from './matches.js';
import { ScriptInvalid } from './problems.js';
import { stockBehaviours } from './stock.js';
import { type WatchFiles, watchFiles } from './watch.js';

/** The scripts of an emulator, from all sources. */
export interface Scripts extends ScriptRegistry {
  /** Puts a JSON script through the control interface. Throws ScriptInvalid; the caller commits the store. */
  put(name: string, source: unknown): ScriptView;
  /** Whether a JSON script could be put under a name. Throws ScriptInvalid if not. */
  check(name: string, source: unknown): void;
  /** Takes back what was put; false if nothing was. A script of that name from another source counts again. */
  delete(name: string): boolean;
  view(name: string): ScriptView | undefined;
  list(): ScriptView[];
  /** Chooses the behaviour that takes a prompt, and its part of the prompt ({@link chooseTurn}). */
  resolveTurn(intern: InternRow, given: Prompted): ChosenTurn;
  /** How an intern boots, is torn down and so on. Before a boot, set `booted` to the model it is going to boot with. */
  resolveLifecycle(intern: InternRow): LifecyclePlan;
  /** The scripts read from files, as they are now. */
  filed(): ReadonlyMap<string, Behaviour>;
  close(): void;
}

export interface ScriptsDeps {
  readonly rows: Collection<ScriptRow>;
  /** Scripts that ship with the package, if they were made before. */
  readonly stock?: readonly Behaviour[];
  /** Scripts registered in code: behaviours, and JSON scripts. */
  readonly behaviours?: readonly (Behaviour | ScriptSource)[];
  /** JSON files, or directories of them. Read at once, and again whenever they change. */
  readonly files?: readonly string[];
  /** Files of scripts that somebody else reads and follows. */
  readonly filed?: () => ReadonlyMap<string, Behaviour>;
  /** Rows that choose a script by the text of a prompt. */
  readonly matches?: Pick<Matches, 'find'>;
  readonly log: (record: Record<string, unknown>) => void;
  /** A script was put, taken back, or read again from its file. */
  readonly changed?: (name: string) => void;
  readonly watch?: WatchFiles;
  /** How long changes of files are gathered before they are read. Default: 50 ms of the machine's time. */
  readonly gather?: () => Promise<void>;
}

/**
 * How long changes of files are gathered, in ms: a checkout changes hundreds in a moment, and a file in several steps.
 */
const GATHERED = 50;

/**
 * Gathers the scripts. A file that is invalid at first throws. A file that becomes invalid while it is watched is
 * logged, and its earlier content stays. If this throws, nothing stays watched.
 *
 * A stored script that is invalid (its file was edited, or an earlier release accepted it) is logged and counts as not
 * put, so that no store keeps an emulator from starting. Its row stays until it is put anew or deleted.
 *
 * @throws ScriptInvalid for an invalid file or lifecycle, and for two scripts of one name in code or in files
 */
export function createScriptRegistry(deps: ScriptsDeps): Scripts {
  const { rows, log, changed = () => {}, watch = watchFiles, gather = () => hostDelay(GATHERED) } = deps;
  const stock = byName(deps.stock ?? stockBehaviours(), 'the scripts that ship');
  const code = byName((deps.behaviours ?? []).map(behaviourOf), 'the scripts in code');
  for (const behaviour of code.values()) checkLifecycle(behaviour);
  /** By row; undefined for an invalid one. */
  const compiled = new WeakMap<ScriptRow, Behaviour | undefined>();
  let own = new Map<string, Behaviour>();
  const filed = () => deps.filed?.() ?? own;
  const read = createScriptReader();
  const stops: (() => void)[] = [];
  let closed = false;

  const load = () => {
    const skipped = (file: string, problem: string) => log({ level: 'warn', event: 'script_skipped', file, problem });
    const files = (deps.files ?? []).flatMap((path) => scriptFilesOf(path, skipped));
    own = byFile(read(files));
  };
  let failed = false;
  const reload = () => {
    const before = own;
    try {
      load();
      const names = [...own.keys()].filter((name) => own.get(name) !== before.get(name));
      const gone = [...before.keys()].filter((name) => !own.has(name));
      for (const name of [...names, ...gone]) changed(name);
      if (failed || names.length + gone.length > 0) log({ level: 'info', event: 'scripts_reloaded', names, gone });
      failed = false;
    } catch (error) {
      failed = true;
      const invalid = error instanceof ScriptInvalid ? error : new ScriptInvalid('the script files', [String(error)]);
      log({ level: 'error', event: 'scripts_not_reloaded', file: invalid.file, problems: invalid.problems });
    }
  };
  let gathering = false;
  const filesChanged = () => {
    if (gathering) return;
    gathering = true;
    void gather().then(() => {
      gathering = false;
      if (!closed) reload();
    });
  };
  const check = (name: string, source: unknown): Behaviour => {
    const script = compileScript(source, { file: name });
    if (script.name !== name)
      throw new ScriptInvalid(name, [`name: expected ${JSON.stringify(name)}, which it is kept under`]);
    return script;
  };

  const compile = (row: ScriptRow): Behaviour | undefined => {
    try {
      return check(row.id, row.source);
    } catch (error) {
      const problems = error instanceof ScriptInvalid ? error.problems : [String(error)];
      log({ level: 'error', event: 'stored_script_ignored', script: row.id, problems });
      return undefined;
    }
  };
  const stored = (name: string): Behaviour | undefined => {
    const row = rows.get(name);
    if (!row) return undefined;
    if (!compiled.has(row)) compiled.set(row, compile(row));
    return compiled.get(row);
  };

  const names = () =>
    [
      ...new Set([
        ...Array.from(rows.values(), (row) => row.id).filter(stored),
        ...code.keys(),
        ...filed().keys(),
        ...stock.keys(),
      ]),
    ].sort();

  const view = (name: string): ScriptView | undefined => {
    const row = stored(name) && rows.get(name);
    if (row) return { name, from: 'control', ...described(row), source: row.source };
    const known = (from: ScriptView['from'], behaviour: Behaviour | undefined): ScriptView | undefined =>
      behaviour && {
        name,
        from,
        ...described(behaviour),
        ...(behaviour.source === undefined ? {} : { source: behaviour.source }),
      };
    return known('code', code.get(name)) ?? known('file', filed().get(name)) ?? known('stock', stock.get(name));
  };

  /** In a list, those put here have their source, as always; the others are many and long. */
  const listed = (script: ScriptView | undefined): ScriptView[] =>
    script === undefined
      ? []
      : [script.from === 'control' ? script : { name: script.name, from: script.from, ...described(script) }];

  const scripts: Scripts = {
    get: (name) => stored(name) ?? code.get(name) ?? filed().get(name) ?? stock.get(name),
    names,
    check,
    put(name, source) {
      const row = { id: name, source };
      compiled.set(row, check(name, source));
      rows.put(row);
      changed(name);
      return { name, from: 'control', source };
    },
    delete(name) {
      const deleted = rows.delete(name);
      if (deleted) changed(name);
      return deleted;
    },
    view,
    list: () => names().flatMap((name) => listed(view(name))),
    resolveTurn: (intern, given) => chooseTurn(scripts, intern, given, deps.matches),
    resolveLifecycle: (intern) => chooseLifecycle(scripts, intern),
    filed,
    close() {
      closed = true;
      for (const stop of stops) stop();
    },
  };
  load();
  // Reported now rather than in the middle of a boot.
  for (const { id } of rows.values()) stored(id);
  try {
    for (const path of deps.files ?? []) stops.push(watch(path, filesChanged));
  } catch (error) {
    scripts.close();
    throw error;
  }
  return scripts;
}

/** The description of a script, from where it has one. */
function described({ source, description }: { readonly source?: unknown; readonly description?: string }) {
  const said = description ?? (source as { description?: unknown } | undefined)?.description;
  return typeof said === 'string' ? { description: said } : {};
}

/** A script in code. @throws ScriptInvalid for a JSON script, naming its place in the list */
function behaviourOf(given: Behaviour | ScriptSource, index: number): Behaviour {
  return isBehaviour(given) ? given : compileScript(given, { file: `scripts[${index}]` });
}
const isBehaviour = (given: Behaviour | ScriptSource): given is Behaviour => typeof given.turn === 'function';

/** Scripts of files. @throws ScriptInvalid for two of one name, naming both files */
function byFile(files: ReadonlyMap<string, Behaviour>): Map<string, Behaviour> {
  const map = new Map<string, Behaviour>();
  const from = new Map<string, string>();
  for (const [file, behaviour] of files) {
    const { name } = behaviour;
    if (map.has(name))
      throw new ScriptInvalid(file, [
        `name: ${JSON.stringify(name)} is the name of the script in ${from.get(name)} too`,
      ]);
    map.set(name, behaviour);
    from.set(name, file);
  }
  return map;
}

function byName(behaviours: readonly Behaviour[], where: string): Map<string, Behaviour> {
  const map = new Map<string, Behaviour>();
  for (const behaviour of behaviours) {
    if (map.has(behaviour.name)) throw new ScriptInvalid(where, [`two are called ${JSON.stringify(behaviour.name)}`]);
    map.set(behaviour.name, behaviour);
  }
  return map;
}
