/** The emulator half of the package: everything public, nothing else. */
export { parseDuration } from './contract/duration.js';
export type { Ask, AskResult } from './contract/interaction.js';
export type { Profile } from './contract/profile.js';
export type { Seed } from './contract/seed.js';
export type { Settings } from './contract/settings.js';
export type { Target } from './contract/target.js';
export { createEmulator, type Emulator } from './emulator.js';
export { type EmulatorOptions, OptionError } from './options/options.js';
export type {
  Behaviour,
  BehaviourEvent,
  LifecyclePlan,
  Turn,
  TurnContext,
  TurnGenerator,
} from './scripts/behaviour.js';
export { ScriptInvalid } from './scripts/problems.js';
export { UnusableKey } from './signing/keys.js';
export { StoreError } from './store/errors.js';
