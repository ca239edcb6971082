/** A text shorter than this is searched for as a whole only: it would be found in the middle of words. */
export const SEARCHED_FROM = 8;

const escaped = (text: string) => text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');

/** A character as it is, percent-encoded, or as a JSON escape that was not decoded. */
function anySpelling(char: string): string {
  const percent = encodeURIComponent(char) === char ? `%${char.charCodeAt(0).toString(16)}` : encodeURIComponent(char);
  const unicode = [...Array(char.length).keys()]
    .map((at) => `\\\\u${char.charCodeAt(at).toString(16).padStart(4, '0')}`)
    .join('');
  const inEitherCase = (text: string) => text.replace(/[a-f]/gi, (x) => `[${x.toLowerCase()}${x.toUpperCase()}]`);
  return `(?:${escaped(char)}|${inEitherCase(percent)}|${inEitherCase(unicode)})`;
}

/** What stands in base64 for a text within a longer one, wherever it begins: the digits that depend on it alone. */
function base64Cores(text: string): string[] {
  const bytes = Buffer.from(text);
  return [0, 1, 2].map((offset) => {
    const digits = Buffer.concat([Buffer.alloc(offset), bytes])
      .toString('base64')
      .replace(/=+$/, '');
    const whole = Math.floor(((offset + bytes.length) * 8) / 6);
    return digits.slice(Math.ceil((offset * 8) / 6), whole);
  });
}

/** A pattern that finds a secret as it is, percent-encoded or with JSON escapes. */
export const plainPattern = (secret: string): string => {
  const plain = [...secret].map(anySpelling).join('');
  return secret.length < SEARCHED_FROM ? `^${plain}$` : plain;
};

/** Patterns that find what stands for a secret in base64 or base64url, as a part of whatever was encoded. */
export const encodedPatterns = (secret: string): string[] =>
  secret.length < SEARCHED_FROM
    ? []
    : [...new Set(base64Cores(secret).flatMap((core) => [core, core.replaceAll('+', '-').replaceAll('/', '_')]))].map(
        escaped,
      );
