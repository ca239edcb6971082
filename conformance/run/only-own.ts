import { same } from '../model/ownership.js';
import { isRecord, jsonOf } from '../probe/json.js';

/** By what the run knows its own in lists that show others' things too. */
export interface OwnMarks {
  /** How the names of its secrets begin. */
  readonly prefix: string;
  /** The group and the mapping that were named to it. */
  readonly group?: string | undefined;
  readonly mapping?: string | undefined;
}

type Entry = Readonly<Record<string, unknown>>;

/** Lists of a workspace or an organization, and which of their entries are the run's. One of another organization is none's that may be listed there: its form stays, without any text. */
const LISTS: readonly { readonly path: RegExp; own(entry: Entry, marks: OwnMarks): boolean }[] = [
  {
    path: /\/vault\/+secrets\/*$/i,
    own: ({ name }, { prefix }) => typeof name === 'string' && name.toLowerCase().includes(prefix),
  },
  {
    path: /\/scim\/+group-mappings\/*$/i,
    own: ({ id, scim_group_id }, { group, mapping }) => same(id, mapping) || same(scim_group_id, group),
  },
  { path: /\/scim\/+groups\/*$/i, own: ({ id }, { group }) => same(id, group) },
];

const listAt = (method: string, path: string) =>
  method === 'GET' ? LISTS.find((list) => list.path.test(path)) : undefined;

/** Whether a request asks for a list that shows others' things too. `path` without its query. */
export const showsOthers = (method: string, path: string): boolean => listAt(method, path) !== undefined;

/** The form of a JSON value, without any text that it holds. */
function withoutTexts(value: unknown): unknown {
  if (typeof value === 'string') return '[not shown]';
  if (Array.isArray(value)) return value.map(withoutTexts);
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, withoutTexts(inner)]));
}

function shownOf(text: string, own: (entry: Entry) => boolean): string {
  const body = jsonOf(text);
  if (body === undefined) return '[not shown]';
  if (!isRecord(body) || !Array.isArray(body.data)) return JSON.stringify(withoutTexts(body));
  const mine = body.data.filter((entry) => isRecord(entry) && own(entry));
  const organization = mine.find((entry) => isRecord(entry))?.organization_id;
  const stranger = (entry: Entry) => typeof organization === 'string' && entry.organization_id !== organization;
  const data = body.data.flatMap((entry) =>
    isRecord(entry) && !stranger(entry) ? (own(entry) ? [entry] : []) : [withoutTexts(entry)],
  );
  return JSON.stringify({ ...body, data });
}

/** Headers that are about the bytes of a body. */
const OF_THE_BYTES = ['content-length', 'content-encoding', 'etag', 'content-md5', 'digest', 'repr-digest'];

/**
 * The answer to a request as the kit may see it: of a list of a workspace's secrets, or of an organization's groups and
 * mappings, the run's own entries alone. Things of others reach no check, no evidence and no report.
 */
export async function onlyOwn({ method, url }: Request, answer: Response, marks: OwnMarks): Promise<Response> {
  const list = answer.ok ? listAt(method, new URL(url).pathname) : undefined;
  if (list === undefined) return answer;
  const text = shownOf(await answer.text(), (entry) => list.own(entry, marks));
  const headers = new Headers(answer.headers);
  for (const name of OF_THE_BYTES) headers.delete(name);
  return new Response(text, { status: answer.status, headers });
}
