// A process that reads recordings, as replay and drift do, and sends the recorded requests to the replay. Each message
// is the path of a file; the answer is the outcome.
import { FileInvalid } from '../../emulator/contract/file.js';
import { createEmulator, OptionError } from '../../emulator/index.js';
import { readRecording } from '../../emulator/recording/read.js';
import { answerEach } from './ask-child.js';
import type { Read, ReplayedAnswer } from './recordings.js';

const replaced = (text: string) => text.replaceAll(/\$\{?[a-z_]+(?:\.\d+)?\}?/g, 'one').replaceAll('$$', '$');

/** The request of a client for a recorded answer. */
function asked(file: string): { path: string; init: RequestInit }[] {
  return readRecording(file, () => {}).map(({ exchange: { request } }) => {
    const { method, path, headers, body } = request;
    const sent =
      body === undefined || method === 'GET' || method === 'HEAD' ? {} : { body: replaced(JSON.stringify(body)) };
    const kept = Object.entries(headers).map(([name, value]): [string, string] => [name, replaced(value)]);
    return { path: replaced(path), init: { method, headers: kept, ...sent } };
  });
}

async function replay(
  file: string,
  said: Record<string, unknown>[],
): Promise<{ refused?: string; answers: ReplayedAnswer[] }> {
  let emulator: ReturnType<typeof createEmulator>;
  try {
    emulator = createEmulator({
      clock: 'virtual',
      seed: 'fuzz',
      replay: { files: [file], pace: 0 },
      log: (entry) => said.push(entry),
    });
  } catch (error) {
    if (error instanceof OptionError) return { refused: error.message, answers: [] };
    throw error;
  }
  const answers: ReplayedAnswer[] = [];
  try {
    for (const { path, init } of asked(file)) {
      let request: Request;
      try {
        request = new Request(new URL(path, emulator.target.base_url), init);
      } catch {
        // No client can send that.
        continue;
      }
      const left = AbortSignal.timeout(300);
      const answer = await emulator.fetch(request, { signal: left }).catch(() => undefined);
      if (answer === undefined) continue;
      const inert = answer.headers.get('x-content-type-options') === 'nosniff';
      answers.push({ status: answer.status, inert, headers: [...answer.headers.keys()] });
      await answer.text().catch(() => {});
    }
  } finally {
    await emulator.close();
  }
  return { answers };
}

function drift(file: string): { refused?: string } {
  try {
    readRecording(file, () => {});
    return {};
  } catch (error) {
    if (error instanceof FileInvalid) return { refused: error.message };
    throw error;
  }
}

answerEach(async (file): Promise<Read> => {
  const said: Record<string, unknown>[] = [];
  const { refused: byDrift } = drift(file);
  const { refused: byReplay, answers } = await replay(file, said);
  const failed = said.filter(({ event }) => event === 'internal_error').map(({ error }) => String(error));
  return { byDrift, byReplay, answers, failed };
});
