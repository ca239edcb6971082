import type { Checked, CheckRequest, Checks } from '../../contract/checks.js';
import { withZod } from '../../contract/with-zod.js';
import { type Door, ToolError, targetOf } from '../door.js';
import { type ToolContext, tool } from '../tool.js';

const output = withZod((z) =>
  z.object({
    headline: z.string(),
    counts: z.record(z.string(), z.int()),
    reasons: z.array(z.string()),
    findings: z.array(z.looseObject({ title: z.string() })),
  }),
);
const only = withZod((z) => z.array(z.string().min(1)).optional());

async function checksOf({ checks }: Door): Promise<Checks> {
  if (checks) return checks();
  throw new ToolError(
    'This emulator was made by createEmulator, without the kit.',
    'Use "intern-emulator mcp", or run npx intern-emulator conformance.',
  );
}

const requestOf = ({ signal, progress }: ToolContext, wanted: readonly string[] | undefined): CheckRequest => ({
  only: wanted,
  signal,
  progress: (done, of) => progress(done, of, `${done} of ${of}`),
});

function answer(checked: Checked, next: string) {
  const { findings, headline, reasons, counts } = checked;
  const verdicts = Object.entries(counts).filter(([verdict]) => verdict !== 'skip');
  if (verdicts.length === 0) throw new ToolError(`Nothing could be checked. ${reasons.join(' ')}`.trim(), next);
  const lines = findings.map(({ title, rules: [rule, ...others], checks, expected, actual, sent }) => {
    const broken = rule === undefined ? [] : [`breaks ${rule.name} “${rule.sentence}” (${rule.where})`];
    const more = others.length === 0 ? [] : [`and ${others.length} more`];
    const seen = `in ${checks.length}, such as ${checks[0]}`;
    const answered = sent === null ? '' : `; the server: ${sent}`;
    return `- ${title}: ${[...broken, ...more, seen].join(', ')}; expected ${expected}, found ${actual}${answered}`;
  });
  return { data: { ...checked }, text: [headline, ...reasons, ...lines].join('\n') };
}

const orSaid = async (work: Promise<Checked>): Promise<Checked> => {
  try {
    return await work;
  } catch (error) {
    throw new ToolError(error instanceof Error ? error.message : String(error), 'Correct it and call again.');
  }
};

export const checkServer = tool(
  withZod((z) =>
    z.strictObject({
      url: z.string().optional(),
      recording: z.string().optional(),
      har: z.string().optional(),
      only: only(),
    }),
  ),
  {
    name: 'check_server',
    description:
      'Runs the conformance kit against a server of the interface, and groups what it finds. Use it when writing a server. Without url: the emulator itself, in a space of its own. For another url credentials come from INTERN_*. only: ids such as chat/*. recording, har: a file to judge instead, sending nothing.',
    output,
    readOnly: false,
    async run({ url, recording, har, only }, context) {
      const { door } = context;
      const files = [recording, har].filter((file) => file !== undefined);
      if (files.length > 0) {
        if (!door.stdio)
          throw new ToolError(
            'check_server reads files of this machine, which is refused over HTTP.',
            'Use stdio ("intern-emulator mcp"), or run npx intern-conformance judge FILE.',
          );
        const { judge } = await checksOf(door);
        return answer(
          await orSaid(judge(files, requestOf(context, only))),
          'Name a recording or a HAR of the interface.',
        );
      }
      if (url !== undefined && !door.stdio)
        throw new ToolError(
          'check_server of another url sends the credentials of this process there, which is refused over HTTP.',
          'Use stdio ("intern-emulator mcp"), or leave url out to check the emulator itself.',
        );
      const own = url === undefined && door.listens ? (await targetOf(door)).base_url : undefined;
      const { server } = await checksOf(door);
      const controlToken = own === undefined ? undefined : door.token;
      return answer(
        await orSaid(
          server({ ...requestOf(context, only), url: url ?? own, environment: url !== undefined, controlToken }),
        ),
        'Look at the address, the credentials (INTERN_*) and "only".',
      );
    },
  },
);

export const checkClient = tool(
  withZod((z) => z.strictObject({ command: z.array(z.string()).min(1), only: only() })),
  {
    name: 'check_client',
    description:
      'Runs a client, behind an adapter (docs:///lab), through the cases of the client lab, and groups where it is wrong. Use it when writing a client. command: program and arguments, run on this machine. only: case ids such as sse/*.',
    output,
    readOnly: false,
    async run({ command, only }, context) {
      const { door } = context;
      if (!door.mayRun)
        throw new ToolError(
          'check_client runs a command on this machine, which is refused over HTTP.',
          'Use stdio ("intern-emulator mcp"), or start the emulator with --agents-may-run.',
        );
      const [program = '', ...args] = command;
      const { client } = await checksOf(door);
      return answer(
        await orSaid(client({ ...requestOf(context, only), command: [program, ...args] })),
        'Name cases that the adapter can do in "only", or have it offer the layer or ability (docs:///lab).',
      );
    },
  },
);
