import type { Profile } from '../../emulator/contract/profile.js';
import type { AnswerGot, Found } from '../model/finding.js';
import type { Skip, Unusable } from '../model/skip.js';
import type { BehaviourName } from '../model/target.js';
import type { Answer } from '../probe/client.js';
import type { CredentialName, Send } from '../probe/request.js';
import type { NoAnswerGot } from '../probe/wait.js';
import type { Level, RequirementId } from '../requirements/index.js';
import type { Addressed, Dealings, Made } from './dealings.js';
import { createStatusWords, type StatusWords } from './status-words.js';

/** The lateness of reads, in ms, and the number of its measures. */
interface Lag {
  readonly list: number;
  readonly read: number;
  readonly measured: number;
  /** The time from which reads wait that long. */
  readonly since: number;
  /** Kinds of reads that never showed a write. They are not waited for again. */
  readonly never: readonly ('list' | 'read')[];
}

/** The facts that habits have learnt about a service in this run. */
export interface Learnt {
  /** The lateness of lists, and of reads of one intern. */
  lag: Lag;
  /** Whether a text was refused for its characters: checks then send plain words. */
  plain: boolean;
  /** The words of this service for the statuses. */
  readonly words: StatusWords;
  /** Whether interns or requests are scarce, so that checks must run one at a time. */
  scarce: boolean;
  /** Most interns that may be kept for later checks. The rest of the room is for new ones. */
  mayKeep: number;
  /**
   * The refusal of a create for lack of room, and the number of interns that the run had then; undefined while there was room
   * for all. `needed`: the number of interns that the next attempt makes, if known.
   */
  full: { readonly refusal: string; readonly holds: number; readonly needed?: number | undefined } | undefined;
  /** ms of teardowns and boots. `exactly`: the time of a boot is by the service's own clock. */
  readonly took: { teardown?: number; boot?: number; exactly?: boolean };
  /** Whether an intern kept running for the whole wait after a suspend. */
  runsOn: boolean;
  /** Failed boots before the first success. */
  failedBoots: number;
  /**
   * The behaviour of interns that were created without a boot: they are stopped, keep another status, or boot nevertheless.
   */
  waiting: 'unknown' | 'stopped' | 'otherwise' | 'boots';
  /** Whether the peer sees interns of the API key; undefined before the first look. */
  peerSees?: Promise<boolean>;
  /** The number of checks whose prompt was refused at a second attempt, too. */
  notTaken: number;
  /** The numbers of prompts for each behaviour that interns followed (`did`) or did not. */
  readonly led: Map<BehaviourName, { readonly did: number; readonly otherwise: number }>;
  /** Whether some stream has asked a question, and whether some run under approval_mode manual has asked for a permission. */
  readonly asked: { question: boolean; permission: boolean };
  /** Interns whose teardown did not end within its time. */
  readonly staying: Set<string>;
  /** Id of a running intern that is left idle. If it stops, the service stopped it. `none`: it could not be made. */
  idler?: string | undefined;
  /** The habits that a measure has confirmed, or has ruled out. */
  readonly habits: Map<string, boolean>;
  /** Id of an unused intern of the run: only others can change it. */
  witness?: string | undefined;
}

export const nothingLearnt = (): Learnt => ({
  lag: { list: 0, read: 0, measured: 0, since: 0, never: [] },
  plain: false,
  words: createStatusWords(),
  scarce: false,
  mayKeep: Number.POSITIVE_INFINITY,
  full: undefined,
  took: {},
  failedBoots: 0,
  runsOn: false,
  waiting: 'unknown',
  notTaken: 0,
  led: new Map(),
  asked: { question: false, permission: false },
  staying: new Set(),
  habits: new Map(),
});

/** The knowledge of a run that habits use. */
export interface Knowledge {
  readonly learnt: Learnt;
  readonly dealings: Dealings;
  /** The pace of requests. */
  readonly rate: {
    /** Sends nothing for `ms`. */
    pause(ms: number): void;
    /** Pauses, and then sends only as fast as the service accepted requests in the `ms` before. */
    slow(ms: number): void;
  };
  /** The pace of a caller's turns, which have a limit of their own (CHAT-17). */
  turns(as: Send['as']): { pause(ms: number): void };
  now(): number;
}

