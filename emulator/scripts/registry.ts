import type { InternRow, ScriptRow } from '../contract/state.js';
import type { Collection } from '../store/store.js';
import type { Behaviour, LifecyclePlan, ScriptRegistry } from './behaviour.js';
import { chooseLifecycle, chooseTurn } from './choose.js';
import { compileScript } from './compile.js';
import { readScriptFile, scriptFilesOf, type Watch, watchFiles } from './files.js';
import { ScriptInvalid } from './problems.js';
import { stockBehaviours } from './stock.js';

/** Where a script came from; of equal names the first of these counts. */
export type ScriptOrigin = 'control' | 'code' | 'file' | 'stock';

/** A script as `GET /_emulator/scripts` shows it. `source` is the JSON it was put as, for those put there. */
export interface ScriptView {
  name: string;
  from: ScriptOrigin;
  source?: unknown;
}

/** The scripts of an emulator, from wherever they come. */
export interface Scripts extends ScriptRegistry {
  /** Puts a JSON script through the control interface. Throws ScriptInvalid; the caller commits the store. */
  put(name: string, source: unknown): ScriptView;
  /** Whether a JSON script could be put under a name. Throws ScriptInvalid where not. */
  check(name: string, source: unknown): void;
  /** Takes back what was put; false when nothing was. A script of that name from elsewhere counts again. */
  delete(name: string): boolean;
  view(name: string): ScriptView | undefined;
  list(): ScriptView[];
  /** Which behaviour takes a prompt, and what of it ({@link chooseTurn}). */
  resolveTurn(intern: InternRow, prompt: string): { behaviour: Behaviour; prompt: string };
  /** How an intern boots, is torn down and so on. Before a boot, set `booted` to what it is going to boot with. */
  resolveLifecycle(intern: InternRow): LifecyclePlan;
  /** Stops watching files. */
  close(): void;
}

export interface ScriptsDeps {
  /** Those put through the control interface. */
  readonly rows: Collection<ScriptRow>;
  /** Those registered in code. */
  readonly behaviours?: readonly Behaviour[];
  /** JSON files, or directories of them. Read at once, and again whenever they change. */
  readonly files?: readonly string[];
  readonly log: (record: Record<string, unknown>) => void;
  readonly watch?: Watch;
}

/**
 * Gathers the scripts. A file that is invalid at first throws; one that becomes so while it is watched is logged, and
 * what it held before stays.
 *
 * @throws ScriptInvalid for an invalid file, and for two scripts of one name in code or in files
 */
export function createScriptRegistry(deps: ScriptsDeps): Scripts {
  const { rows, log, watch = watchFiles } = deps;
  const stock = byName(stockBehaviours(), 'the scripts that ship');
  const code = byName(deps.behaviours ?? [], 'the scripts in code');
  const compiled = new WeakMap<ScriptRow, Behaviour>();
  let filed = new Map<string, Behaviour>();

  const load = () => {
    const files = (deps.files ?? []).flatMap(scriptFilesOf);
    filed = byName(files.map(readScriptFile), 'the script files');
  };
  const reload = () => {
    try {
      load();
      log({ level: 'info', event: 'scripts_reloaded', names: [...filed.keys()] });
    } catch (error) {
      if (!(error instanceof ScriptInvalid)) throw error;
      log({ level: 'error', event: 'scripts_not_reloaded', file: error.file, problems: error.problems });
    }
  };
  load();
  const stops = (deps.files ?? []).map((path) => watch(path, reload));

  const check = (name: string, source: unknown) => {
    const { name: own } = compileScript(source, { file: name });
    if (own !== name) throw new ScriptInvalid(name, [`name: expected ${JSON.stringify(name)}, which it is kept under`]);
  };
  // A store can be edited by hand: better told now than in the middle of a boot.
  for (const row of rows.values()) check(row.id, row.source);

  const stored = (name: string): Behaviour | undefined => {
    const row = rows.get(name);
    if (!row) return undefined;
    let behaviour = compiled.get(row);
    if (!behaviour) {
      behaviour = compileScript(row.source, { file: name });
      compiled.set(row, behaviour);
    }
    return behaviour;
  };

  const names = () =>
    [
      ...new Set([...Array.from(rows.values(), (row) => row.id), ...code.keys(), ...filed.keys(), ...stock.keys()]),
    ].sort();

  const view = (name: string): ScriptView | undefined => {
    const row = rows.get(name);
    if (row) return { name, from: 'control', source: row.source };
    if (code.has(name)) return { name, from: 'code' };
    if (filed.has(name)) return { name, from: 'file' };
    return stock.has(name) ? { name, from: 'stock' } : undefined;
  };

  const scripts: Scripts = {
    get: (name) => stored(name) ?? code.get(name) ?? filed.get(name) ?? stock.get(name),
    names,
    check,
    put(name, source) {
      check(name, source);
      rows.put({ id: name, source });
      return { name, from: 'control', source };
    },
    delete: (name) => rows.delete(name),
    view,
    list: () => names().flatMap((name) => view(name) ?? []),
    resolveTurn: (intern, prompt) => chooseTurn(scripts, intern, prompt),
    resolveLifecycle: (intern) => chooseLifecycle(scripts, intern),
    close() {
      for (const stop of stops) stop();
    },
  };
  return scripts;
}

function byName(behaviours: readonly Behaviour[], where: string): Map<string, Behaviour> {
  const map = new Map<string, Behaviour>();
  for (const behaviour of behaviours) {
    if (map.has(behaviour.name)) throw new ScriptInvalid(where, [`two are called ${JSON.stringify(behaviour.name)}`]);
    map.set(behaviour.name, behaviour);
  }
  return map;
}
