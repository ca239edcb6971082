/** Answers a request. */
export type Fetch = (request: Request) => Promise<Response>;

/** The parts that a service needs for a habit, or to be disturbed. */
export interface Setting {
  /** The clock of the service, in ms. */
  readonly host: {
    now(): number;
    sleep(ms: number): Promise<void>;
    later(ms: number, then: () => void): unknown;
  };
  /** Waits in real time, where the service's may be another. */
  pause?(ms: number): Promise<void>;
  /** From 0 to below 1. */
  random(): number;
  /** API key of another member of the workspace, one of somebody outside the programme, and each API key or own key beside it. */
  readonly keys: { readonly peer: string; readonly outsider: string; readonly api: readonly string[] };
  /** Puts a script on an intern, as its boot and its teardown are decided. */
  puts(id: string, script: string): Promise<void>;
}

/** A service that differs in one way, made of one that does not. */
export type Serve = (next: Fetch, setting: Setting) => Fetch;
