import fc from 'fast-check';
import type { Command } from './command.js';
import { create, get, list, provision, remove, retry, suspend, update, wait } from './lifecycle-commands.js';
import { answer, chat, invoke, sign } from './run-commands.js';

/** What may be done with interns, by the names that histories show. */
export const COMMANDS = {
  create,
  retry,
  get,
  list,
  update,
  provision,
  suspend,
  delete: remove,
  chat,
  answer,
  invoke,
  sign,
  wait,
};
export type CommandName = keyof typeof COMMANDS;

/** Sequences of the named commands; the first one creates, so that the others have something to work on. */
export function commands(names: readonly CommandName[], most: number): fc.Arbitrary<Command[]> {
  return fc
    .tuple(create, fc.array(fc.oneof(...names.map((name) => COMMANDS[name])), { maxLength: most, size: 'max' }))
    .map(([first, rest]) => [first, ...rest]);
}
