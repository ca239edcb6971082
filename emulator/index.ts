/** The emulator half of the package: everything public, nothing else. */
export { type ClockControl, type ClockKind, type ClockMode, createClock, VIRTUAL_EPOCH } from './clock/clock.js';
export { createRandom, type Random } from './clock/random.js';
export { parseDuration } from './contract/duration.js';
export { ERRORS, type ErrorEnvelope, type ErrorKey } from './contract/errors.js';
export type { Ask, AskResult } from './contract/interaction.js';
export type { Intern, InternListResponse, Status } from './contract/intern.js';
export type { Match } from './contract/match.js';
export { PROFILES, type Profile, proofHeaders } from './contract/profile.js';
export type { RunView } from './contract/run.js';
export type { Seed } from './contract/seed.js';
export type { Settings } from './contract/settings.js';
export { VERSION } from './contract/version.js';
export type { Target } from './control/target.js';
export { createEmulator, type Emulator } from './emulator.js';
export type { RequestRecord } from './http/request-log.js';
export { type EmulatorOptions, OptionError } from './options/options.js';
export type {
  Behaviour,
  BehaviourEvent,
  LifecyclePlan,
  ScriptSource,
  Turn,
  TurnContext,
  TurnGenerator,
} from './scripts/behaviour.js';
export { scriptFilesOf, validateScriptFile } from './scripts/files.js';
export { ScriptInvalid } from './scripts/problems.js';
export type { ListenAt } from './serving/listening.js';
export { UnusableKey } from './signing/keys.js';
export { StoreError } from './store/errors.js';
