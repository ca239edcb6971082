import type { RecordedExchange } from '../../emulator/recording/format.js';
import type { Bindings } from '../../emulator/recording/template.js';
import type { Driver } from '../drivers/driver.js';
import { lacking } from '../framework/skip.js';
import type { Interns } from './interns.js';
import type { Before } from './recorded-before.js';
import { internAliasOf } from './schedule.js';
import { type Relations, scriptOf } from './script.js';

interface PrepareDeps {
  readonly driver: Driver;
  readonly interns: Interns;
  readonly before: Before;
  readonly relations: Relations;
  readonly bindings: Bindings;
  readonly isReadOnly: boolean;
  /** Whether the run made an intern. Others are left alone. */
  isOwn(internId: string): boolean;
}

/** Brings the target into the state that a recording begins with. */
export function createPreparation({ driver, interns, before, relations, bindings, isReadOnly, isOwn }: PrepareDeps) {
  const { control } = driver;

  /** For reads alone, an existing intern will do. On a deployment it may have another name than the recorded one. */
  const standIn = async (alias: string): Promise<string> => {
    const { status, name } = before.likenessOf(alias);
    const settled = control === undefined && status !== 'running' ? 'stopped' : status;
    const likeness = { status: settled, ...(control !== undefined && name !== undefined && { name }) };
    return before.isWrittenTo(alias) && !isReadOnly ? interns.made(likeness) : interns.found(likeness);
  };

  const run = async (alias: string, id: string) => {
    if (isOwn(id) && before.likenessOf(alias).status === 'running') await interns.reached(id, 'running');
  };

  /** Made before anything that the recording made itself, oldest first: lists show the newest first. */
  const first = (): string[] => {
    const listed = [...before.listed].reverse();
    const others = [...before.there].filter((alias) => !listed.includes(alias));
    const isMade = (alias: string) =>
      before.isWrittenTo(alias) || (control !== undefined && before.listed.includes(alias));
    return isReadOnly ? [] : [...others, ...listed].filter((alias) => isMade(alias) && !before.isOfOwnKey(alias));
  };
  /** Why an intern could not be made. */
  const failed = new Map<string, unknown>();

  return {
    /** Makes what the recording needs and did not create. A thing that cannot be made is reported where it is needed. */
    async first(): Promise<void> {
      const made = new Map<string, string>();
      const attempt = async (alias: string, work: () => Promise<unknown>) => {
        await work().catch((error: unknown) => failed.set(alias, error));
      };
      for (const alias of first()) await attempt(alias, async () => made.set(alias, await standIn(alias)));
      for (const [alias, id] of made) {
        await attempt(alias, () => run(alias, id));
        bindings.bind(alias, id);
      }
    },

    /** The intern of a request that the recording did not create, and what it is to do. */
    async request(exchange: RecordedExchange): Promise<void> {
      const alias = internAliasOf(exchange);
      if (alias === undefined) return;
      if (failed.has(alias)) throw failed.get(alias);
      if (bindings.get(alias) === undefined && before.there.has(alias)) {
        const own = before.isOfOwnKey(alias);
        const id = own ? driver.target.ownInternId : await standIn(alias);
        if (id === undefined) throw lacking({ kind: 'lacks', need: 'own_key', how: 'intern-id' });
        await run(alias, id);
        bindings.bind(alias, id);
      }
      const intern = bindings.get(alias);
      const script = scriptOf(exchange, relations);
      if (control === undefined || isReadOnly || script === undefined || intern === undefined || !isOwn(intern)) return;
      await control.useScript(intern, await control.script(script));
    },
  };
}
