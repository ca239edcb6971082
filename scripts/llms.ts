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
      return `- [${text}](docs/${name}.md): ${purposeOf(name)}`;
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
      : ['## Optional', '', ...rest.map(({ name, title }) => `- [${title}](docs/${name}.md): ${purposeOf(name)}`), '']),
  ].join('\n');
}

/** The use of a page for its reader. */
const PURPOSES: Readonly<Record<string, string>> = {
  'first-hour': 'Go from nothing to an app that is tested, explored and checked in CI.',
  kit: 'Look up what the kit sends to a deployment, what it forgives and what it finds.',
  concepts: 'What interns, runs, sessions, questions and proofs are, with diagrams.',
  'chat-api': 'Send a prompt, read the stream, answer a question, and what each bad end means.',
  'lifecycle-api': 'Create, list, change, boot, suspend and delete interns; vaults; SCIM; every refusal.',
  proofs: 'Log in, ask for a proof, send it to an intern, and find out why one is refused.',
  recipes: 'Code that works with the SDKs, frameworks, test runners and proxies in common use.',
  running: 'Start it, choose clock and log, reach it from browsers and containers, keep its state.',
  console: 'See interns, requests, faults and scripts in a browser, and steer them there.',
  scripts: 'Make an intern say, ask, wait or fail as a test needs, in JSON or in code.',
  seeds: 'Start from a world of your own: people, keys, workspaces, interns, secrets.',
  control: 'Every call under /_emulator: clock, faults, journal, snapshots, spaces.',
  'parallel-tests': 'Give each test an emulator of its own in one process, in any language.',
  judge: 'Judge recordings, HAR files and the traffic of a test suite; nothing is sent.',
  recordings: 'Record a deployment, replay it in tests, and see where it has drifted.',
  explore: 'Run your own test once for each thing that can go wrong, and read what broke.',
  'explore-apps': 'Look up which mistakes explore finds, and by which disturbance.',
  ci: 'Check a deployment with the kit: command, credentials, exit statuses, reports, baseline.',
  'sdk-authors': "Hold a client to the interface from its own test suite, by the kit's API.",
  requirements: 'Look up a requirement by its id.',
  lab: 'Run a client through cases of streams, refusals and signing, by an adapter.',
  'client-rules': 'Look up the rule that a case of the lab rests on.',
  clients: 'See what known clients get wrong in the lab, by version.',
  troubleshooting: 'Find what is wrong by the status or message that you see.',
  features: "Look up the emulator's own features by their ids.",
  agents: 'Connect a coding agent over the Model Context Protocol: tools, resources, limits.',
  comparison: 'Choose between this and other mock servers and contract tools.',
  benchmarks: 'Look up how fast it is, and by which script that was measured.',
  'adding-a-rule': 'Write a rule of the kit, a row of requests, a mutant.',
  mutants: 'Look up the ways to be wrong that the checks are tested with, and how many they find.',
};

function purposeOf(name: string): string {
  const purpose = PURPOSES[name];
  if (purpose === undefined) throw new Error(`scripts/llms.ts does not say what docs/${name}.md is for`);
  return purpose;
}
