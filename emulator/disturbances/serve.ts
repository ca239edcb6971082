/** Answers a request. */
export type Fetch = (request: Request) => Promise<Response>;

/** What a disturbed service works with; habits of the conformance kit take the same. */
export interface DisturbanceSetting {
  /** The emulator's clock. */
  readonly host: {
    now(): number;
    sleep(ms: number): Promise<void>;
    later(ms: number, then: () => void): unknown;
  };
  /** Waits in real time, for bytes that must not leave together. */
  pause(ms: number): Promise<void>;
  /** From 0 to below 1. */
  random(): number;
  readonly keys: { readonly peer: string; readonly outsider: string; readonly api: readonly string[] };
  puts(id: string, script: string): Promise<void>;
}

/** A service with a disturbance, made of one without. */
export type DisturbanceServe = (next: Fetch, setting: DisturbanceSetting) => Fetch;

/** Harmless disturbances by name, loaded when the first is met. */
export type LoadDisturbances = () => Promise<Readonly<Record<string, DisturbanceServe>>>;
