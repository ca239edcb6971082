import type { ListedCall } from '../emulator/contract/views.js';
import { controlCalls } from './control-calls.js';
import { withPart } from './page-parts.js';

const code = (text: string) => `\`${text.replaceAll('|', '\\|')}\``;

const rowOf = ({ method, path, does, body, query = {} }: ListedCall): string => {
  const names = Object.keys(query).map((name) => code(`?${name}=`));
  const filters = names.length === 0 ? '' : ` (${names.join(', ')})`;
  return `| ${code(`${method} ${path}`)} | ${does}${filters} | ${body === null ? '' : code(body)} |`;
};

/** A page with its list of calls as `GET /_emulator` answers it. Throws if the page has no place for it. */
export async function withCalls(page: string): Promise<string> {
  const rows = (await controlCalls()).map(rowOf);
  return withPart(page, 'calls', () => ['| call | does | body |', '|---|---|---|', ...rows].join('\n'));
}
