import type { Serve } from '../wire/serve.js';

/** Harmless disturbances by name, loaded when the first is met. */
export type LoadDisturbances = () => Promise<Readonly<Record<string, Serve>>>;
