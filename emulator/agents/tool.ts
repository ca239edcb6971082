import type * as Z from 'zod';
import { visible } from '../contract/visible.js';
import type { Door } from './door.js';

/** The answer of a tool: data, and the same in words. */
export interface Answered {
  readonly data: Record<string, unknown>;
  readonly text: string;
}

export interface ToolContext {
  readonly door: Door;
  /** Aborted when the caller cancels, or leaves. */
  readonly signal: AbortSignal;
  progress(done: number, of: number | undefined, message: string): void;
}

export interface Tool<Input extends Z.ZodType = Z.ZodType> {
  readonly name: string;
  /** When to use it, in at most 400 characters. */
  readonly description: string;
  readonly input: () => Input;
  readonly output: () => Z.ZodType;
  readonly readOnly: boolean;
  /** Whether it may take something away that was there. */
  readonly destructive?: true;
  run(input: Z.output<Input>, context: ToolContext): Promise<Answered>;
}

/** Keeps the type of a tool's input between its schema and its work, and forgets it for the list. */
export const tool = <Input extends Z.ZodType>(input: () => Input, row: Omit<Tool<Input>, 'input'>): Tool =>
  ({ input, ...row }) as unknown as Tool;

/** Bytes of all text of an answer. */
const MOST = 2_048;
const CUT = '\n… (cut; structuredContent has the rest)';

/** A text that a host may print to a terminal, of at most 2,048 bytes; a longer one says where the rest is. */
export function bounded(given: string): string {
  const text = visible(given);
  const bytes = Buffer.from(text);
  if (bytes.length <= MOST) return text;
  const kept = new TextDecoder().decode(bytes.subarray(0, MOST - Buffer.byteLength(CUT) - 3));
  return `${kept.replace(/\uFFFD+$/, '')}${CUT}`;
}
