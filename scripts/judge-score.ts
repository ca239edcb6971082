// Tells how sharp the judge is: the traffic of @openrouter/sdk and of openai at each mutant, held against the rules. Of the mutants
// whose answers differ from those of a right emulator it prints how many are found, and how many break only what an emulator of
// ours promises. Run: npm run judge-score, with -v for those that are not found, and with names for those alone:
// npm run judge-score -- -v boot-never-ends

import { HTTPClient, OpenRouter } from '@openrouter/sdk';
import OpenAI from 'openai';
import { judged } from '../conformance/judge/judged.js';
import { profileBy } from '../conformance/model/target.js';
import { mutants } from '../conformance/mutants/index.js';
import { killersOf } from '../conformance/mutants/killers.js';
import type { Mutant, Mutation } from '../conformance/mutants/mutant.js';
import { mutated } from '../conformance/mutants/mutated.js';
import { systemHost } from '../conformance/probe/time.js';
import { checks } from '../conformance/scenarios/index.js';

/** ms after which a client that waits for ever is ended. */
const LIMIT = 20_000;
const HEADERS = ['content-type', 'cache-control', 'retry-after', 'x-accel-buffering'];
const profile = profileBy('openrouter');

/** The traffic of two clients, twice: what was answered, and the rules that were broken. */
async function traffic(mutation: Mutation | (() => Mutation)) {
  const { emulator, fetch } = mutated(mutation, { clock: 'virtual', seed: 'judge', profile: 'openrouter', log() {} });
  const { target, clock } = emulator;
  const answers: string[] = [];
  const over = new AbortController();
  const plain = async (input: string | URL | Request, init?: RequestInit) => {
    const answer = await fetch(new Request(input, { ...init, signal: over.signal }));
    // A server says what time it is by its own clock.
    const headers = new Headers(answer.headers);
    headers.set('date', new Date(clock.now()).toUTCString());
    const at = answers.push('') - 1;
    const copy = answer.clone().text();
    const head = HEADERS.map((name) => headers.get(name)).join(' ');
    void copy.then((text) => (answers[at] = `${answer.status} ${head} ${text}`)).catch(() => {});
    return new Response(answer.body, { status: answer.status, headers });
  };
  const seen = judged(plain, { profile, whole: true });
  const sdk = new OpenRouter({
    serverURL: target.base_url,
    apiKey: target.credentials.api_key,
    retryConfig: { strategy: 'none' },
    httpClient: new HTTPClient({ fetcher: (input, init) => seen(input as Request, init) }),
  });
  const tried = async (work: () => Promise<unknown>): Promise<unknown> => work().catch(() => undefined);
  const life = async (name: string) => {
    const createInternRequest = { name, workspaceId: target.workspace_id, provision: true, instructions: 'Be brief' };
    const made = (await tried(() => sdk.interns.createIntern({ createInternRequest }))) as { id: string } | undefined;
    const internId = made?.id ?? '';
    await clock.advance(20_000);
    await tried(() => sdk.interns.listInterns({ limit: 1 }));
    await tried(() => sdk.interns.listInterns({}));
    await tried(() => sdk.interns.getIntern({ internId }));
    await tried(() => sdk.interns.updateIntern({ internId, updateInternRequest: { description: 'changed' } }));
    await tried(() => sdk.interns.getIntern({ internId }));
    const openai = new OpenAI({
      apiKey: target.credentials.api_key,
      baseURL: `${target.base_url}/interns/${internId}`,
      maxRetries: 0,
      fetch: (input, init) => seen(input as Request, init as RequestInit),
    });
    type Chat = Parameters<typeof openai.chat.completions.create>[0];
    const chat = async (body: object) => {
      let [session, call] = ['', ''];
      const stream = await openai.chat.completions.create({ model: 'any', stream: true, ...body } as unknown as Chat);
      for await (const chunk of stream as AsyncIterable<Record<string, never>>) {
        session = (chunk as { session_id?: string }).session_id ?? session;
        const { choices } = chunk as unknown as { choices?: { delta: { tool_calls?: { id: string }[] } }[] };
        call = choices?.[0]?.delta.tool_calls?.[0]?.id ?? call;
      }
      return { session_id: session, call };
    };
    await tried(() => chat({ messages: [{ role: 'user', content: 'Hello' }] }));
    await tried(async () => {
      const messages = [{ role: 'user', content: 'script: ask-permission' }];
      const { session_id, call } = await chat({ approval_mode: 'manual', messages });
      await chat({ session_id, messages: [{ role: 'tool', tool_call_id: call, content: 'allow_once' }] });
    });
    await tried(() => chat({ messages: [] }));
    await tried(() => sdk.interns.suspendIntern({ internId }));
    await tried(() => sdk.interns.getIntern({ internId }));
    await tried(() => sdk.interns.provisionIntern({ internId }));
    await clock.advance(20_000);
    await tried(() => sdk.interns.getIntern({ internId }));
    await tried(() => sdk.interns.deleteIntern({ internId, deleteInternRequest: {} }));
    await clock.advance(20_000);
    await tried(() => sdk.interns.getIntern({ internId }));
  };
  const late = systemHost.later(LIMIT, () => over.abort());
  const hung = new Promise<void>((resolve) => over.signal.addEventListener('abort', () => resolve()));
  await Promise.race([life('one').then(() => life('two')), hung]);
  late();
  over.abort();
  for (let turn = 0; turn < 5; turn++) await systemHost.turn();
  const { checks } = seen.judge.report();
  await Promise.race([emulator.close(), systemHost.sleep(3_000)]);
  return { answers: answers.join('\n'), broken: checks.filter(({ finding }) => finding !== undefined) };
}

const right = await traffic({});
if (right.broken.length > 0)
  throw new Error(`the right emulator is blamed: ${right.broken.map(({ id }) => id).join(', ')}`);
if (right.answers !== (await traffic({})).answers) throw new Error('the right emulator answers differently each time');
const levels = new Map(checks.map(({ id, level }) => [id, level]));
/** Whether a mutant breaks only choices of this emulator (level C), which no other deployment makes. */
const isOurs = (mutant: Mutant): boolean => killersOf(mutant).every((id) => levels.get(id) === 'C');

const names = new Set(process.argv.slice(2).filter((word) => !word.startsWith('-')));
const chosen = mutants.filter(({ name }) => names.size === 0 || names.has(name));
let [shown, ours, found, confirmed] = [0, 0, 0, 0];
for (const mutant of chosen) {
  const { name, mutation } = mutant;
  const { answers, broken } = await traffic(mutation);
  if (answers === right.answers) continue;
  shown++;
  if (broken.length === 0 && isOurs(mutant)) {
    ours++;
    continue;
  }
  if (broken.length > 0) found++;
  if (broken.some(({ once }) => once !== true)) confirmed++;
  if (process.argv.includes('-v') && broken.length === 0) console.log(`not found: ${name}`);
}
console.log(
  `${shown} of ${chosen.length} mutations show in the traffic of the clients; ${ours} of them break only what an emulator of ours promises; of the other ${shown - ours}, ${found} are found, ${confirmed} of them confirmed`,
);
process.exit(0);
