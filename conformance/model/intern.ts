import type { Dealt, Standing } from '../habits/dealings.js';
import type { Asked } from './exchange.js';
import type { OperationName } from './operations.js';
import { type Caller, isMember, joined, MOST, type ModelOptions, Recent } from './options.js';
import { type Possible, possible } from './possible.js';

export type RecordFields = Readonly<Record<string, unknown>>;

/** Where an intern is in its life. `new`: it never booted, and may do so by itself; `stuck`: its teardown failed. */
export type Phase = 'new' | 'off' | 'booting' | 'up' | 'failed' | 'going' | 'stuck' | 'gone';

const BOOTS: readonly Phase[] = ['booting', 'up', 'failed'];

/** The phases that an intern may be in after it was shown with a status: boots and teardowns go on by themselves. */
export const PHASES: Readonly<Record<string, readonly Phase[]>> = {
  // An intern that waits for a provision may be queued, too.
  queued: ['new', 'off', 'booting', 'up', 'failed'],
  provisioning: ['booting', 'up', 'failed'],
  running: ['up'],
  failed: ['failed'],
  stopped: ['new', 'off'],
  destroying: ['going', 'stuck', 'gone'],
  destroy_failed: ['stuck'],
};

/** The phases that a shared service may lead to by itself: it may suspend an idle intern. */
export const WIDENED: Readonly<Record<string, readonly Phase[]>> = {
  ...PHASES,
  queued: ['new', 'off', 'booting', 'up', 'failed'],
  provisioning: ['off', 'booting', 'up', 'failed'],
  running: ['off', 'up'],
  // An intern that never booted may boot by itself, and a read may be older than a provision.
  stopped: ['new', 'off', ...BOOTS],
};

/** Phases that a status may stand for at the moment that it is shown. */
export const SHOWS: Readonly<Record<string, readonly Phase[]>> = {
  ...PHASES,
  queued: ['new', 'off', 'booting'],
  provisioning: ['new', 'booting'],
  running: ['new', 'up'],
  failed: ['new', 'failed'],
  destroying: ['going'],
};

/** Phases of an intern that is deleted. */
export const GOES: readonly Phase[] = ['going', 'stuck', 'gone'];
const there = (before: ReadonlySet<Phase>, after: readonly Phase[]): readonly Phase[] =>
  [...before].every((phase) => phase === 'gone') && before.size > 0 ? ['gone'] : after;

/** The phases of an intern after an accepted operation; undefined where it leaves them. */
export function phasesAfter(name: OperationName, ours: boolean) {
  const boots: readonly Phase[] = ours ? BOOTS : ['off', ...BOOTS];
  if (name === 'provision') return (before: ReadonlySet<Phase>) => there(before, boots);
  if (name === 'suspend') return (before: ReadonlySet<Phase>) => there(before, ['off']);
  if (name === 'delete') return (before: ReadonlySet<Phase>) => there(before, GOES);
  // A prompt may wake an intern that rests, and none that goes.
  if (name === 'chat' || name === 'invoke')
    return (before: ReadonlySet<Phase>) =>
      before.size > 0 && [...before].every((phase) => GOES.includes(phase)) ? [...before] : [...before, ...BOOTS];
  return undefined;
}

/** Settings that update changes. */
export const SETTINGS = ['name', 'description', 'instructions', 'model'] as const;
export type Setting = (typeof SETTINGS)[number];

/** Whether a text can name a model: author/slug, and a variant. */
export const isModel = (text: string): boolean => /^[^/\s]+\/[^/\s:]+(:[^/\s:]+)?$/.test(text);

/** Fields of a record that never change. */
export const FIXED = ['workspace_id', 'created_at', 'vault_id'] as const;

/** Whether a record is that of an intern whose teardown has failed, since its workspace could not be kept. */
export const isStuck = ({ status, last_failure_message: why }: RecordFields): boolean =>
  status === 'destroy_failed' && typeof why === 'string' && why.includes('workspace_archive_failed');

/** An exchange that did not find an intern, or a list that left it out. */
export interface Lost {
  readonly number: number;
  /** When it was answered. */
  readonly at: number;
  /** The operation; of a list by statuses `list by status`. */
  readonly by: string;
  /** Its teardown had failed by then, which changes nothing until it is deleted again. */
  readonly stuck?: boolean;
}

