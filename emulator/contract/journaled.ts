/** The part of an entry of the journal that recordings and judges take. */
export interface Journaled {
  readonly at: string;
  readonly operation: string | null;
  readonly caller: string | null;
  readonly ms: number | null;
  readonly wrong: string | null;
  readonly request: { readonly method: string; readonly url: string } & Sides;
  readonly response: { readonly status: number | null } & Sides;
  readonly writes?: readonly { readonly at: string; readonly text: string }[];
  readonly closed?: { readonly at: string; readonly how: 'complete' | 'client_left' | 'dropped' };
  readonly truncated?: true;
  readonly injected?: unknown;
}

interface Sides {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
}
