import { spawn } from 'node:child_process';
import { mustStream, readEvents } from './by-fetch.mjs';

/**
 * A client that is a command. It takes the request's body, and prints the answer as HTTP does: a head, a blank line, and the
 * body decoded. What it writes to standard error is why it failed, if its exit status is not 0.
 */
export const byCommand = (commandOf) => async (run, answer, _, limits) => {
  limits.signal.throwIfAborted();
  const [command, ...args] = commandOf(run);
  const child = spawn(command, args, { signal: limits.signal, killSignal: 'SIGKILL' });
  child.stdin.on('error', () => {});
  child.stdin.end(JSON.stringify(run.body));
  let wrong = '';
  child.stderr.on('data', (text) => {
    wrong += text;
  });
  const ended = new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => (code === 0 ? resolve() : reject(new Error(wrong.trim() || `exit status ${code}`))));
  });
  ended.catch(() => {});
  const body = async function* () {
    let head = Buffer.alloc(0);
    let begun = false;
    for await (const bytes of child.stdout) {
      if (begun) {
        yield bytes;
        continue;
      }
      head = Buffer.concat([head, bytes]);
      for (let at = head.indexOf('\r\n\r\n'); at >= 0 && !begun; at = head.indexOf('\r\n\r\n')) {
        const text = head.subarray(0, at).toString('latin1');
        head = head.subarray(at + 4);
        const status = Number(/^HTTP\/[\d.]+ (\d+)/.exec(text)?.[1]);
        if (status < 200) continue;
        begun = true;
        limits.alive();
        mustStream(status, /^content-type:[ \t]*(.*)$/im.exec(text)?.[1]);
      }
      if (begun && head.length > 0) yield head;
    }
    await ended;
    if (!begun) throw new Error('no answer');
  };
  try {
    await readEvents(body(), run, answer, limits);
  } finally {
    child.kill('SIGKILL');
  }
};
