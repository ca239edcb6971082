/**
 * The stock script that says halves of surrogate pairs. Not a JSON file like the others: bundlers refuse JSON that has
 * them.
 */
export const loneSurrogate = {
  name: 'lone-surrogate',
  description: 'Says halves of surrogate pairs, which JSON can carry and UTF-8 cannot',
  turn: [{ say: 'lone \ud800 surrogates \udc00 reversed \udc00\ud800' }, { end: 'stop' }],
};
