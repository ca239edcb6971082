import type { Clock } from '../../clock/clock.js';
import { byKey } from '../../contract/by-key.js';
import { jsonOf } from '../../contract/nesting.js';
import type { Profile } from '../../contract/profile.js';
import { isRecord } from '../../contract/record.js';
import { REDACTED } from '../../credentials/redaction.js';
import { bodyText, type RecordedExchange, type RecordedWrite, SCENARIO_HEADER } from '../format.js';
import { type PlacedExchange, readRecording } from '../read.js';
import { fromVersion, originForm } from '../request-target.js';
import { type Bindings, renderText } from '../template.js';
import { type Comparable, comparableSent } from './compare.js';
import { requireProfile } from './profile.js';
import { createScenario, type Taken } from './scenario.js';
import { replayStream } from './stream.js';
import { liveValue, type ValuesDeps } from './values.js';

/** The parts of an answer that are the emulator's own: its daemons know only its key and its tokens. */
export interface OwnAnswers {
  /** Makes an intern known to the daemons by its token. */
  daemonToken(internId: string): string;
  /** Signs a signing request: a signing answer's values by the endings of their keys. */
  sign(internId: string, user: string, request: unknown): Readonly<Record<string, string>> | undefined;
}

export interface ReplayDeps extends ValuesDeps {
  readonly clock: Pick<Clock, 'now' | 'sleep'>;
  readonly own: OwnAnswers;
  /** The names that the recordings must use. */
  readonly profile: Profile;
  /** `recorded` keeps the gaps between the writes of an answer; a number is the ms between two of them. */
  readonly pace: 'recorded' | number;
  warn(message: string): void;
}

/** How an answer is observed: the journal's entry of it. */
export interface ReplayWatch {
  onWrite(bytes: Uint8Array): void;
  onClose(how: 'complete' | 'client_left' | 'dropped'): void;
}

export interface ReplayConnection {
  watch(): ReplayWatch;
  /** Cuts the connection once the written bytes have left; undefined in process. */
  readonly cut?: (() => void) | undefined;
}

export interface Replayed {
  readonly operation: string | null;
  /** Undefined if the recorded connection broke off before an answer began. */
  readonly response: Response | undefined;
  /** The body of an answer that is no stream, without credentials. */
  readonly shown?: string;
}

export interface Replay {
  /** The recorded answer to a request, or why there is none. */
  answer(request: Request, body: Uint8Array, connection: ReplayConnection): Replayed | { readonly problem: string };
  reset(): void;
}

/** Answers that have no body, whatever was recorded. */
const isEmpty = (status: number, method: string) => method === 'HEAD' || [204, 205, 304].includes(status);

/** A value that a client brought may hold what no header can. */
const asHeaderText = (value: string): string =>
  value.replace(/[^\x20-\x7e]/gu, (character) =>
    [...Buffer.from(character)].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join(''),
  );

/**
 * Answers from recordings (REC-2): values that differ between runs are made afresh and kept consistent within a
 * scenario.
 *
 * @throws FileInvalid for an invalid recording
 */
