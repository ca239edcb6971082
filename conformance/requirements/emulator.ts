import type { Rows } from './requirement.js';

/** The emulator's own surface (contract, section 2). Chosen, and never held against a live target. */
export const EMULATOR = {
  'EMU-1': {
    level: 'C',
    sentence: "GET /_emulator/health and /_emulator/target answer as described, and the target's credentials work.",
    where: 'Contract 2, Control interface',
  },
  'EMU-2': {
    level: 'C',
    sentence:
      'One clock drives everything; advance fires due timers in due order and answers once what they caused has settled.',
    where: 'Contract 2, Control interface',
  },
  'EMU-3': {
    level: 'C',
    sentence:
      'Scripts can be put, read, deleted and set on an intern at run time; a prompt names one in its first line, an unknown name is 400.',
    where: 'Contract 2, Scripts',
  },
  'EMU-4': {
    level: 'C',
    sentence: 'Runs, interns and reveals are shown with their fields, newest first.',
    where: 'Contract 2, Control interface',
  },
  'EMU-5': {
    level: 'C',
    sentence: 'The limit can be read and put; changing it clears what was counted; 0 is off.',
    where: 'Contract 2, Control interface',
  },
  'EMU-6': {
    level: 'C',
    sentence:
      "A fault makes the next calls of an operation answer its status in the operation's error form, later, or drop the connection; a refused call uses none up.",
    where: 'Contract 2, Control interface',
  },
  'EMU-7': {
    level: 'C',
    sentence:
      'reset goes back to the seed and leaves the clock alone; state is exported without credentials and imported.',
    where: 'Contract 2, Control interface',
  },
  'EMU-8': {
    level: 'C',
    sentence:
      'The daemon verifies token, presence, form, time, signature, nonce in that order and answers what it verified or the reason of its refusal.',
    where: 'Contract 2, Fake daemon',
  },
  'EMU-9': { level: 'C', sentence: 'The shipped scripts do what is said of them.', where: 'Contract 2, Scripts' },
  'EMU-10': {
    level: 'C',
    sentence: 'The control interface takes a loopback Host only and refuses a cross-site Origin.',
    where: 'Contract 2, Control interface',
  },
  'EMU-11': {
    level: 'C',
    sentence: 'The journal holds requests and responses, redacted.',
    where: 'Contract 2, Control interface',
  },
} as const satisfies Rows;
