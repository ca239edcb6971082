import { areaOf, importsOf, reachIn, SOURCES } from './imports.js';

/** A room in the picture of its half; the two parts of the composition root are one. */
const roomIn = (half: string, file: string): string =>
  areaOf(file)
    .slice(half.length + 1)
    .replace(/\.ts$/, '');

/** The rooms of a half and their imports, but for those that a longer way implies. */
function pictureOf(half: string): string {
  const inside = (file: string) => file.startsWith(`${half}/`);
  const all = new Map(
    SOURCES.filter(inside)
      .flatMap(importsOf)
      .filter(({ target }) => inside(target))
      .map(({ file, target }) => [roomIn(half, file), roomIn(half, target)] as const)
      .filter(([from, to]) => from !== to)
      .map((edge) => [edge.join(' --> '), edge] as const),
  );
  const reach = reachIn(all.values());
  const implied = ([from, to]: readonly [string, string]) =>
    [...all.values()].some(([other, by]) => other === from && by !== to && reach.get(by)?.has(to));
  const drawn = [...all.values()].filter((edge) => !implied(edge)).map((edge) => `  ${edge.join(' --> ')}\n`);
  return `flowchart TD\n${drawn.sort().join('')}`;
}

/** Draws the rooms of each half, as their files import each other, into the drawings of a page that begin with its name. */
export async function withImports(page: string): Promise<string> {
  return ['emulator', 'conformance'].reduce((text, half) => {
    const drawing = new RegExp(`(\`\`\`mermaid\\n%% ${half}\\n)[\\s\\S]*?(?=\`\`\`)`);
    if (!drawing.test(text)) throw new Error(`no drawing begins with %% ${half}`);
    return text.replace(drawing, (_, head) => `${head}${pictureOf(half)}`);
  }, page);
}