export function createReplay(files: readonly string[], deps: ReplayDeps): Replay {
  const exchanges = files.flatMap((file) => readRecording(file, deps.warn));
  for (const one of exchanges) requireProfile(one, deps.profile);
  const named = byKey(exchanges, ({ exchange }) => exchange.scenario);
  const names = [...named.keys()];
  // A request without a name means the unnamed scenario, or the only one.
  const unnamed = named.has(null) || names.length > 1 ? null : (names[0] ?? null);
  const begin = () => new Map([...named].map(([name, all]) => [name, createScenario(all)]));
  let scenarios = begin();

  const render = (bindings: Bindings, encode: (value: string) => string) => (text: string) =>
    renderText(text, (alias) => encode(liveValue(deps, bindings, alias)));
  /** A body without the credentials that were made for it: nothing else knows them. */
  const withoutMade = (body: string, recorded: string, bindings: Bindings): string => {
    let shown = body;
    renderText(recorded, (alias) => {
      if (/^(key|secret|token)\b/.test(alias)) shown = shown.replaceAll(liveValue(deps, bindings, alias), REDACTED);
      return '';
    });
    return shown;
  };
  const inJson = (value: string) => JSON.stringify(value).slice(1, -1);

  const bytesOf = (write: RecordedWrite, text: (recorded: string) => string): Uint8Array =>
    'text' in write ? Buffer.from(text(write.text)) : Buffer.from(write.base64, 'base64');

  const writesOf = (exchange: RecordedExchange, text: (recorded: string) => string) => {
    let before = 0;
    return (exchange.writes ?? []).map((write) => {
      const after = deps.pace === 'recorded' ? write.at - before : deps.pace;
      before = write.at;
      return { after, bytes: bytesOf(write, text) };
    });
  };

  /** A body's JSON, with the values that only the emulator's own daemons would accept. */
  const ownBody = (exchange: RecordedExchange, text: string, request: Comparable, bindings: Bindings): string => {
    const { segments } = request;
    const internId = segments[segments.indexOf('interns') + 1];
    const answer = /^(daemon|sign)$/.test(exchange.operation ?? '') ? jsonOf(text) : undefined;
    if (exchange.status !== 200 || !internId || !isRecord(answer)) return text;
    if (exchange.operation === 'daemon') {
      return JSON.stringify({ ...answer, origin: deps.daemonOrigin(), token: deps.own.daemonToken(internId) });
    }
    const [, user] = Object.entries(answer).find(([key]) => key.endsWith('-user')) ?? [];
    const signer = typeof user === 'string' && user !== '' ? user : liveValue(deps, bindings, 'subject.1');
    const own = deps.own.sign(internId, signer, request.json);
    return own ? JSON.stringify(own) : text;
  };

  const toResponse = (
    { exchange }: PlacedExchange,
    bindings: Bindings,
    request: Comparable,
    { signal }: Request,
    { watch, cut }: ReplayConnection,
  ): Omit<Replayed, 'operation'> => {
    const { status } = exchange;
    if (status === null) return { response: undefined };
    const plain = render(bindings, (value) => value);
    const inHeader = render(bindings, asHeaderText);
    const headers = Object.fromEntries(
      Object.entries(exchange.headers).map(([name, value]) => [name, inHeader(value)]),
    );
    const init = { status, headers };
    if (isEmpty(status, request.method)) return { response: new Response(null, init) };
    const json = /json|event-stream/.test(headers['content-type'] ?? '');
    const text = json ? render(bindings, inJson) : plain;
    if (exchange.writes || exchange.ended !== 'complete') {
      const writes = exchange.writes
        ? writesOf(exchange, text)
        : [{ after: 0, bytes: Buffer.from(text(bodyText(exchange.body) ?? '')) }];
      const { ended } = exchange;
      const body = replayStream({ writes, ended, clock: deps.clock, signal, cut, ...watch() });
      return { response: new Response(body, init) };
    }
    if (exchange.body_base64 !== undefined) {
      const bytes = Buffer.from(exchange.body_base64, 'base64');
      return { response: new Response(bytes, init), shown: bytes.toString() };
    }
    const recorded = bodyText(exchange.body);
    if (recorded === undefined) return { response: new Response(null, init) };
    const body = ownBody(exchange, text(recorded), request, bindings);
    return { response: new Response(body, init), shown: withoutMade(body, recorded, bindings) };
  };

  return {
    answer(request, body, connection) {
      const name = request.headers.get(SCENARIO_HEADER) ?? unnamed;
      const scenario = scenarios.get(name);
      if (!scenario) {
        const known = names.map((one) => one ?? 'without a name').join(', ');
        return {
          problem:
            name === null
              ? `name a scenario in ${SCENARIO_HEADER}: ${known}`
              : `no scenario ${name}; known are: ${known}`,
        };
      }
      const asked = comparableSent(request, fromVersion(originForm(request.url)), body);
      const found: Taken = scenario.take(asked);
      if ('problem' in found) return found;
      const { operation } = found.exchange.exchange;
      return { operation, ...toResponse(found.exchange, found.bindings, asked, request, connection) };
    },
    reset() {
      scenarios = begin();
    },
  };
}
