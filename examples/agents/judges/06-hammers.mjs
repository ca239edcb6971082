// Seen: earendil-works/pi#9595 (retries under Retry-After), Lexus2016/hermes-agent-evolution#366 (404 and 401 tried again).
import { beside, expect, explored } from './tools.mjs';

export async function judge(folder) {
  await beside({ clock: 'auto' }, async ({ run, variables, control, journal }) => {
    await control('POST', '/faults', { operation: 'chat', status: 503, times: 1 });
    const { status, stdout } = await run(folder, ['main.mjs', 'hello']);
    expect(status === 0 && stdout.includes('hello'), 'it does not get over one 503 any more');
    variables.INTERN_INTERN_ID = variables.INTERN_WORKSPACE_ID;
    const unknown = await run(folder, ['main.mjs', 'hello']);
    const sent = (await journal('status=404')).length;
    expect(unknown.status !== 0 && sent === 1, `a 404 was sent ${sent} times`);
  });
  await explored(folder, ['main.mjs', 'hello'], 'rate-limited,unavailable', ['--require', 'transient']);
}

export const solution = {
  'client.mjs': [
    [
      `    if (response.ok) break;
    await new Promise((resolve) => setTimeout(resolve, 100));
`,
      `    if (response.ok || attempt === TRIES) break;
    const refused = await response.clone().json().catch(() => ({}));
    if (refused.error?.metadata?.retryable !== true) break;
    const seconds = Number(response.headers.get('retry-after') ?? 0.5);
    await new Promise((resolve) => setTimeout(resolve, seconds * 1_000));
`,
    ],
  ],
};
