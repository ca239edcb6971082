// Seen: PwnKit-Labs/pwnkit#317 (a cold start takes longer), IntertechInc/claude-agent-team-feedback#99 (waits for ever after a failure).
import { beside, expect } from './tools.mjs';

export const judge = (folder) =>
  beside({ clock: 'real' }, async ({ run, control, journal }) => {
    const first = await run(folder, ['main.mjs', 'first-try', 'water the plants']);
    expect(first.status === 0, `it ended with status ${first.status}: ${first.stderr.match(/Error: .*/)?.[0] ?? ''}`);
    expect(first.stdout.includes('water the plants'), 'the reply was not printed');
    const creates = (await journal('operation=create')).length;
    expect(creates === 1, `${creates} creates for one intern`);
    const again = await run(folder, ['main.mjs', 'first-try', 'hello']);
    expect(again.status !== 0, 'a name that is taken is no error any more');
    await control('POST', '/faults', { operation: 'create', disturb: 'boot-fails' });
    const failed = await run(folder, ['main.mjs', 'second-try', 'hello']);
    expect(failed.status !== null, 'it waits for ever for an intern that failed to boot');
    expect(failed.status !== 0, 'an intern that failed to boot is no error');
  });

export const solution = {
  'main.mjs': [
    [
      'const { id } = await create.json();\n',
      `const { id, status: born } = await create.json();
for (let status = born; status !== 'running'; ) {
  if (!['queued', 'provisioning'].includes(status)) throw new Error(\`the intern is \${status}\`);
  await new Promise((resolve) => setTimeout(resolve, 200));
  ({ status } = await (await send(\`/interns/\${id}\`)).json());
}
`,
    ],
  ],
};
