import type { Clock } from '../clock/clock.js';
import type { Random } from '../clock/random.js';
import { type ChatInput, readChat } from '../contract/chat.js';
import type { Profile } from '../contract/profile.js';
import type { Settings } from '../contract/settings.js';
import type { Limiter } from '../domain/limiter.js';
import type { Reader } from '../domain/reader.js';
import type { RunRef, Runs } from '../domain/runs.js';
import { Encoder } from '../sse/chunks.js';
import { EventStream } from '../sse/stream.js';
import { type ResolveTurn, validatePromptScript } from './prompt-script.js';
import { json, noted, type PlainResponse } from './response.js';
import { type Call, type Route, route } from './route.js';

export interface ChatDeps {
  readonly runs: Runs;
  readonly limiter: Limiter;
  readonly profile: Profile;
  readonly clock: Clock;
  readonly random: Pick<Random, 'uuid'>;
  readonly settings: () => Settings;
  readonly resolveTurn: ResolveTurn;
}

const STREAM_HEADERS = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-cache',
  'x-accel-buffering': 'no',
};

/**
 * `POST /interns/{id}/chat/completions` (CHAT-1 to CHAT-17). A prompt answers with a stream, or with 202 if it was
 * delivered into an open run. An answer to a question gets a stream that continues where the last one paused.
 */
export function chatRoute(deps: ChatDeps): Route {
  const keepalive = () => deps.settings().keepalive;
  const stream = (call: Call<ChatInput>, reader: Reader): PlainResponse => {
    const body = new EventStream({
      source: reader,
      encoder: new Encoder({
        id: `chatcmpl-${deps.random.uuid()}`,
        created: Math.floor(deps.clock.now() / 1_000),
        sessionId: reader.sessionId,
        model: reader.model,
        profile: deps.profile,
      }),
      clock: deps.clock,
      keepalive,
      drop: call.streamFault?.disconnect,
      cut: call.streamFault?.cut,
      hooks: call.watch,
      signal: () => call.signal,
    });
    if (!body.whole) call.streams();
    return { status: 200, body, headers: { ...STREAM_HEADERS, ...noted(call.input.ignored, call.note) } };
  };

  return route<ChatInput>({
    operation: 'chat',
    method: 'POST',
    path: '/interns/:id/chat/completions',
    body: { read: true, json: 'ignored', invalid: 'bad_request' },
    parse: (parts) => readChat(parts.json()),
    authorize({ intern, input }) {
      if (input.kind === 'prompt') validatePromptScript(deps, intern, input.prompt, input.sessionId);
    },
    async handle(call) {
      const { caller, intern, input } = call;
      const onRun = (run: RunRef) => call.onRun(run);
      const admit = () => deps.limiter.take(caller.id);
      if (input.kind === 'reply') return stream(call, await deps.runs.reply({ intern, admit, onRun, ...input }));
      const client = () => {
        call.streams();
        return call.scope;
      };
      const result = await deps.runs.prompt({ intern, admit, onRun, client, ...input });
      if ('reader' in result) return stream(call, result.reader);
      return json({ session_id: result.steered, status: 'steered' }, 202, noted(input.ignored));
    },
  });
}
