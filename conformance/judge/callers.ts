import { isSecretHeader, isSecretName } from '../../emulator/credentials/names.js';
import { withoutNamed } from '../../emulator/credentials/redaction.js';
import type { Exchange } from '../model/exchange.js';
import { operationOf } from '../model/operations.js';
import { type Caller, Recent } from '../model/options.js';
import { isRecord } from '../probe/json.js';
import { deepBy, HIDDEN, type Redactor } from '../probe/redact.js';
import { credentialName } from './exchange.js';

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

/** Keys whose values are credentials, or what a vault keeps. */
const isSecret = (key: string): boolean =>
  /^value$/i.test(key) || isSecretName(key) || isSecretHeader(key.toLowerCase());

/**
 * Takes credentials out of what a report may show. No credential is known here, only the names of those that were sent, so what
 * others said loses what stands where credentials do, too.
 */
export function createHiding(callers: Pick<ReadonlySet<string>, 'has'>): Pick<Redactor, 'text' | 'deep' | 'words'> {
  const words = (own: string): string =>
    own.replace(/[\w.~+/=-]{6,}/g, (word) => (callers.has(credentialName(word)) ? HIDDEN : word));
  const text = (said: string): string =>
    words(
      withoutNamed(said)
        .replace(/((?:token|secret|password|api_?key|authorization|value)"?\s*[:=]\s*"?)[^"\s,}]+/gi, `$1${HIDDEN}`)
        .replace(/\b(bearer|basic)\s+[^\s",}]+/gi, `$1 ${HIDDEN}`)
        .replace(/\b(sk|pk|key)-[\w-]{8,}/g, HIDDEN),
    );
  return { text, deep: deepBy(text, isSecret), words };
}