export interface Head extends Addressed {
  /** The number of the request, or of the first one that it repeats. */
  readonly first: number;
  readonly status: number;
  readonly headers: Headers;
  /** ms between the request and the head of its answer. */
  readonly headAfter: number;
}

/** The view of habits on a run: its knowledge, and the requests that they may send. */
export interface Visit extends Knowledge {
  readonly target: { readonly baseUrl: string; readonly workspaceId: string; readonly profile: Profile };
  readonly readOnly: boolean;
  sleep(ms: number): Promise<void>;
  send(send: Send): Promise<Answer>;
  /** The path of an intern, with its id encoded. */
  pathOf(id: string, rest?: string): string;
  /** A create with an unused name, and further fields. */
  creating(more?: Readonly<Record<string, unknown>>): Send & { readonly json: { readonly name: string } };
  /** The number of interns that the run has made so far. */
  created(): number;
  /** The interns that are not known to be gone. */
  made(): readonly Made[];
  /** Notes that an intern is gone. */
  gone(id: string): void;
  /** Looks in the list for interns of the run whose create was not answered. */
  findLost(): Promise<void>;
  /** Ids of the interns that the check made or was handed. */
  readonly inHand: Set<string>;
  /** The intern that checks share. */
  shared(): string | undefined;
  /** Ids of the interns that are kept for later checks. */
  kept(): ReadonlySet<string>;
  /** Keeps no more than `most` interns for later checks. */
  keep(most: number): void;
  /** Forgets what reads have shown, because they were late. */
  doubtsReads(): void;
  /** Makes later checks use new interns. */
  forget(): void;
  /** Deletes interns that nobody uses. */
  takeAway(interns: readonly Made[]): Promise<void>;
  /** A made-up id, to which requests may write. */
  nobody(id: string): string;
  /** Notes that a credential cannot be used. */
  spoilt(name: CredentialName, how: Unusable): void;
}

/** A request of a check, and its answer. */
export interface Tried {
  readonly number: number;
  readonly method: string;
  readonly url: string;
  /** From `/interns` on, without a query. */
  readonly path: string;
  readonly id: string | undefined;
  /** The body of the request. */
  readonly sent: string | undefined;
  readonly bytes: number;
  readonly as: CredentialName | undefined;
  /** The status of the answer; undefined without one. */
  readonly status: number | undefined;
  readonly text: string;
}

/** A finding of a check that ran alone, before it counts. */
export interface Sighting {
  readonly found: Found;
  /** The answer, if the finding is about a status. */
  readonly got: AnswerGot | undefined;
  /** Why there was no answer, if the finding is about that. */
  readonly silence: NoAnswerGot | undefined;
  /** Whether a success was due. */
  readonly missedSuccess: boolean;
  readonly check: { readonly requirement: RequirementId; readonly level: Level };
  readonly seen: readonly Tried[];
  /** Ids of the interns that it is about. */
  readonly about: readonly string[];
  readonly began: number;
  /** When it was found. */
  readonly at: number;
  /** ms since a client of the run left a stream of each intern that answered 409. */
  readonly leftAgo: ReadonlyMap<string, number>;
}

/** The treatment of a finding that a habit explains. */
export interface Explanation {
  /** ms after which the check is repeated; undefined if that would not help. */
  readonly again?: number;
  /** Whether the explanation of a later habit has priority. */
  readonly perhaps?: true;
  /** Whether the run has learnt something new about the service: such an attempt does not count. */
  readonly learnt?: true;
  /** The outcome of the check when no attempt is left; undefined for a finding. */
  readonly skip?: Skip;
}

/** ms before a temporarily refused request is repeated for the first time. */
export const LATER = 2_000;

/** ms within which a service must notice that a client has gone (CHAT-10). */
export const NOTICED_WITHIN = 30_000;
