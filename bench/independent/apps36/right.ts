import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { EventSourceParserStream } from 'eventsource-parser/stream';
import OpenAI from 'openai';
import {
  answerTo,
  type Chunk,
  type Context,
  clientOf,
  DEPLOY,
  type Intern,
  LIMIT,
  newIntern,
  ORDER,
  type Question,
  Refused,
  type RightApp,
  replyOf,
} from './parts.js';

/** Deletes an intern for sure: tries again, takes 404 for done, and waits until it is gone. */
async function deleted(context: Context, id: string) {
  const { call, json, sleep, patiently } = clientOf(context);
  const goneIs404 = (error: unknown) => {
    if (error instanceof Refused && error.status === 404) return undefined;
    throw error;
  };
  const look = () => json<Intern>('GET', `/interns/${id}`).catch(goneIs404);
  await patiently(() =>
    call('DELETE', `/interns/${id}`).catch(async (error) => {
      if (error instanceof Refused && error.status === 409 && (await look())?.status === 'destroying') return;
      goneIs404(error);
    }),
  );
  for (let waited = 0; waited < 300_000; waited += 2000) {
    const intern = await patiently(look);
    if (!intern) return;
    if (intern.status === 'destroy_failed') throw new Error(`it cannot be deleted: ${intern.last_failure_message}`);
    await sleep(2000);
  }
  throw new Error('its teardown does not end');
}

/** Sends a prompt, again only where it was refused for the moment: nothing has taken it then. */
async function prompted(context: Context, body: object) {
  const { chat, sleep } = clientOf(context);
  for (let tried = 1; ; tried++) {
    try {
      return await replyOf(await chat(body));
    } catch (error) {
      const forNow = error instanceof Refused && error.retryable && [409, 429, 503].includes(error.status);
      if (!forNow || tried === 4) throw error;
      await sleep(error.retryAfter ?? 5000 * tried);
    }
  }
}

/** What a person would answer: by what is asked, not by when. */
function answerOf(asked: Question): string {
  const question = JSON.parse(asked.function.arguments) as {
    kind: string;
    operation?: string;
    options?: string[];
    fields?: { name: string; required?: boolean }[];
  };
  if (question.kind === 'permission')
    return question.operation === 'shell' && question.options?.includes('allow_once') ? 'allow_once' : 'cancel';
  const known: Record<string, unknown> = { size: 'M', count: 3 };
  const fields = question.fields ?? [];
  if (!fields.every(({ name }) => name in known)) return JSON.stringify({ action: 'decline' });
  return JSON.stringify({
    action: 'accept',
    content: Object.fromEntries(fields.map(({ name }) => [name, known[name]])),
  });
}

class Desk {
  readonly #context: Context;
  constructor(context: Context) {
    this.#context = context;
  }

