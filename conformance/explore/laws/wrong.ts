/** A mistake of a program. Breaches of one law that did the same to the same request are one finding. */
export interface Wrong {
  readonly message: string;
  /** The operation of the request that it got wrong; the one that was disturbed where none is named. */
  readonly request?: string | undefined;
  readonly did: string;
}
