/** A defect that stops the checks that build on the broken part. */
export type Obstacle = 'create' | 'running' | 'gone' | 'chat' | 'streaming' | 'answers';

/** How long something was waited for; `virtual`: by the clock of the target. */
export interface Waited {
  readonly ms: number;
  readonly clock: 'real' | 'virtual';
}

/** Why a credential opens nothing here: from the beginning, not any more, or nothing that the API key makes. */
export type Unusable = 'opens-nothing' | 'expired' | 'sees-no-intern';

/** The evidence of an obstacle. */
export type ObstacleSeen =
  | { readonly kind: 'create'; readonly status?: number }
  /** A create answered another's intern, or none. */
  | { readonly kind: 'not-own' }
  | { readonly kind: 'stays'; readonly waited: Waited }
  | { readonly kind: 'silent' }
  /** An intern that was made did not come to this status. */
  | { readonly kind: 'never-was'; readonly status: string }
  | BootFailure;

/** An intern that did not come to run. */
export type BootFailure =
  | { readonly kind: 'boot-failed'; readonly message?: string }
  | { readonly kind: 'never-ran'; readonly status: string; readonly waited: Waited };
