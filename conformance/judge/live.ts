import { createAdmission } from '../../emulator/recording/admission.js';
import { type CapturedWrite, DEFAULT_LIMIT, limitsBy } from '../../emulator/recording/capture.js';
import { decodeWrites } from '../../emulator/recording/coding.js';
import type { PassedExchange, RawRequest } from '../../emulator/recording/exchange.js';
import { type RecordingProxy, startProxy } from '../../emulator/recording/proxy.js';
import type { Exchange } from '../model/exchange.js';
import type { Piece } from '../probe/evidence.js';
import type { Host } from '../probe/time.js';
import { callerBy, exchangeBy, type Parts, splitPath, textBody } from './exchange.js';
import type { Judge } from './judge.js';

/** The judge listens on this machine only. */
const HOST = '127.0.0.1';

/** The options of a judge that listens. */
export interface LiveOptions {
  readonly judge: Judge;
  /** The deployment: its base URL, which ends in `/api/v1`. */
  readonly target: URL;
  readonly port: number;
  readonly host: Host;
  /** Called for an exchange that is not judged, with the reason. */
  failed(problem: string): void;
}

/** The kept part of an exchange while it is under way. */
interface Passing {
  readonly at: number;
  asked: Omit<Parts, 'answer'> | undefined;
  judged: boolean;
}

/** The text of an answer, piece by piece; a character belongs to the piece in which it ends. */
function piecesOf(writes: readonly CapturedWrite[], began: number): readonly Piece[] {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  return writes.map(({ at, bytes }) => ({ at: began + at, text: decoder.decode(bytes, { stream: true }) }));
}

function bodyOf({ requestHeaders, requestBody }: RawRequest, whole: boolean): Parts['body'] {
  if (!whole || requestHeaders['content-encoding'] !== undefined) return { kind: 'unknown' };
  return textBody(Buffer.from(requestBody).toString(), requestBody.length);
}

/**
 * The recorder's proxy of a deployment, with a judge for its exchanges. It sends no requests of its own.
 *
 * @throws Error with Node's `code` if the port is not available
 */
export async function startLive({ judge, target, port, host, failed }: LiveOptions): Promise<RecordingProxy> {
  const conversation = judge.open(target.href, { whole: true });
  // Bodies are decoded while others come; what is judged keeps its order.
  let last: Promise<void> = Promise.resolve();
  const inTurn = (work: () => void | Promise<void>): Promise<void> => {
    const done = last.then(work);
    last = done.catch(() => {});
    return done;
  };
  const exchange = (asked: Omit<Parts, 'answer'>, answer: Parts['answer']): Exchange =>
    exchangeBy({ ...asked, answer }, judge.profile.tool_name);
  const asks = (request: RawRequest, place: Passing, whole: boolean) => {
    const split = splitPath(request.path);
    if (split === undefined || place.asked !== undefined) return;
    const { n: number, method, requestHeaders } = request;
    const header = (name: string) => requestHeaders[name];
    const body = bodyOf(request, whole);
    place.asked = { number, at: place.at, method, path: split.path, header, body, caller: callerBy(header) };
    const { asked } = exchange(place.asked, undefined);
    void inTurn(() => conversation.asks(asked));
  };
  const sees = (answer: Parts['answer'], place: Passing) => {
    if (place.asked === undefined) judge.ignores();
    else conversation.sees(exchange(place.asked, answer));
  };
  const answerOf = async (raw: PassedExchange, { at }: Passing): Promise<Parts['answer']> => {
    const { status, headers, leftOut, ended, notPassedOn } = raw;
    if (status === null || notPassedOn !== undefined) return undefined;
    const ends = host.now();
    const coding = headers['content-encoding'];
    const { writes, problem } =
      coding === undefined
        ? { writes: raw.writes, problem: undefined }
        : await decodeWrites(coding, raw.writes, DEFAULT_LIMIT);
    const pieces = piecesOf(writes, at);
    const isDone = /data: \[DONE\]\s*$/.test(pieces.at(-1)?.text ?? '');
    const isWhole = (ended === 'complete' || (ended === 'client' && isDone)) && leftOut?.answer === undefined;
    return { at: ends, status, header: (name) => headers[name], pieces, whole: isWhole && problem === undefined };
  };
  const proxy = await startProxy<Passing>({
    target,
    host: HOST,
    port,
    now: host.now,
    limits: limitsBy(DEFAULT_LIMIT),
    admit: createAdmission({ loopback: true, allowHosts: [], cors: [] }),
    observer: {
      begin: () => ({ at: host.now(), asked: undefined, judged: false }),
      asked: (request, place) => asks(request, place, true),
      async end(raw, place) {
        asks(raw, place, raw.leftOut?.request === undefined);
        place.judged = true;
        const answer = answerOf(raw, place);
        await inTurn(async () => sees(await answer, place));
      },
      failed: (_event, _method, _path, problem) => failed(problem),
      over(place) {
        if (!place.judged) void inTurn(() => sees(undefined, place));
      },
    },
  });
  return {
    ...proxy,
    async close(patience) {
      await proxy.close(patience);
      await last;
    },
  };
}