/** A lifecycle call that was accepted. */
export interface Act {
  readonly name: 'suspend' | 'provision' | 'delete';
  /** The intern that it named. */
  readonly id: string;
  readonly number: number;
  /** When it was answered. */
  readonly at: number;
}

/** The word for an intern that its maker does not find. */
export const GONE = 'gone: 404';

/** Statuses that each lifecycle call leads to. */
export const MAKES: Readonly<Record<Act['name'], readonly string[]>> = {
  suspend: ['stopped'],
  provision: ['queued', 'provisioning', 'running', 'failed'],
  delete: ['destroying', 'destroy_failed', GONE],
};

/** Whether a status shows nothing of a call that was accepted. */
export const SHOWS_NOTHING: Readonly<Record<'suspend' | 'provision' | 'delete', readonly string[]>> = {
  provision: ['stopped'],
  suspend: ['running'],
  delete: ['stopped', 'running', 'queued', 'provisioning', 'failed'],
};

/** Calls after which an intern may be as if an earlier one had done nothing. */
export const UNDONE_BY: Readonly<Record<'suspend' | 'provision' | 'delete', readonly OperationName[]>> = {
  provision: ['suspend', 'delete'],
  suspend: ['provision', 'delete', 'chat', 'invoke'],
  delete: [],
};

/** Statuses that each phase may be shown as: a list by all of them has each intern of that phase. */
const SHOWN_AS: Readonly<Record<Phase, readonly string[]>> = {
  new: ['queued', 'provisioning', 'running', 'failed', 'stopped'],
  off: ['stopped'],
  booting: ['queued', 'provisioning'],
  up: ['running'],
  failed: ['failed'],
  going: ['destroying'],
  stuck: ['destroy_failed'],
  gone: [],
};

/** Whether a list by these statuses has an intern, whichever of these phases it is in. Without statuses it has all that are not going, those whose teardown failed too. */
export const isListedBy = (phases: ReadonlySet<Phase>, statuses: readonly string[] | undefined): boolean =>
  [...phases].every((phase) =>
    statuses === undefined
      ? phase !== 'going' && phase !== 'gone'
      : phase !== 'gone' && SHOWN_AS[phase].every((status) => statuses.includes(status)),
  );

/** The knowledge about one intern. */
export interface InternFacts extends Dealt {
  readonly id: string;
  /** The create that made it, of those that were seen. Undefined: others made it, and may change it at any time. */
  made:
    | {
        readonly by: string | null | undefined;
        readonly person: string | undefined;
        readonly at: number;
        readonly number: number;
        readonly body: RecordFields;
      }
    | undefined;
  workspace: string | undefined;
  readonly phase: Possible<Phase>;
  /** Values as JSON texts. */
  readonly settings: Readonly<Record<Setting, Possible<string>>>;
  /** By the field: what was shown first. */
  readonly fixed: Map<string, { readonly value: string; readonly number: number }>;
  /** When it was first shown. */
  since: number | undefined;
  /** When it was last read by its id. */
  read: number | undefined;
  /** The first exchange since it was shown that had to show it, and did not: it is gone, or that exchange was wrong. */
  lost: Lost | undefined;
  /** The status that was shown last, when it was asked for, and whether by a read that is never late. */
  shown: { readonly status: string; readonly number: number; readonly at: number; readonly sure: boolean } | undefined;
  /** Requests under way that may change its phase, and when the latest was answered that may have done so. */
  moving: number;
  moved: number | undefined;
  /** When the latest suspend or delete was answered that may have been taken. */
  halted: number | undefined;
  /** The latest daemon access that was answered, while no call asked for another state since. */
  attached: { readonly at: number; readonly number: number } | undefined;
  /** The latest lifecycle call that was accepted, while nothing of it was shown since. */
  awaited:
    | {
        readonly name: 'suspend' | 'provision' | 'delete';
        readonly number: number;
        readonly at: number;
        /** Reads that showed nothing of it. */
        reads: number;
      }
    | undefined;
  /** The secrets that were stored in its vault and not deleted since, by their names. */
  readonly stored: Map<string, { readonly number: number; readonly at: number }>;
  /** The number of the latest request that stores it, unless a delete of it was under way with it. */
  readonly storing: Map<string, number>;
  /** The latest delete that was accepted, where it acknowledges the loss of the workspace. */
  acknowledged: { readonly number: number; readonly at: number } | undefined;
  /** The latest lifecycle call that was refused. */
  refused:
    | { readonly name: 'suspend' | 'provision' | 'delete'; readonly number: number; readonly at: number }
    | undefined;
  /** Undefined where nobody can tell, or it is no longer as it was made. */
  standing: Standing | undefined;
  /** Requests about it under way, and those of them that write. */
  requests: number;
  writes: number;
  /** A check found something: it may have stopped by itself. */
  doubted: boolean;
}

