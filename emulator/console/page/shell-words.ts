/** The words of a command as a shell takes it apart, over continued lines too; undefined where a quote stays open. */
export function shellWords(command: string): string[] | undefined {
  const words: string[] = [];
  let rest = command;
  for (;;) {
    const next = rest.replace(/^(?:\\\r?\n|\s)+/, '');
    if (next === '') return words;
    if (next === rest && words.length > 0) return undefined;
    const [word] = /^(?:[^\s'"\\]|\\(?!\r?\n)[\s\S]|'[^']*'|"(?:[^"\\]|\\[\s\S])*")+/.exec(next) ?? [];
    if (word === undefined) return undefined;
    words.push(
      word.replaceAll(
        /'([^']*)'|"((?:[^"\\]|\\[\s\S])*)"|\\([\s\S])/g,
        (_, single?: string, double?: string, one?: string) =>
          single ?? double?.replaceAll(/\\(["\\$`])/g, '$1') ?? one ?? '',
      ),
    );
    rest = next.slice(word.length);
  }
}
