// Seen: coreweave/cwsandbox-client#118: listings stopped silently at the first page.
import { beside, expect } from './tools.mjs';

export const judge = (folder) =>
  beside({ clock: 'auto' }, async ({ run, variables, control, journal }) => {
    const headers = { authorization: `Bearer ${variables.INTERN_API_KEY}`, 'content-type': 'application/json' };
    for (let n = 0; n < 13; n++) {
      const body = JSON.stringify({
        name: `clerk-${n}`,
        workspace_id: variables.INTERN_WORKSPACE_ID,
        provision: n < 12,
      });
      await fetch(`${variables.INTERN_BASE_URL}/interns`, { method: 'POST', headers, body });
    }
    await control('POST', '/clock', { advance: '5m' });
    const { status, stdout } = await run(folder, ['main.mjs']);
    const names = [...stdout.matchAll(/^clerk-\d+$/gm)].map(([name]) => name).sort();
    expect(status === 0, `it ended with status ${status}`);
    expect(new Set(names).size === names.length, 'an intern is listed twice');
    expect(
      names.length === 12 && /^13 running$/m.test(stdout),
      `${names.length} of 12 running interns are listed, and one of the seed`,
    );
    expect(!names.includes('clerk-12'), 'an intern is listed that does not run');
    const sizes = (await journal('operation=list')).map(({ request }) =>
      new URL(request.url).searchParams.get('limit'),
    );
    expect(
      sizes.every((size) => Number(size) >= 1 && Number(size) <= 10),
      'the pages are not small any more',
    );
  });

// biome-ignore-start lint/suspicious/noTemplateCurlyInString: text of the client
export const solution = {
  'main.mjs': [
    [
      'const response = await fetch(`${base}/interns?status=running&limit=5`, { headers: { authorization: `Bearer ${key}` } });\nif (!response.ok) throw new Error(`the service says ${response.status}`);\nconst { data } = await response.json();\n',
      `const data = [];
for (let after = ''; after !== undefined; ) {
  const page = \`\${base}/interns?status=running&limit=5\${after && \`&starting_after=\${encodeURIComponent(after)}\`}\`;
  const response = await fetch(page, { headers: { authorization: \`Bearer \${key}\` } });
  if (!response.ok) throw new Error(\`the service says \${response.status}\`);
  const answer = await response.json();
  data.push(...answer.data);
  after = answer.next_cursor;
}
`,
    ],
  ],
};
// biome-ignore-end lint/suspicious/noTemplateCurlyInString: text of the client
