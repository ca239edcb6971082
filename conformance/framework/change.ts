/** The change of a value that a client was to hand out, as data for a sentence. Places count from 0. */
export type Change =
  /** An event or a tool call is missing, or was made up. */
  | { readonly kind: 'lost' | 'extra'; readonly thing: 'call' | 'event'; readonly at: number; readonly many: number }
  /** A tool call was handed out before it was finished. */
  | { readonly kind: 'unfinished' }
  /** Several calls became one. */
  | { readonly kind: 'merged'; readonly at: number }
  /** A part of an event or of a tool call is another. */
  | {
      readonly kind: 'part';
      readonly thing: 'call' | 'event';
      readonly at: number;
      readonly part: string;
      readonly got: unknown;
      readonly expected: unknown;
    }
  /** A text ends early, goes on, or is another from a character on. */
  | { readonly kind: 'text'; readonly how: 'cut' | 'longer' | 'other'; readonly from: number }
  /** Bytes of one character were decoded apart from each other. */
  | { readonly kind: 'undecoded' }
  /** Success where the call should have failed, or the other way round. */
  | { readonly kind: 'outcome'; readonly success: boolean }
  /** Right in one way or another, depending on how the bytes are cut. */
  | { readonly kind: 'varies' }
  /** It took too long, or longer and longer. */
  | { readonly kind: 'slow' }
  /** More or fewer requests than allowed. */
  | { readonly kind: 'requests'; readonly how: 'more' | 'fewer' };
