import { VERDICTS } from '../contract/journal-entry.js';
import { JOURNALED } from '../contract/operation.js';
import { CONSOLE } from '../contract/request-id.js';
import type { Journal } from '../http/journal.js';
import type { JournalDraft } from '../http/journal-entry.js';
import { json } from '../http/response.js';
import { ControlError } from './error.js';
import type { ControlParts } from './parts.js';
import { type ControlRow, controlRow } from './router.js';

type Filter = (draft: JournalDraft) => boolean;

const refuse = (name: string, expected: string, found: string) =>
  new ControlError(400, `${name}: expected ${expected}; found ${JSON.stringify(found)}`);

/** The readers of the journal's query parameters. Each throws a ControlError for an invalid filter. */
const FILTERS: Readonly<Record<string, (value: string, journal: Journal) => Filter>> = {
  operation(value) {
    if (!JOURNALED.some((known) => known === value)) throw refuse('operation', JOURNALED.join(', '), value);
    return ({ operation }) => operation === value;
  },
  status(value) {
    if (!/^[1-5](\d\d|xx)$/.test(value)) throw refuse('status', 'a status such as 409, or 4xx', value);
    const [first] = value;
    if (value.endsWith('xx')) return ({ status }) => status !== undefined && String(status)[0] === first;
    return ({ status }) => String(status) === value;
  },
  intern_id: (value) => (draft) => draft.internId === value.toLowerCase(),
  run_id: (value) => (draft) => draft.run?.id === value,
  caller: (value) => (draft) => draft.caller === value,
  judged(value) {
    if (!VERDICTS.some((known) => known === value)) throw refuse('judged', VERDICTS.join(', '), value);
    return ({ judged }) => judged?.verdict === value;
  },
  since(value, journal) {
    const drafts = journal.drafts();
    const place = drafts.findLastIndex(({ id }) => id === value);
    if (place >= 0) {
      const later = new Set(drafts.slice(place + 1));
      return (draft) => later.has(draft);
    }
    const time = /^\d{4}-\d\d-\d\d/.test(value) ? Date.parse(value) : Number.NaN;
    if (Number.isNaN(time)) throw refuse('since', 'the id of a request that the journal holds, or a time', value);
    return ({ at }) => at > time;
  },
};

function filterOf(query: URLSearchParams, journal: Journal): Filter {
  const filters = Object.entries(FILTERS).flatMap(([name, make]) => {
    const value = query.get(name);
    return value === null ? [] : [make(value, journal)];
  });
  if (!query.has('caller')) filters.push(({ caller }) => caller !== CONSOLE);
  return (draft) => filters.every((filter) => filter(draft));
}

function limitOf(query: URLSearchParams): number | undefined {
  const value = query.get('limit');
  if (value === null) return undefined;
  if (!/^[1-9]\d{0,8}$/.test(value)) throw refuse('limit', 'a whole number from 1', value);
  return Number(value);
}

function formatOf<Format extends string>(query: URLSearchParams, formats: readonly Format[]): Format | 'json' {
  const value = query.get('format') ?? 'json';
  const found = formats.find((one) => one === value);
  if (found === undefined && value !== 'json') throw refuse('format', ['json', ...formats].join(' or '), value);
  return found ?? 'json';
}

/** The calls of the journal (SEE-3). */
export function journalRows(parts: ControlParts): ControlRow[] {
  const { events, journal, recordingOf, version } = parts;
  const har = async (entries: ReturnType<Journal['list']>) => json((await import('./har.js')).harOf(entries, version));
  const draftOf = (id: string | undefined, hint = ''): JournalDraft => {
    const draft = journal.drafts().findLast((each) => each.id === id);
    if (!draft) throw new ControlError(404, `the journal holds no request ${id}${hint}`);
    return draft;
  };
  return [
    controlRow('GET /journal', {
      does: 'Lists the newest 1,000 requests and responses, newest last',
      query: {
        operation: 'Only this operation',
        status: 'Only this status: `409` or `4xx`',
        intern_id: 'Only those to this intern',
        run_id: 'Only those of this run',
        caller: "Only those of this caller; without it, all but the console's own (`console`)",
        judged: 'Only those with this verdict of `--judge`: `kept`, `broken` or `not_judged`',
        since: 'Only those after this id or time',
        limit: 'At most this many, the newest',
        format: '`json`, `har` for the tools of browsers, or `recording`: a file for `--replay` and `drift`',
      },
      async handle({ query }) {
        const format = formatOf(query, ['har', 'recording']);
        const entries = journal.list(filterOf(query, journal), limitOf(query));
        if (format === 'recording')
          return { status: 200, body: await recordingOf(entries), headers: { 'content-type': 'application/jsonl' } };
        return format === 'har' ? har(entries) : json({ data: entries });
      },
    }),
    controlRow('GET /journal/:id', {
      does: 'Shows one request and its response, by its `x-request-id`; of several, the newest',
      query: { format: '`json`, or `har`' },
      handle({ params, query }) {
        const draft = draftOf(params.id);
        return formatOf(query, ['har']) === 'har' ? har([journal.view(draft)]) : json(journal.view(draft));
      },
    }),
    controlRow('GET /journal/:id/explain', {
      does: 'Explains one: what was wrong, the requirement, and what to send instead, as curl',
      async handle({ params }) {
        const draft = draftOf(params.id, '; POST /_emulator/signing/explain explains what daemons accept');
        const { explainExchange } = await import('./explain/explain.js');
        return json(await explainExchange(draft, parts));
      },
    }),
    controlRow('DELETE /journal', {
      does: 'Empties the journal',
      handle() {
        journal.clear();
        events.reset();
      },
    }),
  ];
}
