import type pc from 'picocolors';
import { hostDelay } from '../clock/host.js';
import { oneLine } from '../contract/visible.js';
import type { RequestRecord } from '../http/request-log.js';

type Colors = ReturnType<typeof pc.createColors>;

const BY_CLASS: Readonly<Record<string, keyof Colors>> = { 2: 'green', 3: 'cyan', 4: 'yellow', 5: 'red' };

/** Width of the column of callers: the long id of an intern's own key is cut to it. */
const CALLER = 10;
const cut = (text: string, width: number) =>
  text.length > width ? `${text.slice(0, width - 1)}…` : text.padEnd(width);

/** Makes one readable line of a request: columns of a fixed width first, then the path and further details. */
export function createRequestLine(colors: Colors) {
  const paint = (status: number | null, text: string): string => {
    const color = colors[BY_CLASS[String(status)[0] ?? ''] ?? 'magenta'];
    return typeof color === 'function' ? color(text) : text;
  };
  return (record: RequestRecord, internName?: string): string => {
    const { time, method, status, ms, caller, script, stream, how, trace_id } = record;
    const path = oneLine(record.path);
    const wrong = record.wrong === null ? null : oneLine(record.wrong);
    const who = internName ?? record.intern ?? undefined;
    const columns = `${colors.dim(time.slice(11, 23))}  ${colors.bold(method.padEnd(7))}  ${paint(status, String(status ?? '---'))}  ${colors.dim(`${ms} ms`.padStart(9))}  ${cut(caller ?? '-', CALLER)}  ${path}`;
    const named = who === undefined ? '' : `  ${colors.cyan(oneLine(script === null ? who : `${who} (${script})`))}`;
    const turn = stream === undefined ? '' : `  stream ${stream}${how === undefined ? '' : `: ${how}`}`;
    const trace = trace_id === undefined ? '' : `  ${colors.dim(`trace ${trace_id}`)}`;
    return columns + named + turn + trace + (wrong === null ? '' : `  ${paint(status, wrong)}`);
  };
}

/** Time in ms that lines wait, to be written together: one by one, each costs several times as much. */
const TOGETHER = 25;

/** A line, or a function that makes it when it is written. */
type Line = string | (() => string);

export function createLineWriter(write: (text: string) => void) {
  let waiting: Line[] = [];
  const flush = () => {
    const lines = waiting.map((line) => (typeof line === 'string' ? line : line()));
    waiting = [];
    if (lines.length > 0) write([...lines, ''].join('\n'));
  };
  return {
    write(line: Line): void {
      if (waiting.length === 0) void hostDelay(TOGETHER).then(flush);
      waiting.push(line);
    },
    flush,
  };
}
