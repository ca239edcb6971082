import leven from 'leven';

/** Longer names are not compared: nobody mistypes one, and the time grows with both lengths. */
const LONGEST = 100;

/** A name is a misspelling of another one if it is this number of edits away, or fewer. */
const few = (name: string) => Math.max(2, Math.floor(name.length / 3));

/**
 * The known name that is the fewest edits from `word`, in any letter case, and at most `within` of them; the first of
 * several. Undefined if none is that near, or if `word` has more than 100 characters.
 */
export function nearest(word: string, known: Iterable<string>, within = few): string | undefined {
  if (word.length > LONGEST) return undefined;
  let found: { readonly name: string; readonly far: number } | undefined;
  const given = word.toLowerCase();
  for (const name of known) {
    if (name.length > LONGEST) continue;
    const limit = Math.min(within(name), found ? found.far - 1 : LONGEST);
    if (limit < 0) continue;
    // leven returns its limit for every greater distance.
    const far = leven(given, name.toLowerCase(), { maxDistance: limit + 1 });
    if (far <= limit) found = { name, far };
  }
  return found?.name;
}

/** ` (did you mean X?)` for a known name close to an unknown one, else nothing. */
export function suggestion(word: string, known: Iterable<string>, shown = (name: string) => name): string {
  const name = nearest(word, known);
  return name === undefined ? '' : ` (did you mean ${shown(name)}?)`;
}
