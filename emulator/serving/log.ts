import { DAEMON_REQUEST } from '../contract/operation.js';
import { requirementOf } from '../contract/refused-by.js';
import type { DaemonRequest } from '../daemon/daemon.js';
import type { Journal } from '../http/journal.js';
import type { RequestRecord } from '../http/request-log.js';
import type { PlainResponse } from '../http/response.js';

/** A request to a daemon as a line of the log. */
export const daemonRecord = (request: DaemonRequest, now: number, redact: (text: string) => string): RequestRecord => ({
  time: new Date(now).toISOString(),
  method: request.method,
  path: redact(request.path),
  status: request.status,
  ms: now - request.at,
  caller: request.user ?? null,
  intern: request.internId ?? null,
  script: null,
  wrong: request.wrong === undefined ? null : redact(request.wrong),
});

/** Puts a request that a daemon refused into the journal, where its sender looks up why. */
export function journalRefusal(
  journal: Pick<Journal, 'begin' | 'noteRequestBody' | 'noteResponseBody' | 'responded'>,
  { at, internId, status, wrong = '', refused }: DaemonRequest & Required<Pick<DaemonRequest, 'refused'>>,
): void {
  const { id, by, request, url, body, answer } = refused;
  const draft = journal.begin(id, request, [...request.headers].flat());
  Object.assign(draft, { at, url, internId, operation: DAEMON_REQUEST, status, responseHeaders: answer.headers });
  draft.refused = { key: by, wrong, requirement: requirementOf(by, DAEMON_REQUEST, []) };
  if (body) journal.noteRequestBody(draft, body);
  journal.noteResponseBody(draft, answer.body);
  journal.responded(draft);
}

/** A request that was refused for its host, before anything else was looked at. */
export const refusedRecord = (
  { method = '', url = '' }: { readonly method?: string | undefined; readonly url?: string | undefined },
  { status, headers }: PlainResponse,
  now: number,
  redact: (text: string) => string,
): RequestRecord => ({
  time: new Date(now).toISOString(),
  method,
  path: redact(url),
  status,
  ms: 0,
  caller: null,
  intern: null,
  script: null,
  wrong: redact(headers['x-emulator-detail'] ?? (status === 403 ? 'a regional host' : 'the Host is invalid')),
});

/** The failure before a request could be read, by OpenSSL's code for it. */
const FAILURES: Record<string, string> = {
  ERR_SSL_HTTP_REQUEST: 'A client spoke HTTP where this emulator serves HTTPS (--tls).',
  ERR_SSL_TLSV1_ALERT_UNKNOWN_CA:
    'A client does not trust the authority of this emulator: give it the file in INTERN_CA_FILE.',
  ERR_SSL_SSLV3_ALERT_CERTIFICATE_UNKNOWN:
    'A client does not trust the authority of this emulator: give it the file in INTERN_CA_FILE.',
};

/** The line of the log for a connection that never became one of TLS; undefined for one that was only closed. */
export function handshakeFailed(error: NodeJS.ErrnoException): Record<string, unknown> | undefined {
  const message = FAILURES[error.code ?? ''];
  return message === undefined ? undefined : { level: 'warn', event: 'tls_failed', message };
}
