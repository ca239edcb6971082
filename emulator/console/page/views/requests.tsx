import { useMemo, useState } from 'preact/hooks';
import { atHumanLength, span, timeOf } from '../format.js';
import type { RequestRow } from '../requests.js';
import { save } from '../save.js';
import type { Intern } from '../types.js';
import { Button } from '../ui/button.js';
import { useServices } from '../ui/context.js';
import { type Option, Select } from '../ui/field.js';
import { Empty, Shield, Snippet, Split, StatusCode } from '../ui/parts.js';
import { useForm } from '../ui/use-form.js';
import { VirtualList } from '../ui/virtual-list.js';
import { RequestDetail } from './request-detail.js';

const ROW = 40;

const CLASSES = ['2xx', '3xx', '4xx', '5xx'] as const;

const VERDICTS: [string, string][] = [
  ['broken', 'Breaks a rule'],
  ['kept', 'Keeps the rules'],
  ['not_judged', 'Not judged'],
];

/** Caller of the requests that this page makes for itself. */
const CONSOLE = 'console';

const NO_FILTER = { text: '', status: '', operation: '', caller: '', judged: '' };
type Filter = typeof NO_FILTER;

/** Tells the requests of the chosen caller; without one, those of every client. */
const isOf = (caller: string) => (row: RequestRow) => (caller === '' ? row.caller !== CONSOLE : row.caller === caller);

const fits = (row: RequestRow, { text, status, operation, judged }: Filter): boolean =>
  (judged === '' || row.judged === judged) &&
  (status === '' || (row.status !== null && `${Math.floor(row.status / 100)}xx` === status)) &&
  (operation === '' || row.operation === operation) &&
  (text === '' ||
    `${row.method} ${row.path} ${row.status} ${row.caller ?? ''} ${row.reason ?? ''} ${row.prompt ?? ''} ${row.script ?? ''} ${row.id}`
      .toLowerCase()
      .includes(text.toLowerCase()));

const namesIn = (rows: readonly RequestRow[], key: 'operation' | 'caller'): string[] =>
  [...new Set(rows.map((row) => row[key]).filter((name) => name !== null))].sort();

/** How a run ended, where that is no failure. */
const ENDS: Readonly<Record<string, string>> = { stop: 'good', asks: 'ask' };

/** A path as a person reads it: without the common part, and with names in place of ids. */
const readable = (path: string, interns: ReadonlyMap<string, Intern>): string =>
  atHumanLength(path.replace(/^\/api\/v1(?=\/)/, ''), (id) => interns.get(id)?.name);

function Row({ row, judges }: { row: RequestRow; judges: boolean }) {
  const { model } = useServices();
  return (
    <>
      <span class="cell quiet mono on-wide" title={row.at}>
        {timeOf(row.at)}
      </span>
      {judges && <Shield verdict={row.judged} />}
      <StatusCode status={row.status} />
      <span class={`cell method ${row.method}`}>{row.method}</span>
      <span class="grow mono ellipsis" title={row.path}>
        {row.prompt === undefined ? (
          readable(row.path, model.interns.value)
        ) : (
          <>
            <q>{row.prompt}</q>{' '}
            <span class="quiet">
              {(row.internId !== null && model.interns.value.get(row.internId)?.name) || row.operation}
            </span>
          </>
        )}
      </span>
      <span class="row tags">
        {row.script !== null && <span class="tag">{row.script}</span>}
        {row.ended !== undefined && <span class={`tag ${ENDS[row.ended] ?? 'bad'}`}>{row.ended}</span>}
        {row.reason && <span class="tag">{row.reason}</span>}
        {row.stream === 'open' && <span class="tag live">streams</span>}
        {row.stream === 'client_left' && <span class="tag bad">client left</span>}
        {row.stream === 'dropped' && <span class="tag bad">dropped</span>}
      </span>
      <span class="cell caller late quiet small ellipsis on-wide">{row.caller ?? ''}</span>
      <span class="cell late quiet mono on-wide">{row.ms === null ? '' : span(row.ms)}</span>
    </>
  );
}

