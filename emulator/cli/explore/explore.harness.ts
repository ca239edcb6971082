import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { called } from '../called.harness.js';

/** The words of a call that begin a program of Node's. */
export const NODE = ['--', process.execPath];

/** Explores in a folder, where `say` is a program that says hello, and sends its prompt again when it gets no answer. */
export function exploring(folder: string) {
  const say = join(folder, 'say.mjs');
  writeFileSync(
    say,
    `const { INTERN_BASE_URL: base, INTERN_INTERN_ID: id, INTERN_API_KEY: key } = process.env;
const send = () => fetch(base + '/interns/' + id + '/chat/completions', {
  method: 'POST',
  headers: { authorization: 'Bearer ' + key },
  body: JSON.stringify({ stream: true, messages: [{ role: 'user', content: 'hello' }] }),
});
const response = await send().catch(send);
console.log((await response.text()).length > 100);`,
  );
  return {
    say,
    async explore(...args: string[]) {
      const { status, stdout: out, stderr: err } = await called(['explore', ...args], { env: process.env, folder });
      return { status, out, err };
    },
  };
}
