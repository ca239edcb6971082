import type { ClientCase } from '../../emulator/contract/client-case.js';
import type { StartedRun } from '../../emulator/lab/lab.js';

/** How the kit and an adapter talk: lines of JSON (LAB-9). */

/** ms that a client has for an answer where the case does not say. */
const TIMEOUT = 5_000;

const BODY = { model: 'lab/model', stream: true, messages: [{ role: 'user', content: 'hello' }] };

/** What the kit asks of an adapter: one call. */
export interface RunLine {
  readonly run: string;
  readonly case: string;
  readonly layer: 'sse' | 'chat' | 'signing';
  readonly url: string;
  readonly base_url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Readonly<Record<string, unknown>>;
  readonly timeout: number;
  readonly retries: 0 | 'default';
  readonly stop_after?: number;
  readonly sign_url?: string;
  readonly daemon_origin?: string;
  readonly daemon_token?: string;
  readonly request?: {
    readonly method: string;
    readonly path: string;
    readonly headers: Readonly<Record<string, string>>;
    readonly body_base64: string;
  };
}

export const runLine = (theCase: ClientCase, run: StartedRun): RunLine => ({
  run: run.run,
  case: theCase.id,
  layer: theCase.layer,
  url: run.url,
  base_url: run.base_url,
  headers: { authorization: `Bearer ${run.key}` },
  body: theCase.body ?? BODY,
  timeout: theCase.timeout ?? TIMEOUT,
  retries: theCase.retries ?? 0,
  ...(theCase.stop_after === undefined ? {} : { stop_after: theCase.stop_after }),
  ...(run.sign_url === undefined ? {} : { sign_url: run.sign_url }),
  ...(run.daemon_origin === undefined ? {} : { daemon_origin: run.daemon_origin }),
  ...(run.daemon_token === undefined ? {} : { daemon_token: run.daemon_token }),
  ...(theCase.request === undefined ? {} : { request: theCase.request }),
});