function Nothing({ filtered, onClear }: { filtered: boolean; onClear: () => void }) {
  const { model } = useServices();
  const target = model.target.value;
  if (filtered)
    return (
      <Empty icon="requests" title="No request fits the filter">
        <Button onClick={onClear}>Clear the filter</Button>
      </Empty>
    );
  const command = `curl -H 'Authorization: Bearer ${target?.credentials.api_key ?? ''}' ${target?.base_url ?? ''}/interns`;
  return (
    <Empty icon="requests" title="No requests yet">
      Point your client at {target?.base_url}, or try:
      <Snippet text={command} label="Copy the command">
        <code class="grow">{command}</code>
      </Snippet>
    </Empty>
  );
}

export function RequestsView({ id }: { id: string | undefined }) {
  const { model, router } = useServices();
  const { values: filter, set: setFilter, field } = useForm(NO_FILTER);
  const [paused, setPaused] = useState<readonly RequestRow[] | undefined>(undefined);
  const live = model.requests.rows.value;
  const all = useMemo(() => (paused ?? live).filter(isOf(filter.caller)), [paused, live, filter.caller]);
  const fresh = paused === undefined ? 0 : live.filter(isOf(filter.caller)).length - all.length;
  const rows = useMemo(() => all.filter((row) => fits(row, filter)).reverse(), [all, filter]);
  const operations = useMemo(() => namesIn(all, 'operation'), [all]);
  const callers = useMemo(() => namesIn(paused ?? live, 'caller'), [paused, live]);
  const filtered = Object.values(filter).some((value) => value !== '');
  const judges = live.some(({ judged }) => judged !== undefined);
  const choose = (key: keyof Filter, label: string, any: string, options: readonly Option[]) => (
    <Select inline="unlabelled" label={label} options={[['', any], ...options]} {...field(key)} />
  );
  const recording = model.recording.value;
  const record = async () => {
    if (recording === undefined) {
      model.recording.value = live.at(-1)?.id ?? new Date(model.now()).toISOString();
      model.notify('done', 'Recording: what comes from now on is saved when you stop');
      return;
    }
    await model.attempt(async () => {
      const since = encodeURIComponent(recording);
      save('recording.jsonl', await model.api.file(`journal?format=recording&since=${since}`));
      model.recording.value = undefined;
    }, 'The recording is saved: --replay and drift read it');
  };
  const clear = () =>
    model.attempt(async () => {
      await model.api.control('DELETE', 'journal');
      model.recording.value = undefined;
      model.requests.clear();
      setPaused(undefined);
    });
  return (
    <Split
      title="Requests"
      wide
      open={id !== undefined}
      head={
        <>
          <span class="quiet grow">{filtered ? `${rows.length} of ${all.length}` : all.length}</span>
          <div class="row">
            <Button small icon={paused ? 'play' : 'pause'} onClick={() => setPaused(paused ? undefined : live)}>
              {paused ? `Resume${fresh > 0 ? ` (${fresh} new)` : ''}` : 'Pause'}
            </Button>
            <Button small icon={recording === undefined ? 'down' : 'check'} onClick={record}>
              {recording === undefined ? 'Record' : 'Stop and save'}
            </Button>
            <Button small icon="trash" onClick={clear}>
              Clear
            </Button>
          </div>
        </>
      }
      list={
        <>
          <search class="row wrap filters">
            <input
              type="search"
              aria-label="Filter requests"
              placeholder="Filter"
              value={filter.text}
              onInput={(event) => setFilter({ text: event.currentTarget.value })}
            />
            {choose('operation', 'Operation', 'All operations', operations)}
            {choose('status', 'Status', 'Any status', CLASSES)}
            {choose('caller', 'Caller', 'All clients', callers)}
            {judges && choose('judged', 'Rules', 'Any verdict', VERDICTS)}
          </search>
          {model.skipped.value > 0 && (
            <p class="callout">{`${model.skipped.value} requests came too fast to be shown; the journal has the newest 1,000.`}</p>
          )}
          {rows.length > 0 ? (
            <VirtualList
              label="Requests, newest first"
              rows={rows}
              height={ROW}
              idOf={(row) => row.id}
              selected={id}
              onSelect={(selected) => router.go('requests', selected)}
            >
              {(row) => <Row row={row} judges={judges} />}
            </VirtualList>
          ) : (
            <Nothing filtered={filtered} onClear={() => setFilter(NO_FILTER)} />
          )}
        </>
      }
    >
      {id !== undefined && <RequestDetail key={id} id={id} />}
    </Split>
  );
}
