/** The path from the version segment on; a deployment's prefix before it is its own. */
export function fromVersion(path: string): string {
  const bare = path.split('?', 1)[0] ?? '';
  const at = bare.search(/\/api\/v1(?:\/|$)/);
  return at > 0 ? path.slice(at) : path;
}

/** The target of a request without scheme and host, which a request to a proxy may have. */
export function originForm(target: string): string {
  const [authority] = /^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i.exec(target) ?? [];
  if (authority === undefined) return target;
  const rest = target.slice(authority.length);
  return rest.startsWith('/') ? rest : `/${rest}`;
}
