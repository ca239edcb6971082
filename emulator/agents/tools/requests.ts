import { exchangeExplanationSchema } from '../../contract/explanation.js';
import type { JournalEntry, Shield } from '../../contract/journal-entry.js';
import { JOURNALED } from '../../contract/operation.js';
import { withZod } from '../../contract/with-zod.js';
import { controlJson, type Door, ToolError, targetOf } from '../door.js';
import { tool } from '../tool.js';
import { explained, explanationText } from './refused.js';

/** The rules' verdict on a request, given all requests before it that the journal holds. */
async function judgedOf(door: Door, id: string): Promise<Shield | undefined> {
  const { data } = await journal(door, {});
  // An emulator that judges knows what the journal has forgotten.
  const known = data.findLast((entry) => entry.id === id)?.judged;
  if (known !== undefined) return known;
  const judge = (await door.checks?.())?.traffic((await targetOf(door)).profile);
  if (judge === undefined) return undefined;
  let shield: Shield | undefined;
  for (const entry of data) {
    const one = judge(entry);
    if (entry.id === id) shield = one;
  }
  return shield;
}

const shieldText = ({ verdict, rules, broken }: Shield): string =>
  [
    verdict === 'not_judged' ? 'judged by no rule' : `judged by ${rules.join(', ')}: ${verdict}`,
    ...broken.map(
      ({ rule, sentence, what, expected, actual }) => `${rule}: ${sentence} ${what}: ${actual}, not ${expected}`,
    ),
  ].join('\n');

const journal = (door: Door, query: object) =>
  controlJson<{ data: JournalEntry[] }>(
    door,
    'GET',
    `/journal?${new URLSearchParams(Object.entries(query).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)] as [string, string]])))}`,
  );

/** The columns of the list of requests, beside method, address and status. */
const SHOWN = [
  'at',
  'operation',
  'caller',
  'intern_id',
  'run_id',
  'ms',
  'wrong',
  'requirement',
  'closed',
  'injected',
] as const satisfies readonly (keyof JournalEntry)[];

export const listRequests = tool(
  withZod((z) =>
    z.strictObject({
      operation: z.enum(JOURNALED).optional(),
      status: z.string().optional(),
      intern_id: z.string().optional(),
      run_id: z.string().optional(),
      since: z.string().optional(),
      limit: z.int().min(1).max(1_000).default(20),
    }),
  ),
  {
    name: 'list_requests',
    description:
      'Lists the newest requests that the client under test sent, with status and what was wrong, newest last. Use it to see what really happened. Filters combine; status is 409 or 4xx; since is a request id or a time.',
    output: withZod((z) =>
      z.object({
        requests: z.array(
          z.looseObject({
            id: z.string(),
            method: z.string(),
            url: z.string(),
            status: z.int().nullable(),
            wrong: z.string().nullable().optional(),
          }),
        ),
      }),
    ),
    readOnly: true,
    async run(query, { door }) {
      const { data } = await journal(door, query);
      const requests = data.map((entry) => ({
        id: entry.id,
        ...Object.fromEntries(SHOWN.flatMap((key) => (entry[key] === undefined ? [] : [[key, entry[key]]]))),
        method: entry.request.method,
        url: entry.request.url,
        status: entry.response.status,
        ...(entry.judged === undefined ? {} : { judged: entry.judged.verdict }),
      }));
      const lines = data.map(
        ({ id, request, response, wrong }) =>
          `${id} ${response.status ?? '—'} ${request.method} ${new URL(request.url).pathname}${wrong === null ? '' : `: ${wrong}`}`,
      );
      return {
        data: { requests },
        text: lines.length === 0 ? 'No request fits. Send one, or ask with fewer filters.' : lines.join('\n'),
      };
    },
  },
);

export const explainRequest = tool(
  withZod((z) => z.strictObject({ id: z.string().optional().describe('Its x-request-id') })),
  {
    name: 'explain_request',
    description:
      'Explains one request: what was wrong to the field, the requirement with the sentence of the interface, and what to send instead as curl. Use it FIRST when a client fails. Without id: the newest request that was refused, else the newest.',
    output: withZod((z) => exchangeExplanationSchema().extend({ judged: z.looseObject({}).optional() })),
    readOnly: true,
    async run({ id }, { door }) {
      const newest = async () => {
        const { data } = await journal(door, { limit: 100 });
        return (data.findLast(({ wrong, response }) => wrong !== null || (response.status ?? 0) >= 400) ?? data.at(-1))
          ?.id;
      };
      const wanted = id ?? (await newest());
      if (wanted === undefined)
        throw new ToolError('There was no request yet.', 'Run the client, then call this again.');
      const data = await explained(door, wanted);
      const judged = await judgedOf(door, wanted);
      if (judged === undefined) return { data, text: explanationText(data) };
      return { data: { ...data, judged }, text: `${explanationText(data)}\n${shieldText(judged)}` };
    },
  },
);
