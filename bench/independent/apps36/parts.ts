// What the apps of this sample share: a small client that is right. An app writes by itself what it does wrong.

import type { ExploreOptions, Program } from '../../../conformance/explore/index.js';

export type Context = Parameters<Program>[0];

export interface RightApp {
  readonly name: string;
  readonly program: Program;
  readonly emulator?: ExploreOptions['emulator'];
}

/** An app with one defect, which stays hidden while all goes well. */
export interface App extends RightApp {
  readonly defect: string;
  /** What its user suffers. */
  readonly hurts: string;
  /** The sentence of interface.md by which the service may do what brings it out, or the gap that leaves it open. */
  readonly allowed: string;
  /** The findings that have to do with the defect, in the words of the runner. Written after the first measurement. */
  readonly shows: RegExp;
}

/** How long an app waits for a sign of life: longer than the time between two keepalives. */
export const LIMIT = 35_000;

export interface Intern {
  readonly id: string;
  readonly name: string;
  readonly status: string;
  readonly description: string | null;
  readonly instructions: string | null;
  readonly model: string | null;
  readonly last_failure_message: string | null;
}

export interface Question {
  readonly id: string;
  readonly type: 'function';
  readonly function: { readonly name: string; readonly arguments: string };
}

export interface Chunk {
  readonly choices: readonly {
    readonly delta?: { readonly content?: string; readonly tool_calls?: readonly Question[] };
    readonly finish_reason?: string | null;
  }[];
  readonly error?: { readonly code: number; readonly metadata?: { readonly reason?: string } };
  readonly session_id?: string;
  readonly usage?: { readonly total_tokens: number } | null;
}

export interface Reply {
  readonly text: string;
  readonly asked?: Question;
  readonly session: string;
  readonly usage: Chunk['usage'];
}

export class Refused extends Error {
  constructor(
    readonly status: number,
    readonly reason: string | undefined,
    readonly retryable: boolean,
    readonly retryAfter: number | undefined,
  ) {
    super(`the service answers ${status} ${reason ?? ''}`);
  }
}

/** Gives the events of a stream, wherever it is split. */
export async function* eventsOf(response: Response): AsyncGenerator<string> {
  if (!response.body) throw new Error('no stream');
  let [rest, name] = ['', ''];
  for await (const piece of response.body.pipeThrough(new TextDecoderStream())) {
    const lines = (rest + piece).split(/\r\n|\n|\r(?!$)/);
    rest = lines.pop() ?? '';
    for (const line of lines) {
      if (line === '') name = '';
      else if (line.startsWith('event:')) name = line.slice(6).trim();
      // An event of another name is for others.
      else if (line.startsWith('data:') && name === '') yield line.slice(5).trimStart();
    }
  }
}

/** Reads a reply to its end. Throws unless it is whole. */
export async function replyOf(response: Response, show: (text: string) => void = () => {}): Promise<Reply> {
  if (response.status !== 200) throw new Error(`no reply, but ${response.status}`);
  let [text, finish, session, ended] = ['', '', '', false];
  let asked: Question | undefined;
  let usage: Chunk['usage'];
  for await (const data of eventsOf(response)) {
    if (data === '[DONE]') {
      ended = true;
      break;
    }
    const chunk = JSON.parse(data) as Chunk;
    if (chunk.error) throw new Error(`the run failed: ${chunk.error.metadata?.reason}`);
    const [choice] = chunk.choices;
    if (choice?.delta?.content) show(choice.delta.content);
    text += choice?.delta?.content ?? '';
    asked = choice?.delta?.tool_calls?.[0] ?? asked;
    finish = choice?.finish_reason ?? finish;
    session = chunk.session_id ?? session;
    usage = chunk.usage ?? usage;
  }
  if (!ended || !session) throw new Error('the stream was cut');
  if (finish !== 'stop' && finish !== 'tool_calls') throw new Error(`the run ended by ${finish}`);
  return { text, session, usage, ...(asked && { asked }) };
}

/** The echo of a question and its answer, as messages. */
export const answerTo = (asked: Question, content: string) => [
  { role: 'assistant', content: null, tool_calls: [asked] },
  { role: 'tool', tool_call_id: asked.id, content },
];

/** A client that sends each request once, with a limit, and throws at each refusal. */
export function clientOf({ target, fetch, emulator }: Context) {
  async function call(method: string, path: string, body?: unknown, more: Record<string, string> = {}) {
    const response = await fetch(`${target.base_url}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${target.credentials.api_key}`,
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...more,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(LIMIT),
    });
    if (response.ok) return response;
    const { error } = (await response.json().catch(() => ({}))) as {
      error?: { metadata?: { reason?: string; retryable?: boolean } };
    };
    const after = response.headers.get('retry-after');
    throw new Refused(
      response.status,
      error?.metadata?.reason,
      error?.metadata?.retryable === true,
      after === null ? undefined : Number(after) * 1000,
    );
  }
  const id = target.credentials.intern?.id ?? '';
  const sleep = (ms: number) => emulator.clock.advance(ms);

  return {
    call,
    /** The intern that runs from the start. */
    id,
    sleep,
    json: async <T>(method: string, path: string, body?: unknown, more?: Record<string, string>) =>
      (await (await call(method, path, body, more)).json()) as T,
    /** Sends one prompt or answer; the stream is not read yet. */
    chat: (body: object, intern = id) => call('POST', `/interns/${intern}/chat/completions`, { stream: true, ...body }),
    prompt: (content: string) => ({ messages: [{ role: 'user', content }] }),
    /** Repeats what may be repeated, after the time that the service names. */
    async patiently<T>(work: () => Promise<T>, tries = 5): Promise<T> {
      for (let tried = 1; ; tried++) {
        try {
          return await work();
        } catch (error) {
          const gone = error instanceof Refused && !error.retryable;
          if (gone || tried === tries) throw error;
          await sleep((error instanceof Refused ? error.retryAfter : undefined) ?? 1000 * 2 ** tried);
        }
      }
    },
    /** Waits until an intern runs, for two minutes at most. */
    async running(intern: string) {
      for (let waited = 0; waited < 120_000; waited += 1000) {
        const { status, last_failure_message } = (await (await call('GET', `/interns/${intern}`)).json()) as Intern;
        if (status === 'running') return;
        if (status === 'failed') throw new Error(`the boot failed: ${last_failure_message}`);
        await sleep(1000);
      }
      throw new Error('the intern does not boot');
    },
  };
}

export const newIntern = (target: Context['target'], name: string, more: object = {}) => ({
  name,
  workspace_id: target.workspace_id,
  ...more,
});

/** An intern that needs the shell. */
export const DEPLOY = {
  name: 'deploy',
  turn: [
    { say: 'I need the shell. ' },
    { ask: { kind: 'permission', operation: 'shell', options: ['allow_once', 'reject_once'] } },
    { say: 'That is all.' },
  ],
} as const;

/** An intern that asks two things. */
export const ORDER = {
  name: 'order',
  turn: [
    {
      ask: {
        kind: 'elicitation',
        message: 'Which size?',
        fields: [{ name: 'size', type: 'string', required: true, options: ['S', 'M'] }],
      },
    },
    {
      ask: { kind: 'elicitation', message: 'How many?', fields: [{ name: 'count', type: 'integer', required: true }] },
    },
    { say: 'Ordered.' },
  ],
} as const;
