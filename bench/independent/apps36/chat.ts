import assert from 'node:assert/strict';
import OpenAI from 'openai';
import {
  type App,
  answerTo,
  type Chunk,
  clientOf,
  DEPLOY,
  eventsOf,
  LIMIT,
  ORDER,
  type Question,
  Refused,
  replyOf,
} from './parts.js';

const manual = (script: string) => ({
  approval_mode: 'manual',
  messages: [{ role: 'user', content: `script: ${script}` }],
});

export const chats: readonly App[] = [
  {
    name: 'openai-as-it-comes',
    defect: 'The openai client with its own retries, which repeat a prompt that may have been taken.',
    hurts: 'The work is done twice.',
    shows: /^once/,
    allowed: 'A connection that breaks without that confirmation ends with reason stream_severed.',
    async program({ target, fetch, print }) {
      const client = new OpenAI({
        baseURL: `${target.base_url}/interns/${target.credentials.intern?.id}`,
        apiKey: target.credentials.api_key ?? '',
        fetch,
        timeout: LIMIT,
      });
      const stream = await client.chat.completions.create({
        model: 'intern',
        stream: true,
        messages: [{ role: 'user', content: 'Book the room' }],
      });
      let text = '';
      let finish: string | null = null;
      for await (const { choices } of stream) {
        text += choices[0]?.delta.content ?? '';
        finish = choices[0]?.finish_reason ?? finish;
      }
      if (finish !== 'stop') throw new Error(`ended by ${finish}`);
      print(text);
    },
  },
  {
    name: 'openai-to-the-end-of-the-loop',
    defect: 'The end of the loop over the chunks counts as the end of the reply; no finish reason is looked at.',
    hurts: 'Half an answer is shown as a whole one.',
    shows: /^unnoticed/,
    allowed: 'The run ends in one of three finish reasons: stop, tool_calls, error.',
    async program({ target, fetch, print }) {
      const client = new OpenAI({
        baseURL: `${target.base_url}/interns/${target.credentials.intern?.id}`,
        apiKey: target.credentials.api_key ?? '',
        fetch,
        maxRetries: 0,
        timeout: LIMIT,
      });
      const stream = await client.chat.completions.create(
        { model: 'intern', stream: true, messages: [{ role: 'user', content: 'List the risks, all of them' }] },
        { signal: AbortSignal.timeout(LIMIT) },
      );
      let text = '';
      for await (const { choices } of stream) text += choices[0]?.delta.content ?? '';
      print(text);
    },
  },
  {
    name: 'error-is-an-end-too',
    defect: 'Each finish reason counts as a good end, also error.',
    hurts: 'A failed run is stored as a finished report.',
    shows: /error-chunk/,
    allowed: 'the stream ends with a chunk with finish_reason: error that carries code 410 and reason run_ended',
    async program(context) {
      const { chat, prompt } = clientOf(context);
      let [report, finished] = ['', false];
      for await (const data of eventsOf(await chat(prompt('script: slow\nWrite the report')))) {
        if (data === '[DONE]') break;
        const [choice] = (JSON.parse(data) as Chunk).choices;
        report += choice?.delta?.content ?? '';
        if (choice?.finish_reason) finished = true;
      }
      if (!finished) throw new Error('the stream was cut');
      context.print(`Report:\n${report}`);
    },
  },
  {
    name: 'any-two-hundred',
    defect:
      'A reply of any 2xx is read as a stream: after a cut it goes on in the session, and takes “steered” for a reply.',
    hurts: 'The user sees an empty answer.',
    shows: /steered/,
    allowed:
      'When a prompt is sent to a session that already has a run going, the prompt is delivered into that run, and the reported status is steered.',
    async program(context) {
      const { call, id } = clientOf(context);
      const text = async (content: string) => {
        let said = '';
        const body = { stream: true, session_id: 'notes', messages: [{ role: 'user', content }] };
        for await (const data of eventsOf(await call('POST', `/interns/${id}/chat/completions`, body))) {
          if (data === '[DONE]') return said;
          const chunk = JSON.parse(data) as Chunk;
          if (chunk.error) throw new Error('failed');
          said += chunk.choices[0]?.delta?.content ?? '';
        }
        return said;
      };
      context.print(await text('Take a note'));
      context.print(await text('And another'));
    },
  },
  {
    name: 'one-question-at-most',
    defect: 'It answers one question. What comes after the answer is taken for the result, also a second question.',
    hurts: 'The user sees “done” while the run waits, and is cancelled five minutes later.',
    shows: /asks/,
    allowed:
      'The stream pauses with a tool call named service.provide_input when the intern needs permission or an answer.',
    emulator: { scripts: [DEPLOY] },
    async program(context) {
      const { chat } = clientOf(context);
      const first = await replyOf(await chat(manual('deploy')));
      assert.ok(first.asked);
      const { text } = await replyOf(
        await chat({ session_id: first.session, messages: answerTo(first.asked, 'allow_once') }),
      );
      context.print(`Done. ${text}`);
    },
  },
  {
    name: 'asks-nothing-today',
    defect: 'It knows that this prompt asks nothing, and prints the text of a stream that ends with a question.',
    hurts: 'An unfinished reply is shown as whole; the run waits in vain.',
    shows: /asks/,
    allowed:
      'The stream pauses with a tool call named service.provide_input when the intern needs permission or an answer.',
    async program(context) {
      const { chat, prompt } = clientOf(context);
      const { text } = await replyOf(await chat({ ...prompt('Translate: good morning'), approval_mode: 'manual' }));
      context.print(text);
    },
  },
  {
    name: 'answers-by-position',
    defect: 'The first question gets the size and the second the count, whatever is asked.',
    hurts: 'An answer goes to another question.',
    shows: /asks/,
    allowed: 'A question asked through service.provide_input … (No order of questions is stated.)',
    emulator: { scripts: [ORDER] },
    async program(context) {
      const { chat } = clientOf(context);
      const answers: object[] = [{ size: 'M' }, { count: 3 }];
      let reply = await replyOf(await chat(manual('order')));
      for (const content of answers) {
        if (!reply.asked) break;
        const answer = JSON.stringify({ action: 'accept', content });
        reply = await replyOf(await chat({ session_id: reply.session, messages: answerTo(reply.asked, answer) }));
      }
      context.print(reply.text);
    },
  },
  {
    name: 'starts-anew-when-the-answer-is-refused',
    defect: 'An answer without an answer is sent again, and where that is refused the prompt is sent anew.',
    hurts: 'The deployment happens twice.',
    shows: /^once/,
    allowed: 'The answer is delivered to the run that asked, and the stream continues from where it paused.',
    emulator: { scripts: [DEPLOY] },
    async program(context) {
      const { chat } = clientOf(context);
      async function deploy(starts = 1): Promise<string> {
        const { asked, session } = await replyOf(await chat(manual('deploy')));
        assert.ok(asked);
        const answer = async () =>
          (await replyOf(await chat({ session_id: session, messages: answerTo(asked, 'allow_once') }))).text;
        return answer()
          .catch(answer)
          .catch((error) => {
            if (starts === 3) throw error;
            return deploy(starts + 1);
          });
      }
      context.print(await deploy());
    },
  },
  {
    name: 'the-user-has-time',
    defect: 'The person has four minutes; an answer that comes too late (409) is sent again every second.',
    hurts: 'After the deadline the dialog hangs with “sending…”.',
    shows: /withdrawn/,
    allowed: 'When the deadline passes the run is cancelled. Rejected replies do not extend the deadline.',
    emulator: { scripts: [DEPLOY] },
    async program(context) {
      const { chat, sleep } = clientOf(context);
      const { asked, session } = await replyOf(await chat(manual('deploy')));
      assert.ok(asked);
      await sleep(240_000);
      for (;;) {
        try {
          const body = { session_id: session, messages: answerTo(asked, 'allow_once') };
          context.print((await replyOf(await chat(body))).text);
          return;
        } catch (error) {
          if (!(error instanceof Refused && error.status === 409)) throw error;
          await sleep(1000);
        }
      }
    },
  },
  {
    name: 'leaves-at-the-question',
    defect:
      'It closes the stream at the finish reason, before the final chunk and [DONE], as it chose the session itself.',
    hurts: 'The run is cancelled, and the answer finds no question.',
    shows: /^harmless/,
    allowed: 'Disconnecting while a response is still streaming cancels the run.',
    emulator: { scripts: [DEPLOY] },
    async program(context) {
      const { chat } = clientOf(context);
      let asked: Question | undefined;
      for await (const data of eventsOf(await chat({ session_id: 'mine', ...manual('deploy') }))) {
        const chunk = JSON.parse(data) as Chunk;
        asked = chunk.choices[0]?.delta?.tool_calls?.[0] ?? asked;
        if (chunk.choices[0]?.finish_reason === 'tool_calls') break;
      }
      if (!asked) throw new Error('it did not ask');
      await new Promise((resolve) => setTimeout(resolve, 5));
      const messages = answerTo(asked, 'allow_once');
      const answered = await chat({ session_id: 'mine', messages }).catch(() => undefined);
      context.print(answered ? (await replyOf(answered)).text : 'Nothing to answer any more.');
    },
  },
  {
    name: 'allows-everything',
    defect: 'Whatever is asked is answered with allow_once, as if each question were the permission that it expects.',
    hurts: 'An elicitation gets an answer that is invalid, is rejected, and the app calls that done.',
    shows: /asks/,
    allowed: 'when it needs permission or an answer from the caller',
    emulator: { scripts: [DEPLOY] },
    async program(context) {
      const { chat } = clientOf(context);
      let reply = await replyOf(await chat(manual('deploy')));
      for (let asked = 0; reply.asked && asked < 5; asked++) {
        const body = { session_id: reply.session, messages: answerTo(reply.asked, 'allow_once') };
        const response = await chat(body).catch(() => undefined);
        if (!response) break;
        reply = await replyOf(response);
      }
      context.print(`Deployed: ${reply.text}`);
    },
  },
];
