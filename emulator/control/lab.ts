import { labResultSchema } from '../contract/lab-result.js';
import { withZod } from '../contract/with-zod.js';
import { json } from '../http/response.js';
import type { LazyLab } from '../lab/lazy.js';
import { ControlError } from './error.js';
import { type ControlRow, controlRow } from './router.js';

const anything = withZod((z) => z.unknown());

/** A run that cannot be started as requested is the caller's mistake. */
const orRefused = <T>(work: () => T): T => {
  try {
    return work();
  } catch (error) {
    const status = error instanceof Error && 'status' in error ? error.status : undefined;
    throw error instanceof Error && typeof status === 'number' ? new ControlError(status, error.message) : error;
  }
};

/** The client lab: runs of cases, and what the clients did (LAB-8). */
export function labRows(lab: LazyLab): ControlRow[] {
  return [
    controlRow({
      method: 'GET',
      path: '/lab/cases',
      does: 'Lists the cases of the client lab: id, layer, class, title and the abilities that they need',
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
    controlRow({
      method: 'GET',
      path: '/lab/cases/:id',
      does: 'Shows a case of the client lab whole: what is sent, and what a right client makes of it',
      async handle({ params }) {
        const { findCase } = await lab.open();
        return json(orRefused(() => findCase(params.id ?? '')));
      },
    }),
    controlRow({
      method: 'POST',
      path: '/lab/runs',
      does: 'Starts a run of a case: requests to its URL are answered byte for byte',
      body: anything,
      described: async () => (await lab.open()).runSchema,
      shape: '{"case": id or a whole case, "cuts"?: [offsets of the body]}',
      async handle(call) {
        const body = await call.body();
        const opened = await lab.open();
        const wanted = orRefused(() => opened.readRun(body));
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
    controlRow({
      method: 'GET',
      path: '/lab/runs',
      does: 'Lists the runs of the client lab, newest first',
      handle: () => json({ data: lab.list() }),
    }),
    controlRow({
      method: 'GET',
      path: '/lab/runs/:run',
      does: 'Shows what the client did in a run: requests, times, bytes taken, how the connection closed',
      handle({ params }) {
        const run = lab.read(params.run ?? '');
        if (run === undefined) throw new ControlError(404, `no run ${params.run}`);
        return json(run);
      },
    }),
    controlRow({
      method: 'GET',
      path: '/lab/runs/:run/sent',
      does: 'Shows what was sent for each request of a run: each write with its time, silences, and the end',
      async handle({ params }) {
        const sent = (await lab.open()).sent(params.run ?? '');
        if (sent === undefined) throw new ControlError(404, `no run ${params.run}`);
        return json({ data: sent });
      },
    }),
    controlRow({
      method: 'POST',
      path: '/lab/results',
      does: 'Adds a run that a kit made and judged elsewhere (`intern-conformance client --show`)',
      body: labResultSchema,
      shape: '{"case": id, "client", "verdict", "sentence"?, "expected"?, "actual"?, "cuts"?, "requests": as in a run}',
      async handle(call) {
        const { case: id, client, verdict, sentence, expected, actual, cuts, url = '', ...run } = await call.body();
        const opened = await lab.open();
        const theCase = orRefused(() => opened.findCase(id));
        const said = Object.entries({ sentence, expected, actual }).filter(([, text]) => text !== undefined);
        const adopted = opened.adopt(theCase, {
          url,
          base_url: '',
          started: run.started ?? 0,
          requests: run.requests,
          prompt: [],
          ...(cuts === undefined ? {} : { cuts }),
          result: { client, verdict, ...Object.fromEntries(said) },
        });
        return json({ run: adopted.run }, 201);
      },
    }),
    controlRow({
      method: 'DELETE',
      path: '/lab/runs/:run',
      does: 'Ends a run, and closes the connections that it holds open',
      async handle({ params }) {
        if (lab.read(params.run ?? '') === undefined) throw new ControlError(404, `no run ${params.run}`);
        await (await lab.open()).finish(params.run ?? '');
        return { status: 204, body: null, headers: {} };
      },
    }),
  ];
}
