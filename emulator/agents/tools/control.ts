import { counted } from '../../contract/counted.js';
import { DISTURBED_ONLY, OPERATIONS } from '../../contract/operation.js';
import { withZod } from '../../contract/with-zod.js';
import { controlJson, targetOf } from '../door.js';
import { tool } from '../tool.js';

export const status = tool(
  withZod((z) => z.strictObject({})),
  {
    name: 'status',
    description:
      'Says where the emulator is: addresses, workspace, credentials of the seed, clock, and how much there is of interns, runs, faults and of the newest 100 refused requests. Use it first, and give the client under test what it says.',
    output: withZod((z) =>
      z.object({
        version: z.string(),
        clock: z.looseObject({ now: z.string(), mode: z.string() }),
        target: z.looseObject({}),
        counts: z.record(z.string(), z.int()),
      }),
    ),
    readOnly: true,
    async run(_, { door }) {
      const size = async (path: string) => (await controlJson<{ data: unknown[] }>(door, 'GET', path)).data;
      const [{ version }, clock, target, interns, runs, faults, refused] = await Promise.all([
        controlJson<{ version: string }>(door, 'GET', '/health'),
        controlJson<{ now: string; mode: string }>(door, 'GET', '/clock'),
        targetOf(door),
        size('/interns'),
        size('/runs'),
        size('/faults'),
        size('/journal?status=4xx&limit=100'),
      ]);
      const open = (runs as { status: string }[]).filter((run) => run.status !== 'ended').length;
      const counts = {
        interns: interns.length,
        open_runs: open,
        faults: faults.length,
        refused_requests: refused.length,
      };
      const { base_url, control_url, credentials, workspace_id } = target;
      return {
        data: { version, clock, target, counts },
        text: [
          `intern-emulator ${version}, clock ${clock.mode} at ${clock.now}`,
          `INTERN_BASE_URL=${base_url}`,
          `INTERN_CONTROL_URL=${control_url}`,
          `INTERN_API_KEY=${credentials.api_key}`,
          `INTERN_OAUTH_TOKEN=${credentials.oauth_token}`,
          `INTERN_WORKSPACE_ID=${workspace_id}`,
          ...(credentials.intern ? [`INTERN_INTERN_ID=${credentials.intern.id}`] : []),
          Object.entries(counts)
            .map(([name, count]) => `${count} ${name.replace('_', ' ')}`)
            .join(', '),
          ...(door.listens ? [] : ['It is in process: these addresses cannot be reached from outside.']),
        ].join('\n'),
      };
    },
  },
);

export const advanceClock = tool(
  withZod((z) => z.strictObject({ by: z.string().describe('Such as "30s", "5m", "250ms"') })),
  {
    name: 'advance_clock',
    description:
      'Moves the clock of the emulator forward and waits until what was due has happened: boots, deadlines, keepalives. Use it instead of sleeping on a virtual or auto clock.',
    output: withZod((z) => z.object({ now: z.string(), mode: z.string() })),
    readOnly: false,
    async run({ by }, { door }) {
      const data = await controlJson<{ now: string; mode: string }>(door, 'POST', '/clock', { advance: by });
      return { data, text: `It is ${data.now} now (${data.mode}).` };
    },
  },
);

export const injectFault = tool(
  withZod((z) =>
    z.looseObject({
      operation: z.enum([...OPERATIONS, ...DISTURBED_ONLY]).optional(),
      status: z.int().optional().describe('408, 429, 500, 502, 503 or 504'),
      delay: z.string().optional(),
      disconnect: z.string().optional().describe('before-headers, mid-event, before-done or reset'),
      disturb: z.string().optional().describe('Such as lost, silence, rate-limited'),
      times: z.int().optional(),
      after: z.int().optional(),
      intern_id: z.string().optional(),
      clear: z.boolean().optional(),
    }),
  ),
  {
    name: 'inject_fault',
    description:
      'Makes the next calls of an operation fail, wait, lose their connection or meet a disturbance. Use it to see whether a client retries and reports rightly. One of status, delay, disconnect, disturb. clear: true takes all faults back first; alone it does only that.',
    output: withZod((z) => z.object({ faults: z.array(z.looseObject({ id: z.string(), operation: z.string() })) })),
    readOnly: false,
    destructive: true,
    async run({ clear, ...fault }, { door }) {
      if (clear === true) await controlJson(door, 'DELETE', '/faults');
      if (clear !== true || Object.keys(fault).length > 0) await controlJson(door, 'POST', '/faults', fault);
      const { data } = await controlJson<{ data: unknown[] }>(door, 'GET', '/faults');
      return { data: { faults: data }, text: `${counted(data.length, 'fault')} to come: ${JSON.stringify(data)}` };
    },
  },
);

