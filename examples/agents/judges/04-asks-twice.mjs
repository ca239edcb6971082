// Seen: dyad-sh/dyad#2851, PrimeIntellect-ai/prime-agent#1700: a prompt that may have arrived was sent again.
import { beside, expect, explored } from './tools.mjs';

const ORDER = ['main.mjs', 'order ten boxes'];

export async function judge(folder) {
  await beside({ clock: 'real' }, async ({ run, control, journal }) => {
    await control('POST', '/faults', { operation: 'chat', disturb: 'rate-limited' });
    const { status, stdout } = await run(folder, ORDER);
    expect(status === 0 && stdout.includes('order ten boxes'), 'it does not get over one 429 any more');
    const [first, second] = (await journal()).map(({ at }) => Date.parse(at));
    expect(second - first >= 1_000, 'it comes back earlier than Retry-After says');
  });
  await explored(folder, ORDER, 'cut,lost');
}

export const solution = {
  'main.mjs': [['error.retryable === false)', 'error.retryable !== true)']],
};
