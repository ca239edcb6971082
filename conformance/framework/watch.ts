import type { Profile } from '../../emulator/contract/profile.js';
import type { Transcript } from '../probe/chunks.js';
import type { Answer } from '../probe/client.js';
import type { As, CredentialName, Send } from '../probe/request.js';
import type { PublicKey } from './target.js';

/** A request of the run to an operation of the interface. */
export interface Asked {
  readonly send: Send;
  /** Who sends. */
  readonly as: As;
  /** As the interface names it: `PATCH /interns/{internId}`. */
  readonly operation: string;
  /** The intern that the path names. */
  readonly id: string | undefined;
  readonly query: URLSearchParams;
}

/** A request and its answer, in the interface's words. */
export interface Met extends Asked {
  readonly answer: Answer;
  /** The content type of what was sent. */
  type(): string | undefined;
}

/** A chat stream that has ended, and not because the kit left it. */
export interface Streamed extends Asked {
  readonly transcript: Transcript;
}

/** What a monitor may know of the run that it watches. */
export interface Watched {
  readonly profile: Profile;
  readonly workspaceId: string;
  readonly publicKeys: readonly PublicKey[];
  /** Who has made an intern of the run; undefined for those of others. */
  creatorOf(id: string): CredentialName | undefined;
  /** What is kept secret and stands in a text: a credential that the run was given, or a value that it stored in a vault. */
  secretIn(text: string): 'credential' | 'value' | undefined;
  /** ms. */
  now(): number;
  /** The target is the run's own: nothing is late there, and nobody else does anything. */
  readonly ours: boolean;
}

/**
 * Holds one rule against every answer of a run, and sends nothing. What it throws is a finding, as in a check; it counts when
 * two exchanges show the same.
 */
export interface Watch {
  /** What a read shows wrong stays wrong: it counts where the same read shows it when all else is done, for reads may be late. */
  readonly lasts?: true;
  /** Interns that it has to see once more: before they are taken away, or when all else is done. */
  readonly unread?: ReadonlySet<string>;
  /** Interns whose records were wrong: checks get them no more, so that it can be seen whether that lasts. */
  readonly strays?: ReadonlySet<string>;
  /** Habits that the watch itself takes into account. */
  readonly measures?: readonly string[];
  /** A request leaves. */
  asks?(asked: Asked): void;
  /** An answer was read whole. Whether there was anything in it to judge. */
  sees?(met: Met): boolean;
  /** A stream has ended. Whether there was anything in it to judge. */
  hears?(streamed: Streamed): boolean;
  /** Somebody has moved the target in ways that the watch does not see: what it knows of states no longer holds. */
  forgets?(): void;
}
