/**
 * A word of a command line that a person may paste into sh, bash or zsh: what it holds is taken as it stands, and acts on
 * neither the terminal nor the shell. Control characters, which a terminal acts on even within quotes, are written by
 * `printf`; no line is longer than a terminal takes. A word cannot hold a NUL: `asCommand` gives the `printf` itself, whose
 * output can. It refers to nothing outside, since programs that the kit saves carry it.
 */
export function shellWord(text: string, asCommand = false): string {
  if (!asCommand && /^[\w@%+:,./-][\w@%+=:,./-]{0,499}$/.test(text)) return text;
  if (!asCommand && !/[\p{Cc}\p{Bidi_Control}\u2028\u2029]/u.test(text)) {
    // `##[` would be a command to a runner of GitHub Actions that prints it.
    const pieces = text.match(/.{1,500}/gsu) ?? [''];
    return pieces.map((piece) => `'${piece.replaceAll("'", `'\\''`).replaceAll('##[', `##'"["'`)}'`).join('\\\n');
  }
  // `$(…)` takes new lines at its end away.
  const [last = ''] = asCommand ? [] : (/\n*$/.exec(text) ?? []);
  const format = text
    .slice(0, text.length - last.length)
    .replace(/[\p{Cc}\p{Bidi_Control}\u2028\u2029'!#%\\]|^-/gu, (character) => {
      if (character === '\n') return '\\n';
      if (character === '%' || character === '\\') return character + character;
      const bytes = [...new TextEncoder().encode(character)];
      return bytes.map((byte) => `\\${byte.toString(8).padStart(3, '0')}`).join('');
    });
  const pieces = format.match(/(?:\\[0-7]{3}|\\[^n]|[^\\]){1,500}(?:\\n)?|\\n/gu) ?? [''];
  const command = `printf ${pieces.map((piece) => `'${piece}'`).join('\\\n')}`;
  return asCommand ? command : `"$(${command})${last}"`;
}

/** Words of a command line that a person may paste, of lines that no terminal cuts. */
export const commandLine = (words: readonly string[]): string => folded(words.map((word) => shellWord(word)));

/** A command of this package that a reader can copy: a project that has it installed finds it by `npx` alone. */
export const ownCommand = (name: 'intern-conformance' | 'intern-emulator', words: readonly string[] = []): string =>
  commandLine(['npx', name, ...words]);

/** Parts of a command line in lines that no terminal cuts: some take 1,024 bytes, Linux 4,096. */
export function folded(parts: readonly string[]): string {
  let line = '';
  for (const part of parts) {
    const [first = ''] = part.split('\n', 1);
    const length = line.length - line.lastIndexOf('\n') + first.length;
    line += `${line === '' ? '' : length > 700 ? ' \\\n  ' : ' '}${part}`;
  }
  return line;
}

export interface PastedRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | null | undefined;
  /** The variable whose value is the credential, where one belongs to it. */
  readonly credential?: string | undefined;
}

/**
 * A request as a curl command that a person may paste, in its parts: each is a line of its own, or all are one. A body
 * that a word of a command line cannot hold comes over standard input. It refers to nothing outside but `word`.
 */
export function curlParts(sent: PastedRequest, flags: readonly string[] = [], word = shellWord): string[] {
  const { method, url, headers, body, credential } = sent;
  const given = body === undefined || body === null || body === '' ? undefined : body;
  const piped = given !== undefined && (given.length > 30_000 || word(given).startsWith('"'));
  const how = method === 'HEAD' ? ['--head'] : method === 'GET' && given === undefined ? [] : [`-X ${word(method)}`];
  const parts = [[...(piped ? [`${word(given, true)} |`] : []), 'curl', ...flags, ...how, word(url)].join(' ')];
  if (credential !== undefined) parts.push(`-H "Authorization: Bearer $${credential}"`);
  for (const [name, value] of Object.entries(headers)) parts.push(`-H ${word(`${name}: ${value}`)}`);
  if (given === undefined) return parts;
  // Otherwise curl says that it is a form.
  if (!Object.keys(headers).some((name) => name.toLowerCase() === 'content-type')) parts.push('-H content-type:');
  return [...parts, piped ? '--data-binary @-' : `--data-raw ${word(given)}`];
}
