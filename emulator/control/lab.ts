import type { Scope } from '../clock/scope.js';
import type { LoadChecks } from '../contract/checks.js';
import { type JudgedRun, labResultSchema } from '../contract/lab-run.js';
import { withZod } from '../contract/with-zod.js';
import { json } from '../http/response.js';
import type { LazyLab, OpenLab } from '../lab/lazy.js';
import { ControlError } from './error.js';
import { type ControlRow, controlRow } from './router.js';

const anything = withZod((z) => z.unknown());

const adapterSchema = withZod((z) =>
  z.strictObject({
    command: z.tuple([z.string().min(1)], z.string()),
    only: z.array(z.string().min(1)).optional(),
    cuts: z.enum(['few', 'all', 'none']).optional(),
  }),
);

/** Adds to the lab a run that a kit made and judged. */
function adopt(opened: OpenLab, judged: JudgedRun) {
  const { case: id, client, verdict, sentence, expected, actual, cuts, url = '', started = 0, requests } = judged;
  const said = Object.entries({ sentence, expected, actual }).filter(([, text]) => text !== undefined);
  return opened.adopt(opened.findCase(id), {
    url,
    base_url: '',
    started,
    requests,
    prompt: [],
    ...(cuts === undefined ? {} : { cuts }),
    result: { client, verdict, ...Object.fromEntries(said) },
  });
}

interface AdapterDeps {
  /** The kit; undefined if the emulator was made without it. */
  readonly checks: LoadChecks | undefined;
  /** Whether commands of a caller may be run on this machine. */
  readonly mayRun: boolean;
  /** The emulator's own scope: adapters end with it. */
  readonly scope: Scope;
}

/** The client lab: runs of cases, and what the clients did (LAB-8). */
export function labRows(lab: LazyLab, { checks, mayRun, scope }: AdapterDeps): ControlRow[] {
  return [
    controlRow('GET /lab/cases', {
      does: 'Lists the cases of the client lab',
      handle: async () =>
        json({
          data: (await lab.open()).cases.map(({ id, layer, class: kind, title, needs = [] }) => ({
            id,
            layer,
            class: kind,
            title,
            needs,
          })),
        }),
    }),
    controlRow('GET /lab/cases/:id', {
      does: 'Shows a case of the client lab: what is sent, and what a right client makes of it',
      handle: async ({ params }) => json((await lab.open()).findCase(params.id)),
    }),
    controlRow('POST /lab/runs', {
      does: 'Starts a run of a case: requests to its URL are answered byte for byte',
      body: anything,
      described: async () => (await lab.open()).runSchema,
      shape: '{"case": id or a whole case, "cuts"?: [offsets of the body]}',
      async handle(call) {
        const body = await call.body();
        const opened = await lab.open();
        const wanted = opened.readRun(body);
        const { key, ...run } = await opened.start(wanted);
        return json(
          {
            ...run,
            headers: { authorization: `Bearer ${key}` },
            ...(wanted.case.request === undefined ? {} : { request: wanted.case.request }),
          },
          201,
        );
      },
    }),
    controlRow('GET /lab/runs', {
      does: 'Lists the runs of the client lab, newest first',
      handle: () => json({ data: lab.list() }),
    }),
    controlRow('GET /lab/runs/:run', {
      does: 'Shows what the client did in a run',
      handle({ params }) {
        const run = lab.read(params.run);
        if (run === undefined) throw new ControlError(404, `no run ${params.run}`);
        return json(run);
      },
    }),
    controlRow('GET /lab/runs/:run/sent', {
      does: 'Shows what was sent for each request of a run',
      async handle({ params }) {
        const sent = (await lab.open()).sent(params.run);
        if (sent === undefined) throw new ControlError(404, `no run ${params.run}`);
        return json({ data: sent });
      },
    }),
    controlRow('POST /lab/results', {
      does: 'Adds a run that a kit made and judged elsewhere (`intern-conformance client --show`)',
      body: labResultSchema,
      shape: '{"case": id, "client", "verdict", "sentence"?, "expected"?, "actual"?, "cuts"?, "requests": as in a run}',
      async handle(call) {
        const judged = await call.body();
        const adopted = adopt(await lab.open(), judged);
        return json({ run: adopted.run }, 201);
      },
    }),
    controlRow('POST /lab/adapters', {
      does: 'Runs the command of an adapter through cases, and answers when it has ended; needs `--agents-may-run`',
      body: adapterSchema,
      shape: '{"command": [program, argument, …], "only"?: [ids or patterns], "cuts"?: "few"|"all"|"none"}',
      async handle(call) {
        const { command, only, cuts } = await call.body();
        if (!mayRun || checks === undefined)
          throw new ControlError(
            403,
            'this emulator runs no commands for others: start it with --agents-may-run, or run the line in a terminal',
          );
        const opened = await lab.open();
        const running = scope.child();
        if (call.request.signal) running.follow(call.request.signal);
        try {
          const { client } = await checks();
          const { headline, counts, reasons } = await client({
            command: command as [string, ...string[]],
            only,
            cuts,
            signal: running.signal,
            progress() {},
            shown: (judged) => void adopt(opened, judged),
          });
          return json({ headline, counts, reasons });
        } catch (error) {
          throw new ControlError(400, error instanceof Error ? error.message : String(error));
        } finally {
          void running.dispose();
        }
      },
    }),
    controlRow('DELETE /lab/runs/:run', {
      does: 'Ends a run, and closes its connections',
      async handle({ params }) {
        if (lab.read(params.run) === undefined) throw new ControlError(404, `no run ${params.run}`);
        await (await lab.open()).finish(params.run);
      },
    }),
  ];
}
