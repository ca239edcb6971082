import { durationSchema } from '../contract/duration.js';
import { faultSchema } from '../contract/fault.js';
import { matchesSchema } from '../contract/match.js';
import { importedStateSchema } from '../contract/migrations.js';
import { suggestion } from '../contract/nearest.js';
import { words } from '../contract/problem.js';
import { isRecord } from '../contract/record.js';
import { scriptSchema } from '../contract/script.js';
import { settingsSchema } from '../contract/settings.js';
import { type InternRow, stateSchema } from '../contract/state.js';
import { withZod } from '../contract/with-zod.js';
import { json } from '../http/response.js';
import { needScripts } from '../scripts/matches.js';
import { ControlError } from './error.js';
import { eventsRow } from './events-row.js';
import { journalRows } from './journal.js';
import type { ControlParts } from './parts.js';
import { type ControlRow, controlRow } from './router.js';
import { snapshotRows } from './snapshots.js';
import { spaceRows } from './spaces.js';

const clockBody = withZod((z) =>
  z.union(
    [
      z.strictObject({ advance: durationSchema() }),
      z.strictObject({ freeze: z.literal(true) }),
      z.strictObject({ resume: z.literal(true) }),
    ],
    { error: 'expected {"advance": ms or "5m"}, {"freeze": true} or {"resume": true}' },
  ),
);

const anything = withZod((z) => z.unknown());
const scriptBody = withZod((z) => z.strictObject({ name: z.string().nullable() }));
const limitsBody = withZod((z) =>
  z.strictObject({ turns_per_minute: settingsSchema().shape.turns_per_minute.unwrap() }),
);

const switchesBody = withZod((z) => {
  const { vault_writes, scim_sync } = settingsSchema().shape;
  return z.strictObject({ vault_writes: vault_writes.unwrap().optional(), scim_sync: scim_sync.unwrap().optional() });
});

/** A fault as it is listed can be added again: it gets another id. */
const withoutId = (value: unknown): unknown => {
  if (!isRecord(value)) return value;
  const { id: _, ...fault } = value;
  return fault;
};

const faultList = withZod((z) => z.array(faultSchema()).max(1_000));
const describedFaults = withZod((z) => z.union([faultSchema(), faultList()]));

/** A problem with one of a list is reported with its place. */
const faultsBody = withZod((z) =>
  z.unknown().transform((given, context) => {
    const value = Array.isArray(given) ? given.map(withoutId) : withoutId(given);
    const read = (Array.isArray(value) ? faultList() : faultSchema()).safeParse(value, {
      error: words,
    });
    if (read.success) return read.data;
    for (const { path, message } of read.error.issues) context.addIssue({ code: 'custom', path, message });
    return z.NEVER;
  }),
);

const list = (data: readonly unknown[]) => json({ data });

