/** Where an intern is in its life, as far as the interface states it. */
export type Phase = 'stopped' | 'booting' | 'running' | 'deleting' | 'gone';

/** The settings that update can change. */
export interface LifeSettings {
  name: string;
  description: string | null;
  instructions: string | null;
  model: string | null;
}

/** A session that the model knows of. */
export interface LifeSession {
  readonly id: string;
  readonly origin: 'chat' | 'invoke';
}

/** An intern as the model believes it to be. */
export interface Life {
  readonly id: string;
  readonly settings: LifeSettings;
  phase: Phase;
  /** Body and key of its create, for retries. */
  readonly created: { readonly key: string; readonly body: Record<string, unknown> };
  vaultId: unknown;
  readonly sessions: LifeSession[];
  /** Transcripts of responses that ended with an open question, by position in `Real.asked`. */
  waiting: number[];
}

/** The model: every intern that was made in this candidate, in the order of creation. */
export interface Lives {
  readonly interns: Life[];
}

export const createLives = (): Lives => ({ interns: [] });

/** The intern that a number means, among those that `when` holds for. */
export function pick(model: Readonly<Lives>, which: number, when: (intern: Life) => boolean): Life | undefined {
  const those = model.interns.filter(when);
  return those[which % Math.max(1, those.length)];
}

/** What a runtime that stops takes with it. */
export function stops(intern: Life): void {
  intern.waiting = [];
}

/** Whether reads must find it. While it is torn down they may or may not. */
export const exists = (intern: Life): boolean => intern.phase !== 'gone' && intern.phase !== 'deleting';
