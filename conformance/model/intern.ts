import type { Dealt, Standing } from '../habits/dealings.js';
import type { Asked } from './exchange.js';
import type { OperationName } from './operations.js';
import { type Caller, isMember, joined, MOST, type ModelOptions, Recent } from './options.js';
import { type Possible, possible } from './possible.js';

export type RecordFields = Readonly<Record<string, unknown>>;

/** The phase of an intern's life. A `new` intern never booted, and may boot by itself. The teardown of a `stuck` one failed. */
export type Phase = 'new' | 'off' | 'booting' | 'up' | 'failed' | 'going' | 'stuck' | 'gone';

const BOOTS: readonly Phase[] = ['booting', 'up', 'failed'];

/** The phases that an intern may be in after a status was shown. Boots and teardowns go on. */
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

/** The phases that a shared service may lead to by itself: it may suspend an idle intern, and a runtime may die. */
export const WIDENED: Readonly<Record<string, readonly Phase[]>> = {
  ...PHASES,
  provisioning: ['off', 'booting', 'up', 'failed'],
  running: ['off', 'up', 'failed'],
  // An intern that never booted may boot by itself, and a read may be older than a provision.
  stopped: ['new', 'off', ...BOOTS],
};

/** The phases that a status can show. */
export const SHOWS: Readonly<Record<string, readonly Phase[]>> = {
  ...PHASES,
  queued: ['new', 'off', 'booting'],
  provisioning: ['new', 'booting'],
  running: ['new', 'up'],
  failed: ['new', 'failed'],
  destroying: ['going'],
};

/** Phases of a deleted intern. */
export const GOES: readonly Phase[] = ['going', 'stuck', 'gone'];
/** `after`, unless the intern was certainly gone before. */
const unlessGone = (before: ReadonlySet<Phase>, after: readonly Phase[]): readonly Phase[] =>
  [...before].every((phase) => phase === 'gone') && before.size > 0 ? ['gone'] : after;