export const putScript = tool(
  withZod((z) =>
    z.strictObject({
      script: z.looseObject({
        name: z.string(),
        description: z.string().optional(),
        turn: z
          .array(z.looseObject({}))
          .optional()
          .describe('Steps: say, ask, reason, wait, when, release, usage, end'),
        lifecycle: z.looseObject({}).optional().describe('How it boots and is deleted'),
      }),
      intern_id: z.string().optional(),
    }),
  ),
  {
    name: 'put_script',
    description:
      'Puts a JSON script, which says what an intern answers, asks or how it fails, and assigns it to intern_id if given. Use it to make an intern behave as a test needs. Errors name the place. docs:///scripts has the steps: {"name", "turn": [{"say": "…"}, {"ask": …}, {"end": …}]}.',
    output: withZod((z) =>
      z.looseObject({ name: z.string(), from: z.string(), source: z.looseObject({ name: z.string() }) }),
    ),
    readOnly: false,
    async run({ script, intern_id }, { door }) {
      const name = encodeURIComponent(script.name);
      const data = await controlJson<Record<string, unknown>>(door, 'PUT', `/scripts/${name}`, script);
      if (intern_id !== undefined)
        await controlJson(door, 'PUT', `/interns/${encodeURIComponent(intern_id)}/script`, { name: script.name });
      const how = intern_id === undefined ? `a first line "script: ${script.name}"` : `any prompt to ${intern_id}`;
      return { data, text: `The script ${script.name} is there: ${how} takes it.` };
    },
  },
);

export const snapshot = tool(
  withZod((z) =>
    z.strictObject({ action: z.enum(['keep', 'restore', 'reset', 'list']), name: z.string().default('agent') }),
  ),
  {
    name: 'snapshot',
    description:
      'Keeps the whole state under a name, restores it, or resets to the seed. Use it so that each try of a client begins alike. keep and restore need name; "start" can always be restored; list shows them.',
    output: withZod((z) =>
      z.object({
        now: z.string(),
        snapshots: z.array(
          z.looseObject({
            name: z.string(),
            now: z.string().optional(),
            interns: z.int().optional(),
            unusable: z.string().optional(),
          }),
        ),
      }),
    ),
    readOnly: false,
    destructive: true,
    async run({ action, name }, { door }) {
      const at = `/snapshots/${encodeURIComponent(name)}`;
      const calls = { keep: ['PUT', at], restore: ['POST', `${at}/restore`], reset: ['POST', '/reset'] } as const;
      const [method, path] = action === 'list' ? [] : calls[action];
      if (method && path) await controlJson(door, method, path);
      const { data: snapshots } = await controlJson<{ data: { name: string }[] }>(door, 'GET', '/snapshots');
      const { now } = await controlJson<{ now: string }>(door, 'GET', '/clock');
      const done = { keep: `Kept as ${name}. `, restore: `Restored ${name}. `, reset: 'Reset to the seed. ', list: '' };
      const names = snapshots.map((each) => each.name).join(', ');
      return { data: { now, snapshots }, text: `${done[action]}It is ${now}; snapshots: ${names}` };
    },
  },
);

export const explainProof = tool(
  withZod((z) =>
    z.looseObject({
      headers: z.record(z.string(), z.string()),
      method: z.string().default('POST'),
      path: z.string().default('/'),
      body: z.string().optional(),
      intern_id: z.string().optional(),
    }),
  ),
  {
    name: 'explain_proof',
    description:
      'Explains what a daemon would answer to a signed request, down to the first differing byte. Use it when a daemon refuses a proof. Give the headers, method, path and body as the daemon received them, and intern_id.',
    output: withZod((z) =>
      z.looseObject({
        verdict: z.enum(['accepted', 'refused']),
        reason: z.string().nullable(),
        summary: z.string(),
        steps: z.array(z.looseObject({ check: z.string(), result: z.string(), detail: z.string() })),
        signatures: z.array(
          z.looseObject({
            version: z.string(),
            verifies: z.boolean(),
            problem: z.string().nullable(),
            first_difference: z.looseObject({ index: z.int(), field: z.string().nullable() }).nullable(),
          }),
        ),
      }),
    ),
    readOnly: true,
    async run(body, { door }) {
      const data = await controlJson<{ verdict: string; reason: string | null; summary: string }>(
        door,
        'POST',
        '/signing/explain',
        body,
      );
      return { data: { ...data }, text: `${data.verdict}${data.reason ? ` (${data.reason})` : ''}: ${data.summary}` };
    },
  },
);
