// A client under test: it lists the interns that are running. The recipes for test runners test it.
export async function runningInterns({ baseUrl, apiKey, fetch = globalThis.fetch }) {
  const response = await fetch(`${baseUrl}/interns?status=running`, { headers: { authorization: `Bearer ${apiKey}` } });
  if (!response.ok) throw new Error(`${response.status}`);
  return (await response.json()).data.map((intern) => intern.name);
}