/** The phases of an intern after an accepted operation; undefined if the operation changes none. */
export function phasesAfter(name: OperationName, ours: boolean) {
  const boots: readonly Phase[] = ours ? BOOTS : ['off', ...BOOTS];
  if (name === 'provision') return (before: ReadonlySet<Phase>) => unlessGone(before, boots);
  if (name === 'suspend') return (before: ReadonlySet<Phase>) => unlessGone(before, ['off']);
  if (name === 'delete') return (before: ReadonlySet<Phase>) => unlessGone(before, GOES);
  // A prompt may wake a resting intern, never a deleted one.
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

/** Whether a record shows a failed teardown: the workspace could not be archived. */
export const isStuck = ({ status, last_failure_message: why }: RecordFields): boolean =>
  status === 'destroy_failed' && typeof why === 'string' && why.includes('workspace_archive_failed');

/** An exchange that did not find an intern, or a list that left it out. */
export interface Lost {
  readonly number: number;
  /** When it was answered. */
  readonly at: number;
  /** The operation, or `list by status`. */
  readonly by: string;
  /** Whether its teardown had failed by then: nothing changes until another delete. */
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

/** The status, for the model, of an intern that answers 404 to its maker. */
export const GONE = 'gone: 404';

/** Statuses that each lifecycle call leads to. */
export const MAKES: Readonly<Record<Act['name'], readonly string[]>> = {
  suspend: ['stopped'],
  provision: ['queued', 'provisioning', 'running', 'failed'],
  delete: ['destroying', 'destroy_failed', GONE],
};

/** Statuses that show no effect yet of an accepted call. */
export const SHOWS_NOTHING: Readonly<Record<Act['name'], readonly string[]>> = {
  provision: ['stopped'],
  suspend: ['running'],
  delete: ['stopped', 'running', 'queued', 'provisioning', 'failed'],
};

/** Later calls that may hide the effect of an accepted one. */
export const UNDONE_BY: Readonly<Record<Act['name'], readonly OperationName[]>> = {
  provision: ['suspend', 'delete'],
  suspend: ['provision', 'delete', 'chat', 'invoke'],
  delete: [],
};

/** Statuses that can show a phase. A list by all of them has every intern in that phase. */
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

/**
 * Whether a list by `statuses` has an intern in each of `phases`. A list without statuses leaves out interns in teardown, but not
 * those whose teardown failed.
 */
export const isListedBy = (phases: ReadonlySet<Phase>, statuses: readonly string[] | undefined): boolean =>
  [...phases].every((phase) =>
    statuses === undefined
      ? phase !== 'going' && phase !== 'gone'
      : phase !== 'gone' && SHOWN_AS[phase].every((status) => statuses.includes(status)),
  );

/** A daemon access, hashed, the exchange that showed it, and when that was answered. */
interface Access {
  readonly access: string;
  readonly number: number;
  readonly at: number;
}

/** The latest access by the operation, how often in turn it was the same, and that of the alias since. */
interface Revealed extends Access {
  readonly times: number;
  readonly alias?: Access;
}

/** The knowledge about one intern. */
export interface InternFacts extends Dealt {
  readonly id: string;
  /** The seen create that made it. Undefined for an intern of others, who may change it at any time. */
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
  /** Numbers of the latest updates that were sent, accepted or not. */
  updates: readonly number[];
  /** The first value of each field that a record showed. */
  readonly fixed: Map<string, { readonly value: string; readonly number: number }>;
  /** When it was first shown. */
  since: number | undefined;
  /** When it was last read by its id. */
  read: number | undefined;
  /** The first exchange since it was last shown that wrongly did not find it. Undefined once it may be gone. */
  lost: Lost | undefined;
  /** The latest status, with the time of its request. `sure`: a read showed it, and reads are never late. */
  shown: { readonly status: string; readonly number: number; readonly at: number; readonly sure: boolean } | undefined;
  /** The number of requests under way that may change its phase. */
  moving: number;
  /** When the latest request was answered that may have changed its phase. */
  moved: number | undefined;
  /** When the latest suspend or delete was answered that may have taken effect. */
  halted: number | undefined;
  /** Chat requests whose answer has not ended, by their numbers. */
  readonly streams: Set<number>;
  /** When the latest turn of chat is certainly over. It may go on for a while after its client left. */
  free: number;
  /** The latest answered daemon access. Undefined after a call that asks for another state. */
  attached: { readonly at: number; readonly number: number } | undefined;
  /** The daemon accesses of each caller. Empty after a call that asks for another state. */
  readonly accesses: Map<string, Revealed>;
  /** The latest accepted lifecycle call whose effect nothing has shown yet. */
  awaited:
    | {
        readonly name: 'suspend' | 'provision' | 'delete';
        readonly number: number;
        readonly at: number;
        /** Reads that showed no effect. */
        reads: number;
      }
    | undefined;
  /** Secrets in its vault, by their names. */
  readonly stored: Map<string, { readonly number: number; readonly at: number }>;
  /** Names of secrets that a request may have put into its vault. */
  readonly put: Set<string>;
  /** The number of the latest store of each secret, by its name, unless a delete was sent since. */
  readonly storing: Map<string, number>;
  /** The latest accepted delete, if it acknowledged the loss of the workspace. */
  acknowledged: { readonly number: number; readonly at: number } | undefined;
  /** The first read that showed it stopped long after its create, before any call that may boot it. */
  waits: { readonly number: number; readonly at: number } | undefined;
  /** The latest refused lifecycle call. */
  refused:
    | { readonly name: 'suspend' | 'provision' | 'delete'; readonly number: number; readonly at: number }
    | undefined;
  /** Its state for checks that share it. Undefined where it is unknown, or a check has changed its settings. */
  standing: Standing | undefined;
  /** The number of requests about it under way. */
  requests: number;
  /** The number of writes among them. */
  writes: number;
  /** Whether it may have stopped by itself: a check that used it has found something. */
  doubted: boolean;
}

export const internFacts = (id: string): InternFacts => ({
  id,
  made: undefined,
  workspace: undefined,
  phase: possible<Phase>(),
  settings: { name: possible(), description: possible(), instructions: possible(), model: possible() },
  updates: [],
  fixed: new Map(),
  since: undefined,
  read: undefined,
  lost: undefined,
  shown: undefined,
  moving: 0,
  moved: undefined,
  halted: undefined,
  streams: new Set(),
  free: 0,
  attached: undefined,
  accesses: new Map(),
  awaited: undefined,
  stored: new Map(),
  put: new Set(),
  storing: new Map(),
  acknowledged: undefined,
  waits: undefined,
  refused: undefined,
  wrote: Number.NEGATIVE_INFINITY,
  prompts: new Set(),
  prompted: undefined,
  took: false,
  questions: new Set(),
  turned: undefined,
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

/** The callers of requests, and the interns that they see. */
export function createWho({ caller: known, ours }: Pick<ModelOptions, 'caller' | 'ours'>) {
  /** Whether a credential was seen to show interns of another person in the same workspace. */
  const shared = new Recent<string, boolean>(MOST);
  /** Callers who have created interns. */
  const creators = new Set<string>();

  const callerOf = ({ caller }: Asked): Caller | null | undefined =>
    caller === null ? null : caller === undefined ? undefined : known(caller);
  const personOf = (asked: Asked): string | undefined => callerOf(asked)?.person ?? asked.caller ?? undefined;
  return {
    callerOf,
    personOf,
    /** Whether a person sent a request; undefined if that is unknown. */
    isBy(asked: Asked, person: string | undefined): boolean | undefined {
      const own = personOf(asked);
      if (own === undefined || person === undefined) return undefined;
      return own === person || ([undefined, 'member'].includes(callerOf(asked)?.kind) ? undefined : false);
    },
    /**
     * Whether a caller sees an intern. The interface does not state whether members see each other's interns: the model learns it.
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
