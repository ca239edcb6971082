import { credentialOf, OWN_HEADERS } from '../../contract/curl.js';
import { jsonOf } from '../../contract/nesting.js';
import { visibleJson } from '../../contract/visible.js';
import { reasonOf } from './requests.js';
import type { Entry } from './types.js';

const literal = (value: unknown): string => visibleJson(value, 2);
const indented = (text: string, by: string): string => text.replaceAll('\n', `\n${by}`);

const pathOf = ({ request }: Entry): string => {
  const { pathname, search } = new URL(request.url, 'http://none');
  return pathname.replace(/^.*?\/api\/v1/, '') + search;
};

/** The call of `fetch` that sends a request of the journal again; variables replace the credential and the address. */
function fetchOf(entry: Entry, by: string): string {
  const { method, headers, body } = entry.request;
  const kept = Object.entries(headers).filter(
    ([name]) => !OWN_HEADERS.test(name) && name !== 'authorization' && name !== 'x-request-id',
  );
  const lines = [
    `await fetch(process.env.INTERN_BASE_URL + ${literal(pathOf(entry))}, {`,
    `  method: ${literal(method)},`,
    '  headers: {',
    ...('authorization' in headers ? [`    authorization: 'Bearer ' + process.env.${credentialOf(entry)},`] : []),
    ...kept.map(([name, value]) => `    ${literal(name)}: ${literal(value)},`),
    '  },',
  ];
  if (body !== null && body !== '') {
    const value = jsonOf(body);
    // A text that is not JSON is sent as it is.
    const sent = value === undefined ? literal(body) : `JSON.stringify(${indented(literal(value), '  ')})`;
    lines.push(`  body: ${sent},`);
  }
  return indented([...lines, '})'].join('\n'), by);
}

/** A request as a program of its own. */
export const scriptOf = (entry: Entry): string => `// npx intern-emulator exec -- node request.mjs
const response = ${fetchOf(entry, '')};
console.log(response.status);
console.log(await response.text());
`;

/** A request as a test that expects what was answered: the status, of a refusal its reason, of a stream its end. */
export function vitestOf(entry: Entry): string {
  const { status } = entry.response;
  const reason = reasonOf(entry);
  const expected = [
    `expect(response.status).toBe(${status ?? 200});`,
    ...(reason === undefined
      ? []
      : [`expect((await response.json()).error.metadata.reason).toBe(${literal(reason)});`]),
    ...(entry.writes === undefined ? [] : ["expect(await response.text()).toContain('data: [DONE]');"]),
  ];
  return `// npx intern-emulator exec -- npx vitest run
import { expect, test } from 'vitest';

test(${literal(`${entry.operation ?? entry.request.method} answers ${status}`)}, async () => {
  const response = ${fetchOf(entry, '  ')};
  ${expected.join('\n  ')}
});
`;
}