  /** One session for each person. */
  ask(person: string, content: string) {
    return prompted(this.#context, { session_id: `desk-${person}`, messages: [{ role: 'user', content }] });
  }
}

export const right: readonly RightApp[] = [
  {
    name: 'task-in-a-temporary-intern',
    async program(context) {
      const { json, running, patiently } = clientOf(context);
      const body = newIntern(context.target, 'temp', { provision: true });
      const { id } = await patiently(() => json<Intern>('POST', '/interns', body, { 'idempotency-key': 'temp-1' }));
      try {
        await patiently(() => running(id));
        const { text } = await prompted(context, { messages: [{ role: 'user', content: 'Hello' }] });
        context.print(text);
      } finally {
        await deleted(context, id);
      }
    },
  },
  {
    name: 'openai-with-care',
    async program({ target, fetch, print }) {
      const client = new OpenAI({
        baseURL: `${target.base_url}/interns/${target.credentials.intern?.id}`,
        apiKey: target.credentials.api_key ?? '',
        fetch,
        maxRetries: 0,
      });
      const stream = await client.chat.completions.create(
        { model: 'any', stream: true, messages: [{ role: 'user', content: 'What is an intern?' }] },
        { signal: AbortSignal.timeout(LIMIT) },
      );
      let text = '';
      let finish: string | null | undefined;
      let whole = false;
      for await (const chunk of stream) {
        text += chunk.choices?.[0]?.delta.content ?? '';
        finish = chunk.choices?.[0]?.finish_reason ?? finish;
        whole ||= 'session_id' in chunk;
      }
      if (finish !== 'stop' || !whole) throw new Error(`not a whole reply: ${finish}`);
      print(text);
    },
  },
  {
    name: 'shows-words-as-they-come',
    async program({ target, fetch, print }) {
      const response = await fetch(`${target.base_url}/interns/${target.credentials.intern?.id}/chat/completions`, {
        method: 'POST',
        headers: { authorization: `Bearer ${target.credentials.api_key}` },
        body: JSON.stringify({ stream: true, messages: [{ role: 'user', content: 'script: slow\nTell me a story' }] }),
        signal: AbortSignal.timeout(LIMIT),
      });
      if (response.status !== 200 || !response.body) throw new Error(`no story: ${response.status}`);
      let [finish, done] = ['', false];
      try {
        const events = response.body.pipeThrough(new TextDecoderStream()).pipeThrough(new EventSourceParserStream());
        for await (const { data, event } of events) {
          if (event) continue;
          if (data === '[DONE]') {
            done = true;
            break;
          }
          const [choice] = (JSON.parse(data) as Chunk).choices;
          if (choice?.delta?.content) print(choice.delta.content);
          finish = choice?.finish_reason ?? finish;
        }
      } finally {
        if (!done || finish !== 'stop') print(' … (The story breaks off here.)');
      }
      if (!done || finish !== 'stop') throw new Error('the story broke off');
    },
  },
  {
    name: 'answers-what-is-asked',
    emulator: { scripts: [ORDER] },
    async program(context) {
      let reply = await prompted(context, {
        approval_mode: 'manual',
        messages: [{ role: 'user', content: 'script: order' }],
      });
      for (let answers = 0; reply.asked; answers++) {
        if (answers === 10) throw new Error('it asks without end');
        const { asked, session } = reply;
        reply = await prompted(context, { session_id: session, messages: answerTo(asked, answerOf(asked)) });
      }
      context.print(reply.text);
    },
  },
  {
    name: 'tells-of-a-late-answer',
    emulator: { scripts: [DEPLOY] },
    async program(context) {
      const { chat, sleep } = clientOf(context);
      const first = await replyOf(
        await chat({ approval_mode: 'manual', messages: [{ role: 'user', content: 'script: deploy' }] }),
      );
      if (!first.asked) throw new Error('it did not ask');
      await sleep(200_000);
      const messages = answerTo(first.asked, answerOf(first.asked));
      const { text, asked } = await replyOf(await chat({ session_id: first.session, messages })).catch((error) => {
        if (error instanceof Refused && error.status === 409) throw new Error('Too late: nothing was deployed.');
        throw error;
      });
      if (asked) throw new Error('it asks again');
      context.print(text);
    },
  },
  {
    name: 'cleans-up-all-pages',
    async program(context) {
      const { json, patiently } = clientOf(context);
      const mine: string[] = [];
      for (const name of ['tmp-one', 'tmp-two', 'tmp-three']) {
        const body = newIntern(context.target, name);
        const { id } = await patiently(() => json<Intern>('POST', '/interns', body, { 'idempotency-key': name }));
        mine.push(id);
      }
      const names = new Map<string, string>();
      let after: string | undefined;
      for (let pages = 0; pages < 100; pages++) {
        const query = after === undefined ? '' : `?starting_after=${encodeURIComponent(after)}`;
        const page = await patiently(() =>
          json<{ data: Intern[]; has_more: boolean; next_cursor?: string }>('GET', `/interns${query}`),
        );
        for (const { id, name } of page.data) names.set(id, name);
        after = page.has_more ? page.next_cursor : undefined;
        if (after === undefined) break;
      }
      for (const id of mine) await deleted(context, id);
      const others = [...names.keys()].filter((id) => !mine.includes(id));
      context.print(`My three are deleted; ${others.length > 0 ? 'others are left' : 'nothing is left'}.`);
    },
  },
  {
    name: 'batch-that-respects-the-limit',
    async program(context) {
      const summaries: string[] = [];
      for (const document of ['first', 'second', 'third']) {
        const { text, asked } = await prompted(context, {
          messages: [{ role: 'user', content: `Sum up the ${document}` }],
        });
        if (asked) throw new Error('a summary needs an answer');
        summaries.push(text);
      }
      assert.equal(summaries.length, 3);
      context.print(summaries.join('\n'));
    },
  },
  {
    name: 'starts-once',
    async program(context) {
      const { json, id } = clientOf(context);
      try {
        const { session_id } = await json<{ session_id: string }>('POST', `/interns/${id}/invoke`, {
          input: 'Send the mail',
        });
        assert.ok(session_id);
        context.print('The mail is on its way.');
      } catch (error) {
        if (error instanceof Refused && error.status < 500) throw error;
        throw new Error('Look whether the mail was sent, before you try again.');
      }
    },
  },
  {
    name: 'wakes-and-suspends',
    async program(context) {
      const { json, call, running, patiently } = clientOf(context);
      const body = newIntern(context.target, 'sleeper');
      const { id } = await patiently(() => json<Intern>('POST', '/interns', body, { 'idempotency-key': 'sleeper' }));
      const statusOf = async () => (await patiently(() => json<Intern>('GET', `/interns/${id}`))).status;
      await patiently(() =>
        call('POST', `/interns/${id}/provision`).catch(async (error) => {
          if (!(error instanceof Refused && error.status === 409)) throw error;
          if ((await statusOf()) === 'stopped') throw error;
        }),
      );
      await patiently(() => running(id));
      await patiently(() =>
        call('POST', `/interns/${id}/suspend`).catch(async (error) => {
          if (!(error instanceof Refused && error.status === 409 && (await statusOf()) === 'stopped')) throw error;
        }),
      );
      context.print('It ran, and sleeps again.');
    },
  },
  {
    name: 'a-proof-for-each-try',
    async program(context) {
      const { target, fetch, print } = context;
      const { json, sleep, patiently } = clientOf(context);
      const oauth = { authorization: `Bearer ${target.credentials.oauth_token}` };
      const intern = target.credentials.intern?.id;
      const daemon = await patiently(() =>
        json<{ origin: string; token: string }>('GET', `/interns/${intern}/daemon`, undefined, oauth),
      );
      const bodySha256 = createHash('sha256').update('').digest('hex');
      for (let tried = 1; tried <= 3; tried++) {
        const proof = await patiently(() =>
          json<Record<string, string>>(
            'POST',
            `/interns/${intern}/daemon/sign`,
            { bodySha256, route: { method: 'POST', path: '/api/status' } },
            oauth,
          ),
        );
        const response = await fetch(`${daemon.origin}/api/status`, {
          method: 'POST',
          headers: { ...proof, authorization: `Bearer ${daemon.token}` },
          signal: AbortSignal.timeout(LIMIT),
        }).catch(() => undefined);
        if (response?.ok) {
          print('The daemon is up.');
          return;
        }
        await sleep(1000 * tried);
      }
      throw new Error('the daemon does not answer');
    },
  },
  {
    name: 'changes-one-field',
    async program(context) {
      const { json, id, patiently } = clientOf(context);
      const { description } = await patiently(() =>
        json<Intern>('PATCH', `/interns/${id}`, { description: 'Helps with mail' }),
      );
      assert.equal(description, 'Helps with mail');
      context.print('described');
    },
  },
  {
    name: 'a-widget-that-falls-back',
    async program(context) {
      const { text, asked } = await prompted(context, {
        messages: [{ role: 'user', content: 'A joke, please' }],
      }).catch(() => ({ text: 'The assistant is not there. Please try again later.', asked: undefined }));
      context.print(asked ? 'The assistant needs more from you than this widget can give.' : text);
    },
  },
  {
    name: 'a-desk-for-two',
    async program(context) {
      const desk = new Desk(context);
      const ann = await desk.ask('ann', 'I am Ann');
      const bob = await desk.ask('bob', 'I am Bob');
      if (ann.asked || bob.asked) throw new Error('a question that nobody expects');
      context.print(`Ann: ${ann.text}\nBob: ${bob.text}`);
    },
  },
];
