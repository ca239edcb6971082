import assert from 'node:assert/strict';
import { type App, type Chunk, clientOf, eventsOf, LIMIT, replyOf } from './parts.js';

export const streams: readonly App[] = [
  {
    name: 'a-piece-is-an-event',
    defect: 'Each piece that arrives is parsed by itself, and what does not parse is skipped.',
    hurts: 'Words are missing in the middle of a reply.',
    shows: /split|joined/,
    allowed: 'streams the reply as server-sent events (An event may arrive in any number of pieces.)',
    async program(context) {
      const { chat, prompt } = clientOf(context);
      const response = await chat(prompt('The quick brown fox jumps over the lazy dog'));
      if (!response.body) throw new Error('no stream');
      let text = '';
      for await (const piece of response.body.pipeThrough(new TextDecoderStream())) {
        for (const line of piece.split('\n')) {
          if (!line.startsWith('data: {')) continue;
          try {
            text += (JSON.parse(line.slice(6)) as Chunk).choices[0]?.delta?.content ?? '';
          } catch {
            // not a chunk
          }
        }
      }
      context.print(text);
    },
  },
  {
    name: 'decodes-each-piece',
    defect: 'The bytes of each piece are decoded by themselves.',
    hurts: 'Umlauts become question marks now and then.',
    shows: /split/,
    allowed: 'streams the reply as server-sent events (A piece may end within a character.)',
    async program(context) {
      const { chat, prompt } = clientOf(context);
      const response = await chat(prompt('Größe: 5 €, schöne Grüße an Zoë'));
      if (!response.body) throw new Error('no stream');
      let [bytes, text, done] = ['', '', false];
      for await (const piece of response.body) {
        bytes += new TextDecoder().decode(piece);
        const lines = bytes.split('\n');
        bytes = lines.pop() ?? '';
        for (const line of lines) {
          if (line === 'data: [DONE]') done = true;
          else if (line.startsWith('data: ')) {
            const chunk = JSON.parse(line.slice(6)) as Chunk;
            if (chunk.error) throw new Error('the run failed');
            text += chunk.choices[0]?.delta?.content ?? '';
          }
        }
      }
      if (!done) throw new Error('the stream was cut');
      context.print(text);
    },
  },
  {
    name: 'each-line-is-data',
    defect: 'The field name of a line is not looked at: the text after the first colon is parsed.',
    hurts: 'The app dies by the first keepalive, while the intern thinks.',
    shows: /comments/,
    allowed: 'A comment line : keepalive is written whenever nothing else has been written for 30 seconds.',
    async program(context) {
      const { chat, prompt } = clientOf(context);
      const text = await (await chat(prompt('Count to ten'))).text();
      let [said, done] = ['', false];
      for (const line of text.split('\n').filter(Boolean)) {
        const data = line.slice(line.indexOf(':') + 1).trim();
        if (data === '[DONE]') done = true;
        else {
          const chunk = JSON.parse(data) as Chunk;
          if (chunk.error) throw new Error('the run failed');
          said += chunk.choices[0]?.delta?.content ?? '';
        }
      }
      if (!done) throw new Error('cut');
      context.print(said);
    },
  },
  {
    name: 'bills-what-is-null',
    defect: 'The usage of a reply is read as if there always were one.',
    hurts: 'A reply that has come is lost by a TypeError.',
    shows: /usage/,
    allowed: 'It carries null when the intern reported none.',
    async program(context) {
      const { chat, prompt } = clientOf(context);
      let said = '';
      let last: Chunk | undefined;
      for await (const data of eventsOf(await chat(prompt('Hello')))) {
        if (data === '[DONE]') break;
        last = JSON.parse(data) as Chunk;
        if (last.error) throw new Error('the run failed');
        said += last.choices[0]?.delta?.content ?? '';
      }
      if (!last?.session_id) throw new Error('cut');
      const tokens = (last.usage as { total_tokens: number }).total_tokens;
      context.print(`${said} (${tokens > 0 ? 'billed' : 'free'})`);
    },
  },
  {
    name: 'the-words-of-both-tries',
    defect: 'The text lives outside of the tries: a second try is added to what the first has shown.',
    hurts: 'The reply begins twice, and the work is done twice.',
    shows: /^once/,
    allowed: 'A connection that breaks without that confirmation ends with reason stream_severed.',
    async program(context) {
      const { chat, prompt, sleep } = clientOf(context);
      let text = '';
      for (let tried = 1; ; tried++) {
        try {
          await replyOf(await chat(prompt('script: slow')), (piece) => {
            text += piece;
          });
          break;
        } catch (error) {
          if (tried === 3) throw error;
          await sleep(1000 * tried);
        }
      }
      context.print(text);
    },
  },
  {
    name: 'no-limit-for-silence',
    defect: 'The stream is read without any limit for silence.',
    hurts: 'The window shows a cursor for ever.',
    shows: /^settles/,
    allowed:
      'A client that has already disconnected is promised no final event. (A connection may break without a word.)',
    async program(context) {
      const { target, fetch, print } = context;
      const response = await fetch(`${target.base_url}/interns/${target.credentials.intern?.id}/chat/completions`, {
        method: 'POST',
        headers: { authorization: `Bearer ${target.credentials.api_key}` },
        body: JSON.stringify({ stream: true, messages: [{ role: 'user', content: 'Think' }] }),
      });
      print((await replyOf(response)).text);
    },
  },
  {
    name: 'a-session-for-two',
    defect: 'Two conversations share one session id; the second begins as soon as the first shows its first word.',
    hurts: 'The words of one person go to the other, and the second gets no reply.',
    shows: /steered/,
    allowed: 'the prompt is delivered into that run, and the reported status is steered',
    async program(context) {
      const { chat, sleep } = clientOf(context);
      const say = (content: string) => chat({ session_id: 'default', messages: [{ role: 'user', content }] });
      const first = replyOf(await say('I am Ann'));
      first.catch(() => {});
      await sleep(2000);
      const second = await say('I am Bob');
      const bob = second.status === 200 ? (await replyOf(second)).text : '';
      context.print(`Bob: ${bob}`);
      context.print(`Ann: ${(await first).text}`);
    },
  },
  {
    name: 'proof-kept',
    defect: 'A proof is asked for once, and sent with each try of the request to the daemon.',
    hurts: 'All tries after the first are refused, and the app says that the daemon is down.',
    shows: /daemon-request/,
    allowed: 'The daemon refuses proofs older than its window. The intern accepts it once.',
    async program(context) {
      const { target, fetch, print } = context;
      const { json, sleep } = clientOf(context);
      const oauth = { authorization: `Bearer ${target.credentials.oauth_token}` };
      const intern = target.credentials.intern?.id;
      const daemon = await json<Record<string, string>>('GET', `/interns/${intern}/daemon`, undefined, oauth);
      const bodySha256 = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';
      const route = { method: 'POST', path: '/api/status' };
      const proof = await json<Record<string, string>>(
        'POST',
        `/interns/${intern}/daemon/sign`,
        { bodySha256, route },
        oauth,
      );
      for (let tried = 0; tried < 50; tried++) {
        const response = await fetch(`${daemon.origin}/api/status`, {
          method: 'POST',
          headers: { ...proof, authorization: `Bearer ${daemon.token}` },
          signal: AbortSignal.timeout(LIMIT),
        }).catch(() => undefined);
        if (response?.ok) {
          print('the daemon is up');
          return;
        }
        await sleep(1000);
      }
      assert.fail('the daemon is down');
    },
  },
];