/** The table of the control interface: it routes, `GET /_emulator` lists it, and docs/control.md is made from it. */
export function controlRows(parts: ControlParts): readonly ControlRow[] {
  const { clock, faults, readers, scripts } = parts;
  const now = () => json(readers.clock());
  const switches = () => {
    const { vault_writes, scim_sync } = parts.settings();
    return json({ vault_writes, scim_sync });
  };
  const limits = () => json({ turns_per_minute: parts.settings().turns_per_minute });

  const internOf = (id: string | undefined): InternRow => {
    const row = readers.internRow((id ?? '').toLowerCase());
    if (!row) throw new ControlError(404, `no intern ${id}`);
    return row;
  };
  const internView = (row: InternRow) => json({ ...readers.intern(row.id), api_key: row.api_key });
  const unknownScript = (status: number, name = '') => {
    const known = scripts.names();
    return new ControlError(status, `no script ${name}${suggestion(name, known)}; known: ${known.join(', ')}`);
  };

  const rows: ControlRow[] = [
    controlRow('GET /', {
      does: 'Lists every call of the control interface',
      handle: async () => list((await import('./listing.js')).listing(rows)),
    }),
    controlRow('GET /control-openapi.json', {
      does: 'Describes the control interface as an OpenAPI 3.1 document',
      async handle() {
        const { control_url } = parts.target();
        return json(await (await import('./document.js')).controlDocument(rows, { url: control_url, ...parts }));
      },
    }),
    controlRow('GET /health', {
      does: 'Says that the emulator is up, and its version',
      handle: () => json({ status: 'ok', version: parts.version }),
    }),
    controlRow('GET /target', {
      does: 'Shows what a client or the kit needs: addresses, workspaces, credentials, public keys',
      handle: () => json(parts.target()),
    }),
    controlRow('GET /clock', { does: 'Shows the time and the mode of the clock', handle: now }),
    controlRow('POST /clock', {
      does: 'Advances, freezes or resumes the clock, and answers once all timers due have settled',
      body: clockBody,
      shape: '{"advance": ms or "5m"} | {"freeze": true} | {"resume": true}',
      async handle(call) {
        const body = await call.body();
        if ('advance' in body) {
          await clock.advance(body.advance, call.request.signal).catch((error: unknown) => {
            throw error instanceof RangeError ? new ControlError(400, `advance: ${error.message}`) : error;
          });
        } else if ('freeze' in body) clock.freeze();
        else clock.resume();
        return now();
      },
    }),
    controlRow('GET /scripts', {
      does: 'Lists the scripts: shipped, from files and code, and put here',
      handle: () => list(scripts.list()),
    }),
    controlRow('GET /scripts/:name', {
      does: 'Shows one script, with its JSON unless it was written in code',
      handle({ params }) {
        const script = scripts.view(params.name);
        if (script === undefined) throw unknownScript(404, params.name);
        return json(script);
      },
    }),
    controlRow('PUT /scripts/:name', {
      does: 'Puts a JSON script under the name that it has',
      body: anything,
      described: scriptSchema,
      shape: 'a script: {"name", "turn"?: [step, …], "lifecycle"?}',
      async handle(call) {
        const source = await call.body();
        const view = scripts.put(call.params.name, source);
        await parts.commit();
        return json(view);
      },
    }),
    controlRow('DELETE /scripts/:name', {
      does: 'Takes back a script that was put here; that of another source with its name applies again',
      async handle({ params }) {
        if (!scripts.delete(params.name)) throw new ControlError(404, `no script ${params.name} was put here`);
        await parts.commit();
      },
    }),
    controlRow('GET /interns', {
      does: 'Lists the interns of every workspace, newest first',
      handle: () => list(readers.shown(parts.interns().map((row) => row.record))),
    }),
    controlRow('GET /interns/:id', {
      does: 'Shows an intern with its vault, script, API key and runs',
      handle: ({ params }) => internView(internOf(params.id)),
    }),
    controlRow('PUT /interns/:id/script', {
      does: 'Assigns a script to an intern; null removes it',
      body: scriptBody,
      async handle(call) {
        const row = internOf(call.params.id);
        const { name } = await call.body();
        if (name !== null && !scripts.names().includes(name)) throw unknownScript(400, name);
        parts.setScript(row, name);
        await parts.commit();
        return internView(internOf(row.id));
      },
    }),
    controlRow('DELETE /interns/:id/script', {
      does: 'Takes the script off an intern',
      async handle({ params }) {
        const row = internOf(params.id);
        parts.setScript(row, null);
        await parts.commit();
      },
    }),
    controlRow('GET /matches', {
      does: 'Lists the scripts that are chosen by what a prompt says',
      handle: () => json(readers.match()),
    }),
    controlRow('PUT /matches', {
      does: 'Replaces them all',
      body: matchesSchema,
      shape: '[{"when": {"contains"?, "regex"?, "session"?, "turn"?}, "script"}, …]',
      async handle(call) {
        const matches = await call.body();
        needScripts(matches, scripts.names());
        parts.matches.put(matches);
        await parts.commit();
        return json(readers.match());
      },
    }),
    controlRow('DELETE /matches', {
      does: 'Returns to those of the start',
      async handle() {
        parts.matches.clear();
        await parts.commit();
      },
    }),
    controlRow('GET /runs', {
      does: 'Lists the runs, newest first',
      query: { intern_id: 'Only those of this intern' },
      handle: ({ query }) => list(readers.shown(parts.runs.list(query.get('intern_id') ?? undefined))),
    }),
    controlRow('GET /runs/:id', {
      does: 'Shows one run, with its script and transcript',
      handle({ params }) {
        const id = params.id;
        const run = parts.runs.find(id);
        if (!run) throw new ControlError(404, `no run ${id}`);
        const transcript = parts.transcripts.of(id);
        return json({
          ...readers.shown(run.view),
          script: run.script,
          script_by: run.chosenBy,
          approval_mode: run.approvalMode,
          usage: run.usage,
          // Null if it is no longer held.
          transcript: transcript?.lines ?? null,
          ...(transcript?.cut ? { transcript_cut: true } : {}),
        });
      },
    }),
    controlRow('GET /reveals', {
      does: 'Lists who received the daemon token of which intern, newest first',
      handle: () => list(parts.reveals().map(({ intern_id, caller, at }) => ({ intern_id, caller, at }))),
    }),
    ...journalRows(parts),
    eventsRow(parts.events),
    controlRow('GET /limits', { does: 'Shows the chat turn limit', handle: limits }),
    controlRow('PUT /limits', {
      does: 'Sets the chat turns per minute and caller (0 is off), and forgets the counts',
      body: limitsBody,
      async handle(call) {
        parts.setTurnsPerMinute((await call.body()).turns_per_minute);
        return limits();
      },
    }),
    controlRow('GET /settings', {
      does: 'Shows whether vaults can be written, and how the next directory sync ends',
      handle: switches,
    }),
    controlRow('PUT /settings', {
      does: 'Turns vault writes off or on, or makes the next directory sync fail; missing keys stay as they are',
      body: switchesBody,
      shape: '{"vault_writes"?: "on"|"off", "scim_sync"?: "succeeds"|"fails"}',
      async handle(call) {
        const { vault_writes, scim_sync } = await call.body();
        parts.changeSettings({ ...(vault_writes && { vault_writes }), ...(scim_sync && { scim_sync }) });
        return switches();
      },
    }),
    controlRow('GET /faults', {
      does: 'Lists the faults that are still to come, each with an id',
      handle: () => json(readers.fault()),
    }),
    controlRow('DELETE /faults/:id', {
      does: 'Takes one fault back',
      handle({ params }) {
        if (!faults.remove(params.id)) throw new ControlError(404, `no fault ${params.id} is still to come`);
      },
    }),
    controlRow('POST /faults', {
      does: 'Makes the next calls of an operation fail, wait, lose their connection, or meet a disturbance',
      body: faultsBody,
      described: describedFaults,
      shape:
        '{"operation", "intern_id"?, "after"?, "probability"?, "times"?: integer|"always", and one of "status"?: 408|429|500|502|503|504, "delay"?, "disconnect"?: "before-headers"|"mid-event"|"before-done"|"reset", "reset"?: boolean, "at"?: "vault"|"provisioner", "disturb"?, "nth"?, "write"?, "state"?: "asked"|"answer-sent"}, or a list of them',
      async handle(call) {
        const given = await call.body();
        for (const fault of [given].flat()) faults.add(fault);
        return json(given, 201);
      },
    }),
    controlRow('DELETE /faults', {
      does: 'Takes all faults back',
      handle: () => faults.clear(),
    }),
    controlRow('POST /reset', {
      does: 'Returns to the seed: interns, runs, keys, scripts, faults, limits, journal; the clock stays',
      async handle() {
        await parts.reset();
        return json({ reset: true });
      },
    }),
    controlRow('GET /state', {
      does: 'Exports the state',
      query: { credentials: '1: with credentials' },
      handle({ query }) {
        const credentials = query.get('credentials');
        if (credentials !== null && credentials !== '1')
          throw new ControlError(400, `credentials: expected 1; found ${JSON.stringify(credentials)}`);
        return json(parts.exportState(credentials === '1'));
      },
    }),
    controlRow('PUT /state', {
      does: 'Replaces the state by an exported one, of this release or an older one',
      body: importedStateSchema,
      described: stateSchema,
      shape: 'what GET /_emulator/state answers',
      async handle(call) {
        const state = await call.body();
        for (const { id, source } of state.scripts) scripts.check(id, source);
        await parts.importState(state);
        return json({ imported: true });
      },
    }),
    ...snapshotRows(parts.snapshots, readers.clock),
    ...(parts.spaces ? spaceRows(parts.spaces) : []),
    ...parts.extra,
  ];
  return rows;
}
