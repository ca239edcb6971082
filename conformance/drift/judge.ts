import type { RecordedExchange } from '../../emulator/recording/format.js';
import type { Bindings } from '../../emulator/recording/template.js';
import { recordOf } from '../probe/json.js';
import { compareStream, type LiveStream, parsedBody } from './answer.js';
import { type Compared, compared, compareHeaders, compareJson } from './compare.js';
import { errorOf } from './events.js';
import { isShorter } from './recorded-before.js';

/** A live answer that came to its end. */
interface LiveAnswer extends LiveStream {
  readonly status: number;
  readonly headers: Headers;
}

/** The inputs of an evaluation beside the two answers. */
export interface Circumstances {
  /** The values of aliases; new ones are added. */
  readonly bindings: Bindings;
  /** Settings that a request of the recording wrote: `intern.1 name`. */
  readonly written: ReadonlySet<string>;
  /** The name that the run gave in place of a recorded one. */
  nameOf(recorded: string): string | undefined;
  /** A deployment, whose interns do as they like. */
  readonly free: boolean;
}

/**
 * The result of a comparison. `undecided`: what the intern did instead of what was recorded, so that there is no
 * verdict.
 */
export type DriftJudgement = Compared & { readonly undecided?: string };

/** Answers to a prompt that depend on what the intern does and how far it is. */
const INTERN_STATUSES: ReadonlySet<unknown> = new Set([200, 202, 409, 502, 504]);
const isByTheIntern = ({ operation, status }: RecordedExchange, live: number) =>
  /^(?:chat|invoke)$/.test(operation ?? '') && INTERN_STATUSES.has(status) && INTERN_STATUSES.has(live);

const isSuccess = (status: number | null) => status !== null && status < 300;
const isTornDown = (body: unknown) => recordOf(body).status === 'destroying';

/** Evaluates a live answer by the recorded one. */
export function judge(exchange: RecordedExchange, live: LiveAnswer, circumstances: Circumstances): DriftJudgement {
  const { bindings, written, nameOf, free } = circumstances;
  const into = compared();
  const [recorded, got] = [parsedBody(exchange.body), parsedBody(live.text)];
  const isBothSuccess = isSuccess(exchange.status) && isSuccess(live.status);
  if (exchange.status !== live.status) {
    if (free && isByTheIntern(exchange, live.status)) {
      return { ...into, undecided: `the intern did not do as recorded (${live.status} instead of ${exchange.status})` };
    }
    if (free && errorOf(recorded)?.reason === 'name_conflict' && isSuccess(live.status)) {
      return { ...into, undecided: 'nobody has an intern of that name at the target' };
    }
    // How long a teardown takes is time.
    if (isTornDown(recorded) && live.status === 404) return into;
    const byTime = exchange.status === 404 && isTornDown(got);
    into.findings.push({ what: 'status', expected: exchange.status, actual: live.status, byTime });
    // One success for another: the rest is compared all the same, and the created intern is known by its id.
    if (!isBothSuccess) return into;
  }
  compareHeaders(into, exchange.headers, live.headers, isBothSuccess);
  if (exchange.writes) {
    const undecided = compareStream(into, bindings, exchange, live, free);
    return undecided === undefined ? into : { ...into, undecided };
  }
  if (exchange.operation === 'list' && isShorter(recorded, got, bindings)) {
    return { ...into, undecided: 'the target has fewer interns than the workspace that was recorded' };
  }
  compareJson(into, bindings, { where: 'body', key: '', written, nameOf }, recorded, got);
  return into;
}
