import { counted } from '../../contract/counted.js';
import { type Intern, STATUSES } from '../../contract/intern.js';
import { withZod } from '../../contract/with-zod.js';
import { controlJson, type Door, ToolError, targetOf } from '../door.js';
import { tool } from '../tool.js';
import { refusedBy } from './refused.js';

const line = ({ name, id, status }: Intern) => `${name} ${id} ${status}`;

/** The seed's key that sees an intern: born keys are never used. */
export async function keyFor(door: Door, internId: string): Promise<string> {
  const { credentials, foreign_workspace_id } = await targetOf(door);
  const { intern } = await controlJson<{ intern: Intern }>(door, 'GET', `/interns/${encodeURIComponent(internId)}`);
  const foreign = intern.workspace_id === foreign_workspace_id ? credentials.foreign_api_key : undefined;
  return foreign ?? credentials.api_key;
}

export const listInterns = tool(
  withZod((z) =>
    z.strictObject({
      status: z.enum(STATUSES).optional(),
      limit: z.int().min(1).max(500).default(50),
    }),
  ),
  {
    name: 'list_interns',
    description:
      'Lists the interns of every workspace with id and status. Use it before anything that needs an intern_id, or to see whether an intern is running.',
    output: withZod((z) =>
      z.object({
        total: z.int(),
        interns: z.array(z.looseObject({ id: z.string(), name: z.string(), status: z.string() })),
      }),
    ),
    readOnly: true,
    async run({ status, limit }, { door }) {
      const { data } = await controlJson<{ data: Intern[] }>(door, 'GET', '/interns');
      const found = data.filter((each) => status === undefined || each.status === status);
      const interns = found.slice(0, limit);
      return {
        data: { total: found.length, interns },
        text: `${counted(found.length, 'intern')}, newest first\n${interns.map(line).join('\n')}`,
      };
    },
  },
);

const ACTIONS = {
  provision: ['POST', '/provision'],
  suspend: ['POST', '/suspend'],
  delete: ['DELETE', ''],
} as const;

export const manageIntern = tool(
  withZod((z) =>
    z.strictObject({
      action: z.enum(['create', 'provision', 'suspend', 'delete']),
      intern_id: z.string().optional(),
      name: z.string().optional(),
      instructions: z.string().optional(),
      script: z.string().optional().describe('Assigned to the new intern'),
      provision: z.boolean().default(true).describe('Of create: boot it too'),
    }),
  ),
  {
    name: 'manage_intern',
    description:
      'Creates, provisions, suspends or deletes an intern, as a client does. create needs name and provisions too, unless provision is false; the others need intern_id. Use it to bring an intern into the state that a client is to meet. A boot takes time: on a virtual clock call advance_clock.',
    output: withZod((z) =>
      z.object({
        status: z.int(),
        request_id: z.string(),
        intern: z.looseObject({ id: z.string(), name: z.string(), status: z.string() }).nullable(),
      }),
    ),
    readOnly: false,
    destructive: true,
    async run({ action, intern_id, name, instructions, script, provision }, { door }) {
      const { credentials, workspace_id } = await targetOf(door);
      let response: Response;
      if (action === 'create') {
        if (name === undefined) throw new ToolError('name: missing', 'Give a name, such as "ada", and call again.');
        const body = { name, workspace_id, provision, ...(instructions === undefined ? {} : { instructions }) };
        response = await door.api('POST', '/interns', { key: credentials.api_key, body });
      } else {
        if (intern_id === undefined) throw new ToolError('intern_id: missing', 'Call list_interns for the ids.');
        const [method, path] = ACTIONS[action];
        const key = await keyFor(door, intern_id);
        response = await door.api(method, `/interns/${encodeURIComponent(intern_id)}${path}`, { key });
      }
      if (!response.ok) throw await refusedBy(door, response);
      const made = (await response.json().catch(() => ({}))) as { id?: string };
      const id = intern_id ?? made.id ?? '';
      if (action === 'create' && script !== undefined)
        await controlJson(door, 'PUT', `/interns/${id}/script`, { name: script });
      const view = await controlJson<{ intern: Intern }>(door, 'GET', `/interns/${id}`).catch(() => undefined);
      const request_id = response.headers.get('x-request-id') ?? '';
      return {
        data: { status: response.status, request_id, intern: view?.intern ?? null },
        text: `${action}: ${response.status}. ${view ? line(view.intern) : 'The intern is gone.'}${action === 'create' && provision ? ' It is being provisioned too: "provision": false only creates.' : ''}`,
      };
    },
  },
);
