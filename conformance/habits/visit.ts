import type { Profile } from '../../emulator/contract/profile.js';
import type { AnswerGot, Found } from '../framework/finding.js';
import type { BehaviourName } from '../framework/needs.js';
import type { Skip } from '../framework/skip.js';
import type { Unusable } from '../framework/stop.js';
import type { Answer } from '../probe/client.js';
import type { NoAnswerGot } from '../probe/no-answer.js';
import type { CredentialName, Send } from '../probe/request.js';
import type { Level, RequirementId } from '../requirements/index.js';
import type { Addressed, Dealings, Made } from './dealings.js';
import { createStatusWords, type StatusWords } from './status-words.js';

/** How long reads wait after a write, in ms, and how often it was measured. */
interface Lag {
  readonly list: number;
  readonly read: number;
  readonly measured: number;
  /** A read that never showed the write: it is not waited for again. */
  readonly never: readonly ('list' | 'read')[];
}

/** The facts that habits have learnt of a service in this run. */
export interface Learnt {
  /** How far lists, and reads of one intern, lag behind writes. */
  lag: Lag;
  /** Some text was refused for its characters: checks say plain words. */
  plain: boolean;
  /** The words of this service for the statuses. */
  readonly words: StatusWords;
  /** There is little of something here, interns or requests, and checks at work beside each other would take it. */
  scarce: boolean;
  /** How many interns may be kept for later checks, so that most checks find room for interns of their own. */
  mayKeep: number;
  /**
   * How a create is refused for which there is no room, and how many interns the run had then; undefined while there was room
   * for all. `needed`: how many the next try makes, where that is known.
   */
  full: { readonly refusal: string; readonly holds: number; readonly needed?: number | undefined } | undefined;
  /** How long a teardown took, in ms; boots, and whether that is what the service tells of them. */
  readonly took: { teardown?: number; boot?: number; exactly?: boolean };
  /** A suspend was waited for in vain. */
  runsOn: boolean;
  /** How many boots failed before one was seen to end. */
  failedBoots: number;
  /**
   * The fate of an intern that was created without a boot: it is stopped; it is something else for good; it boots all the
   * same.
   */
  waiting: 'unknown' | 'stopped' | 'otherwise' | 'boots';
  /** Whether the peer sees the interns that the API key made; undefined until it was looked at. */
  peerSees?: Promise<boolean>;
  /** Checks whose prompt was not taken, nor when they were tried again. */
  notTaken: number;
  /** Times that an intern did what it was led to, and times that it did not. */
  readonly led: Map<BehaviourName, { readonly did: number; readonly otherwise: number }>;
  /** Whether some stream has asked something, and some run under approval_mode manual for a permission. */
  readonly asked: { question: boolean; permission: boolean };
  /** Interns whose teardown has not ended in the time that there was. */
  readonly staying: Set<string>;
  /** Id of an intern that runs and is left idle: if it stops, the service did that. `none`: no room for it, or no boot. */
  idler?: string | undefined;
  /** The habits that a measure of their own has shown, or has shown not to be here. */
  readonly habits: Map<string, boolean>;
  /** Id of an intern that the run has made and leaves unused: whatever happens to it, others do. */
  witness?: string | undefined;
}

export const nothingLearnt = (): Learnt => ({
  lag: { list: 0, read: 0, measured: 0, never: [] },
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

/** The knowledge of a run about a service. */
export interface Knowledge {
  readonly learnt: Learnt;
  readonly dealings: Dealings;
  /** When requests leave. */
  readonly rate: {
    /** None for so many ms. */
    pause(ms: number): void;
    /** The same, and from then on as far apart as the service took them in so many ms before. */
    slow(ms: number): void;
  };
  /** When turns of a caller leave: they are counted for each (CHAT-17), apart from other requests. */
  turns(as: Send['as']): { pause(ms: number): void };
  now(): number;
}

export interface Head extends Addressed {
  /** The number of the request, or of the first that it repeats. */
  readonly first: number;
  readonly status: number;
  readonly headers: Headers;
}

/** A run at a service: its knowledge, and the acts that are open to it. */
export interface Visit extends Knowledge {
  readonly target: { readonly baseUrl: string; readonly workspaceId: string; readonly profile: Profile };
  readonly readOnly: boolean;
  sleep(ms: number): Promise<void>;
  send(send: Send): Promise<Answer>;
  /** The path of an intern, whatever is in its id. */
  pathOf(id: string, rest?: string): string;
  /** A create with a name that nobody has, and what else its body is to hold. */
  creating(more?: Readonly<Record<string, unknown>>): Send & { readonly json: { readonly name: string } };
  /** How many interns the run has made so far. */
  created(): number;
  /** The interns that are not known to be gone. */
  made(): readonly Made[];
  /** Notes that one is. */
  gone(id: string): void;
  /** Looks in the list for interns of the run whose create was not answered, where there was such a create. */
  findLost(): Promise<void>;
  /** Ids of the interns that the check made or was handed. */
  readonly inHand: Set<string>;
  /** The intern that checks share. */
  shared(): string | undefined;
  /** Ids of the interns that later checks get, and how many they may be from now on. */
  kept(): ReadonlySet<string>;
  keep(most: number): void;
  /** No intern that a check used is handed to another. */
  forget(): void;
  /** Deletes interns that nobody uses. */
  takeAway(interns: readonly Made[]): Promise<void>;
  /** An id that no intern has, which may be written to. */
  nobody(id: string): string;
  /** A credential opens nothing, or nothing more. */
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
  /** Sent body. */
  readonly sent: string | undefined;
  /** Its length. */
  readonly bytes: number;
  readonly as: CredentialName | undefined;
  /** Of the answer, where one came. */
  readonly status: number | undefined;
  readonly text: string;
}

/** A finding of a check that was done alone, before it counts. */
export interface Sighting {
  readonly found: Found;
  /** The answer, where a status was wanted. */
  readonly got: AnswerGot | undefined;
  /** Why there was no answer, where that is the finding. */
  readonly silence: NoAnswerGot | undefined;
  /** Whether a success was due. */
  readonly missedSuccess: boolean;
  readonly check: { readonly requirement: RequirementId; readonly level: Level };
  readonly seen: readonly Tried[];
  /** When the check began. */
  readonly began: number;
  /** When it was found. */
  readonly at: number;
  /** ms since a client of the run left a stream of each intern that answered 409. */
  readonly leftAgo: ReadonlyMap<string, number>;
}

/** The treatment of a finding that a habit explains. */
export interface Explanation {
  /** ms after which the check is tried again; undefined where that would not help. */
  readonly again?: number;
  /** Only where no habit that is asked later explains it. */
  readonly perhaps?: true;
  /** The run now knows something of the service that it did not: such a try does not count. */
  readonly learnt?: true;
  /** The outcome of the check when no further try is left; a finding where it is undefined. */
  readonly skip?: Skip;
}

/** ms before the first further try of a request that a service cannot serve now. */
export const LATER = 2_000;

/** ms within which a service must notice that a client has gone (CHAT-10). */
export const NOTICED_WITHIN = 30_000;
