import { readFileSync } from 'node:fs';
import { pages } from '../emulator/agents/pages.js';

/** `llms.txt`: what docs/index.md leads to, for agents. A page that the index does not name is listed at the end. */
export function llmsText(): string {
  const index = readFileSync('docs/index.md', 'utf8');
  const rows = [...index.matchAll(/^\| ([^|]+) \| (.+) \|$/gm)].filter(([, to]) => to !== 'to' && !to?.startsWith('-'));
  const named = new Set<string>();
  const sections = rows.flatMap(([, to = '', read = '']) => {
    const links = [...read.matchAll(/\[([^\]]+)\]\(([a-z-]+)\.md\)/g)].map(([, text, name = '']) => {
      named.add(name);
      return `- [${text}](docs/${name}.md): ${titleOf(name)}`;
    });
    return links.length === 0 ? [] : [`## To ${to}`, '', ...links, ''];
  });
  const rest = pages().filter(({ name }) => name !== 'index' && !named.has(name));
  return [
    '# intern-emulator',
    '',
    '> A local emulator of the interns interface, a conformance kit for servers, and a lab for clients. Everything runs on this machine.',
    '',
    '- Start it: `npx intern-emulator`, or `npx intern-emulator exec -- npm test`. `GET /_emulator/target` has addresses and credentials.',
    '- When a request is refused: `GET /_emulator/journal/{x-request-id}/explain` says what was wrong to the field, and what to send instead.',
    '- For agents: `npx intern-emulator mcp`, or `POST /_emulator/mcp` (Model Context Protocol). [The skill](skills/intern-emulator/SKILL.md) has the five things that agents get wrong.',
    '- [The interface as OpenAPI 3.1](schemas/openapi.json), also at `GET /_emulator/openapi.json`; the control interface at `GET /_emulator/control-openapi.json`; pages are at `GET /_emulator/docs/{page}.md`.',
    '',
    ...sections,
    ...(rest.length === 0
      ? []
      : ['## Optional', '', ...rest.map(({ name, title }) => `- [${title}](docs/${name}.md)`), '']),
  ].join('\n');
}

const titleOf = (name: string): string => pages().find((page) => page.name === name)?.title ?? name;
