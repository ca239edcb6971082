/** Path and query as they were received: a parsed URL would have resolved dots and encoded characters. */
export function splitRequestTarget(url: string): { path: string; search: string } {
  const target = /^[a-z][a-z0-9+.-]*:\/\/[^/?#]*([^#]*)/i.exec(url)?.[1] ?? url;
  const query = target.indexOf('?');
  const path = query < 0 ? target : target.slice(0, query);
  return { path: path === '' ? '/' : path, search: query < 0 ? '' : target.slice(query) };
}
