// Prints the name of each running intern, one a line, and how many there are.
const { INTERN_BASE_URL: base, INTERN_API_KEY: key } = process.env;

const response = await fetch(`${base}/interns?status=running&limit=5`, { headers: { authorization: `Bearer ${key}` } });
if (!response.ok) throw new Error(`the service says ${response.status}`);
const { data } = await response.json();
for (const { name } of data) console.log(name);
console.log(`${data.length} running`);
