import type { Exchange } from '../model/exchange.js';
import { operationOf } from '../model/operations.js';
import { type Caller, Recent } from '../model/options.js';
import { isRecord } from '../probe/json.js';

/** Credentials that are remembered: others come anew. */
const MOST = 10_000;

/** Workspaces of the interns that an answer shows. */
function workspacesIn(json: unknown): readonly unknown[] {
  const rows = isRecord(json) && Array.isArray(json.data) ? json.data : [json];
  return [...new Set(rows.filter(isRecord).map(({ workspace_id }) => workspace_id))];
}

/**
 * The kinds of credentials, as far as they were seen. One that lists or creates interns is that of a member; of several
 * workspaces, none is its own.
 *
 * @param workspace that of all members, where it is known
 */
export function createCallers(workspace?: string) {
  const members = new Recent<string, { readonly workspaces: Set<string>; caller: Caller }>(MOST);
  return {
    get: (name: string): Caller | undefined => members.get(name)?.caller,
    sees({ asked, answered }: Exchange): void {
      const { caller } = asked;
      const name = operationOf(asked)?.operation.name;
      if (typeof caller !== 'string' || answered === undefined || name === undefined) return;
      // One that was withdrawn may be given to somebody else.
      if (answered.status === 401) members.delete(caller);
      if ((name !== 'list' && name !== 'create') || answered.status >= 300) return;
      const workspaces = members.get(caller)?.workspaces ?? new Set();
      const size = workspaces.size;
      for (const one of workspacesIn(answered.json)) if (typeof one === 'string') workspaces.add(one);
      if (members.has(caller) && workspaces.size === size) return;
      const [own] = workspaces.size === 1 ? workspaces : [];
      members.set(caller, { workspaces, caller: { kind: 'member', workspace: workspace ?? own } });
    },
  };
}
