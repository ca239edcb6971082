import * as z from 'zod';
import type { ClockControl } from '../clock/clock.js';
import { durationSchema } from '../contract/duration.js';
import { ERRORS } from '../contract/errors.js';
import type { RunView } from '../contract/run.js';
import { type Settings, settingsSchema } from '../contract/settings.js';
import type { InternRow, RevealRow } from '../contract/state.js';
import { type State, stateSchema } from '../contract/state.js';
import { type Faults, faultSchema } from '../http/faults.js';
import type { Journal } from '../http/journal.js';
import { json, toResponse } from '../http/response.js';
import { ScriptInvalid } from '../scripts/problems.js';
import type { Scripts } from '../scripts/registry.js';
import { guardControl } from './guard.js';
import { ControlError, type ControlRow, createRouter } from './router.js';
import type { Target } from './target.js';

/** What the control interface reaches of an emulator. */
export interface ControlParts {
  readonly version: string;
  readonly clock: ClockControl;
  readonly faults: Faults;
  readonly journal: Journal;
  readonly token: string | undefined;
  /** Whether a listener can be reached from other machines, under whatever name they have for it. */
  beyondLoopback(): boolean;
  target(): Target;
  settings(): Settings;
  /** Changes the turn limit and clears what was counted (CHAT-17). */
  setTurnsPerMinute(turns: number): void;
  intern(id: string): InternRow | undefined;
  /** Puts a script on an intern, or takes it off. */
  setScript(intern: InternRow, name: string | null): void;
  /** Resolves once what was put is durable. */
  commit(): Promise<void>;
  runs(internId?: string): RunView[];
  reveals(): RevealRow[];
  readonly scripts: Pick<Scripts, 'names' | 'view' | 'list' | 'check' | 'put' | 'delete'>;
  reset(): Promise<void>;
  exportState(credentials: boolean): State;
  importState(state: State): Promise<void>;
  /** Further rows: the signing lab. */
  readonly extra: readonly ControlRow[];
  log(record: Record<string, unknown>): void;
}

const clockBody = z.union(
  [
    z.strictObject({ advance: durationSchema }),
    z.strictObject({ freeze: z.literal(true) }),
    z.strictObject({ resume: z.literal(true) }),
  ],
  { error: 'expected {"advance": ms or "5m"}, {"freeze": true} or {"resume": true}' },
);

