import { areaOf, importsOf, reachIn, SOURCES } from './imports.js';

const HALF = 'conformance/';
const isKit = (file: string) => file.startsWith(HALF);
const roomOf = (file: string): string => areaOf(file).slice(HALF.length).replace(/\.ts$/, '');

/** The rooms of the kit and their imports, but for those that a longer way implies. */
function picture(): string {
  const all = new Map(
    SOURCES.filter(isKit)
      .flatMap(importsOf)
      .filter(({ target }) => isKit(target))
      .map(({ file, target }) => [roomOf(file), roomOf(target)] as const)
      .filter(([from, to]) => from !== to)
      .map((edge) => [edge.join(' --> '), edge] as const),
  );
  const reach = reachIn(all.values());
  const implied = ([from, to]: readonly [string, string]) =>
    [...all.values()].some(([other, by]) => other === from && by !== to && reach.get(by)?.has(to));
  const drawn = [...all.values()].filter((edge) => !implied(edge)).map((edge) => `  ${edge.join(' --> ')}\n`);
  return `flowchart TD\n${drawn.sort().join('')}`;
}

/** Draws the rooms of the kit, as their files import each other, into the drawing of a page that begins with its name. */
export async function withImports(page: string): Promise<string> {
  const drawing = /(```mermaid\n%% conformance\n)[\s\S]*?(?=```)/;
  if (!drawing.test(page)) throw new Error('no drawing begins with %% conformance');
  return page.replace(drawing, (_, head) => `${head}${picture()}`);
}
