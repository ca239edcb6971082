import { createEmulator } from '../emulator/index.js';

const BEGIN = '<!-- calls: written by npm run docs -->';
const END = '<!-- end of calls -->';

interface ListedCall {
  method: string;
  path: string;
  does: string;
  body: string | null;
  query?: Record<string, string>;
}

const code = (text: string) => `\`${text.replaceAll('|', '\\|')}\``;

const rowOf = ({ method, path, does, body, query = {} }: ListedCall): string => {
  const parameters = Object.entries(query).map(([name, about]) => `<br>${code(`?${name}=`)} ${about}`);
  return `| ${code(`${method} ${path}`)} | ${does}${parameters.join('')} | ${body === null ? '' : code(body)} |`;
};

/** A page with its list of calls as `GET /_emulator` answers it. Throws if the page has no place for it. */
export async function withCalls(page: string): Promise<string> {
  const [before, rest] = page.split(BEGIN);
  const after = rest?.split(END)[1];
  if (before === undefined || after === undefined) throw new Error(`the page has no ${BEGIN} … ${END}`);
  const emulator = createEmulator({ clock: 'virtual' });
  try {
    const response = await emulator.fetch('/_emulator');
    const { data } = (await response.json()) as { data: ListedCall[] };
    const table = ['| call | does | body |', '|---|---|---|', ...data.map(rowOf)].join('\n');
    return `${before}${BEGIN}\n\n${table}\n\n${END}${after}`;
  } finally {
    await emulator.close();
  }
}