/** The control interface under `/_emulator` (section 2 of the contract), as a fetch function. */
export function createControl(parts: ControlParts): (request: Request) => Promise<Response> {
  const { clock, faults, journal, scripts } = parts;
  const now = () => json({ now: new Date(clock.now()).toISOString(), mode: clock.mode });
  const limits = () => json({ turns_per_minute: parts.settings().turns_per_minute });
  const list = (data: readonly unknown[]) => json({ data });
  const done = { status: 204, body: null, headers: {} } as const;

  const internOf = (id: string | undefined): InternRow => {
    const row = parts.intern((id ?? '').toLowerCase());
    if (!row) throw new ControlError(404, `no intern ${id}`);
    return row;
  };
  const internView = (row: InternRow) =>
    json({
      intern: row.record,
      vault: { id: row.record.vault_id },
      script: row.script,
      api_key: row.api_key,
      runs: parts.runs(row.id),
    });

  /** What is no valid script is the caller's mistake, told in the words that say where it is. */
  const orRefused = <T>(work: () => T): T => {
    try {
      return work();
    } catch (error) {
      throw error instanceof ScriptInvalid ? new ControlError(400, error.message) : error;
    }
  };

  const rows: ControlRow[] = [
    { method: 'GET', path: '/health', handle: () => json({ status: 'ok', version: parts.version }) },
    { method: 'GET', path: '/target', handle: () => json(parts.target()) },
    { method: 'GET', path: '/clock', handle: now },
    {
      method: 'POST',
      path: '/clock',
      async handle(call) {
        const body = await call.body(clockBody);
        if ('advance' in body) {
          await clock.advance(body.advance).catch((error: unknown) => {
            throw error instanceof RangeError ? new ControlError(400, `advance: ${error.message}`) : error;
          });
        } else if ('freeze' in body) clock.freeze();
        else clock.resume();
        return now();
      },
    },
    { method: 'GET', path: '/scripts', handle: () => list(scripts.list()) },
    {
      method: 'GET',
      path: '/scripts/:name',
      handle({ params }) {
        const script = scripts.view(params.name ?? '');
        if (script === undefined)
          throw new ControlError(404, `no script ${params.name}; known: ${scripts.names().join(', ')}`);
        return json(script);
      },
    },
    {
      method: 'PUT',
      path: '/scripts/:name',
      async handle(call) {
        const source = await call.body(z.unknown());
        const view = orRefused(() => scripts.put(call.params.name ?? '', source));
        await parts.commit();
        return json(view);
      },
    },
    {
      method: 'DELETE',
      path: '/scripts/:name',
      async handle({ params }) {
        if (!scripts.delete(params.name ?? '')) throw new ControlError(404, `no script ${params.name} was put here`);
        await parts.commit();
        return done;
      },
    },
    { method: 'GET', path: '/interns/:id', handle: ({ params }) => internView(internOf(params.id)) },
    {
      method: 'PUT',
      path: '/interns/:id/script',
      async handle(call) {
        const row = internOf(call.params.id);
        const { name } = await call.body(z.strictObject({ name: z.string().nullable() }));
        if (name !== null && !scripts.names().includes(name))
          throw new ControlError(400, `no script ${name}; known: ${scripts.names().join(', ')}`);
        parts.setScript(row, name);
        await parts.commit();
        return internView(internOf(row.id));
      },
    },
    { method: 'GET', path: '/runs', handle: ({ query }) => list(parts.runs(query.get('intern_id') ?? undefined)) },
    {
      method: 'GET',
      path: '/reveals',
      handle: () => list(parts.reveals().map(({ intern_id, caller, at }) => ({ intern_id, caller, at }))),
    },
    { method: 'GET', path: '/journal', handle: () => list(journal.list()) },
    {
      method: 'DELETE',
      path: '/journal',
      handle() {
        journal.clear();
        return done;
      },
    },
    { method: 'GET', path: '/limits', handle: limits },
    {
      method: 'PUT',
      path: '/limits',
      async handle(call) {
        const body = await call.body(
          z.strictObject({ turns_per_minute: settingsSchema.shape.turns_per_minute.unwrap() }),
        );
        parts.setTurnsPerMinute(body.turns_per_minute);
        return limits();
      },
    },
    { method: 'GET', path: '/faults', handle: () => list(faults.list()) },
    {
      method: 'POST',
      path: '/faults',
      async handle(call) {
        const fault = await call.body(faultSchema);
        faults.add(fault);
        return json(fault, 201);
      },
    },
    {
      method: 'DELETE',
      path: '/faults',
      handle() {
        faults.clear();
        return done;
      },
    },
    {
      method: 'POST',
      path: '/reset',
      async handle() {
        await parts.reset();
        return json({ reset: true });
      },
    },
    {
      method: 'GET',
      path: '/state',
      handle: ({ query }) => json(parts.exportState(query.get('credentials') === '1')),
    },
    {
      method: 'PUT',
      path: '/state',
      async handle(call) {
        const state = await call.body(stateSchema);
        orRefused(() => {
          for (const { id, source } of state.scripts) scripts.check(id, source);
        });
        await parts.importState(state);
        return json({ imported: true });
      },
    },
    ...parts.extra,
  ];

  const serve = createRouter(rows, parts.log);
  return async (request) => {
    const refused = guardControl(request, parts.token, parts.beyondLoopback());
    if (refused === undefined) return serve(request);
    const { status } = ERRORS.regional;
    return toResponse(json({ error: { code: status, message: refused } }, status));
  };
}