export const internFacts = (id: string): InternFacts => ({
  id,
  made: undefined,
  workspace: undefined,
  phase: possible<Phase>(),
  settings: { name: possible(), description: possible(), instructions: possible(), model: possible() },
  fixed: new Map(),
  since: undefined,
  read: undefined,
  lost: undefined,
  shown: undefined,
  moving: 0,
  moved: undefined,
  halted: undefined,
  attached: undefined,
  awaited: undefined,
  stored: new Map(),
  storing: new Map(),
  acknowledged: undefined,
  refused: undefined,
  wrote: Number.NEGATIVE_INFINITY,
  prompts: new Set(),
  prompted: undefined,
  took: false,
  questions: new Set(),
  engaged: undefined,
  invoked: false,
  ran: false,
  went: undefined,
  standing: undefined,
  requests: 0,
  writes: 0,
  doubted: false,
});

/** Whether a caller may see an intern, as far as that is known. */
export function isVisibleTo(caller: Caller | null | undefined, { id, workspace }: InternFacts): boolean | undefined {
  if (caller === undefined || caller === null) return undefined;
  if (caller.kind === 'own') return caller.intern === undefined ? undefined : caller.intern === id;
  if (!isMember(caller)) return false;
  if (workspace === undefined || caller.workspace === undefined) return undefined;
  return workspace === caller.workspace;
}

/** Who asks, and what they see. */
export function createWho({ caller: known, ours }: Pick<ModelOptions, 'caller' | 'ours'>) {
  /** Whether a credential shows what another person made in the same workspace, where that was seen. */
  const shared = new Recent<string, boolean>(MOST);
  /** Callers who have created interns. */
  const creators = new Set<string>();

  const callerOf = ({ caller }: Asked): Caller | null | undefined =>
    caller === null ? null : caller === undefined ? undefined : known(caller);
  const personOf = (asked: Asked): string | undefined => callerOf(asked)?.person ?? asked.caller ?? undefined;
  return {
    callerOf,
    personOf,
    /** Whether a person is the one who asks; undefined where one of them may go by another name. */
    isBy(asked: Asked, person: string | undefined): boolean | undefined {
      const own = personOf(asked);
      if (own === undefined || person === undefined) return undefined;
      return own === person || ([undefined, 'member'].includes(callerOf(asked)?.kind) ? undefined : false);
    },
    /**
     * Whether a caller sees an intern. Whether one member of a workspace sees the interns of another is not stated: it shows.
     */
    isVisible(asked: Asked, intern: InternFacts): boolean | undefined {
      const caller = callerOf(asked);
      const visible = isVisibleTo(caller, intern);
      const person = personOf(asked);
      if (visible !== true || caller?.kind === 'own' || intern.made === undefined) return visible;
      if (ours === true || (person !== undefined && person === intern.made.person)) return true;
      return shared.get(joined(String(asked.caller), intern.made.person));
    },
    /** A caller was shown an intern. */
    sees(asked: Asked, { made }: InternFacts) {
      if (made?.person !== undefined && personOf(asked) !== undefined)
        shared.set(joined(String(asked.caller), made.person), true);
    },
    creates: ({ caller }: Asked) => void creators.add(caller ?? ''),
    /** Whether a caller was seen to create interns. */
    hasCreated: ({ caller }: Asked): boolean => creators.has(caller ?? ''),
    restart() {
      shared.clear();
      creators.clear();
    },
  };
}
export type Who = ReturnType<typeof createWho>;
