import assert from 'node:assert/strict';
import { type App, clientOf, type Intern, LIMIT, newIntern, Refused, replyOf } from './parts.js';

export const refusals: readonly App[] = [
  {
    name: 'again-at-once',
    defect: 'A prompt that is refused with 429 or 503 is sent again at once, up to a hundred times.',
    hurts: 'It hammers the service, stays over the limit, and may be locked out.',
    shows: /^polite/,
    allowed: '429: Too many intern turns. Chat turn limiter exceeded.',
    async program(context) {
      const { chat, prompt } = clientOf(context);
      for (let tried = 0; tried < 100; tried++) {
        try {
          context.print((await replyOf(await chat(prompt('Good morning')))).text);
          return;
        } catch (error) {
          if (!(error instanceof Refused && error.retryable)) throw error;
        }
      }
      throw new Error('the service is too busy');
    },
  },
  {
    name: 'retry-after-in-milliseconds',
    defect: 'Retry-After is taken for milliseconds.',
    hurts: 'All tries are spent within a second, and the prompt fails; the service is hammered.',
    shows: /^polite/,
    allowed: '429: Too many intern turns. Numeric rate limits of the chat turn limiter: not shown.',
    async program({ target, fetch, print, emulator }) {
      const send = () =>
        fetch(`${target.base_url}/interns/${target.credentials.intern?.id}/chat/completions`, {
          method: 'POST',
          headers: { authorization: `Bearer ${target.credentials.api_key}` },
          body: JSON.stringify({ stream: true, messages: [{ role: 'user', content: 'Sum up the day' }] }),
          signal: AbortSignal.timeout(LIMIT),
        });
      let response = await send();
      for (let tried = 1; tried < 10 && (response.status === 429 || response.status === 503); tried++) {
        await emulator.clock.advance(Number(response.headers.get('retry-after') ?? 500));
        response = await send();
      }
      print((await replyOf(response)).text);
    },
  },
  {
    name: 'drops-the-refused-prompt',
    defect: 'In a batch, a prompt that is refused is left out without a word.',
    hurts: 'A summary of three documents lacks one, and says nothing of it.',
    shows: /^unnoticed/,
    allowed: '429: Too many intern turns.',
    async program(context) {
      const { chat, prompt } = clientOf(context);
      const summaries: string[] = [];
      for (const document of ['first', 'second', 'third']) {
        const response = await chat(prompt(`Sum up the ${document}`)).catch(() => undefined);
        if (response) summaries.push((await replyOf(response)).text);
      }
      context.print(`Summary of all documents: ${summaries.join('; ')}`);
    },
  },
  {
    name: 'delete-that-never-fails',
    defect: 'Errors of the delete are swallowed, and the user hears that it was deleted.',
    hurts: 'The intern goes on and is paid for.',
    shows: /^tidy/,
    allowed: '500: The request could not be completed.',
    async program(context) {
      const { json, call } = clientOf(context);
      const { id } = await json<Intern>('POST', '/interns', newIntern(context.target, 'passing'), {
        'idempotency-key': 'passing',
      });
      try {
        await call('DELETE', `/interns/${id}`);
      } catch {
        // it is gone anyway
      }
      context.print('cleaned up');
    },
  },
  {
    name: 'shows-the-key',
    defect: 'The error message that the user sees holds the whole request, with its key.',
    hurts: 'The API key stands in logs and screenshots.',
    shows: /credential in|its key|secret/,
    allowed: '500: The request could not be completed.',
    async program({ target, fetch, print }) {
      const request = {
        url: `${target.base_url}/interns`,
        headers: { authorization: `Bearer ${target.credentials.api_key}` },
      };
      const response = await fetch(request.url, { headers: request.headers, signal: AbortSignal.timeout(LIMIT) });
      if (!response.ok) {
        print(`Request failed: ${JSON.stringify({ ...request, status: response.status })}`);
        throw new Error('request failed');
      }
      const { data } = (await response.json()) as { data: Intern[] };
      print(`${data.length} interns`);
    },
  },
  {
    name: 'suspend-ignored',
    defect: 'The answer of the suspend at the end of the work is not looked at.',
    hurts: 'The intern runs all night, though the app says that it sleeps.',
    shows: /of suspend/,
    allowed: 'Error catalogue for the intern operations other than signing: not shown.',
    async program(context) {
      const { target, fetch, print } = context;
      const { chat, prompt, id } = clientOf(context);
      const { text } = await replyOf(await chat(prompt('Anything left to do?')));
      print(text);
      await fetch(`${target.base_url}/interns/${id}/suspend`, {
        method: 'POST',
        headers: { authorization: `Bearer ${target.credentials.api_key}` },
        signal: AbortSignal.timeout(LIMIT),
      });
      print('The intern sleeps.');
    },
  },
  {
    name: 'puts-back-what-it-read',
    defect: 'To change the description it sends the whole record back that it read before.',
    hurts: 'The instructions that a colleague has just written are lost.',
    shows: /of update/,
    allowed: 'Omitted fields stay unchanged.',
    async program(context) {
      const { json, id, chat, prompt } = clientOf(context);
      const { name, instructions, model } = await json<Intern>('GET', `/interns/${id}`);
      const { text } = await replyOf(await chat(prompt('Describe yourself')));
      const after = await json<Intern>('PATCH', `/interns/${id}`, { name, instructions, model, description: text });
      assert.equal(after.description, text);
      context.print('described');
    },
  },
];
