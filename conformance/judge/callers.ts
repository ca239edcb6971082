import type { Exchange } from '../model/exchange.js';
import { operationOf } from '../model/operations.js';
import { type Caller, Recent } from '../model/options.js';
import { isRecord } from '../probe/json.js';

/** Most credentials that are remembered. */
const MOST = 10_000;

/** The workspaces of the interns in an answer. */
function workspacesIn(json: unknown): readonly unknown[] {
  const rows = isRecord(json) && Array.isArray(json.data) ? json.data : [json];
  return [...new Set(rows.filter(isRecord).map(({ workspace_id }) => workspace_id))];
}

/**
 * Learns the kinds of credentials. A credential that lists or creates interns is a member's. Its own workspace is unknown once
 * it has shown interns of several.
 *
 * @param workspace the workspace of all members, if known
 */
export function createCallers(workspace?: string) {
  const members = new Recent<string, { readonly workspaces: Set<string>; caller: Caller }>(MOST);
  return {
    get: (name: string): Caller | undefined => members.get(name)?.caller,
    sees({ asked, answered }: Exchange): void {
      const { caller } = asked;
      const name = operationOf(asked)?.operation.name;
      if (typeof caller !== 'string' || answered === undefined || name === undefined) return;
      // A withdrawn credential may be issued to another caller.
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
