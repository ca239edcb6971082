import { systemHost } from '../probe/time.js';
import type { Io } from './io.js';
import { conformance } from './main.js';

/** Calls the command line in this process, off a terminal. `more.out` and `more.err` get what is written, too. */
export async function called(args: readonly string[], more: Partial<Io> = {}) {
  const said = { out: '', err: '' };
  const exit = await conformance([...args], {
    colour: false,
    live: false,
    width: 100,
    env: {},
    signal: new AbortController().signal,
    host: systemHost,
    ...more,
    out(text) {
      said.out += text;
      more.out?.(text);
    },
    err(text) {
      said.err += text;
      more.err?.(text);
    },
  });
  return { exit, ...said };
}

/** The words of a command line as it is typed. An interpolated value stays one word. */
export const words = ({ raw }: TemplateStringsArray, ...values: readonly string[]): string[] =>
  String.raw({ raw }, ...values.map((value) => value.replaceAll(' ', '\0')))
    .trim()
    .split(/\s+/)
    .map((word) => word.replaceAll('\0', ' '));
