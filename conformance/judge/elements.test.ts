import { closeSync, openSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { folderOfFile } from '../../test/folders.js';
import '../../test/same-draws.js';
import { elementsIn, JsonCut } from './elements.js';

const folder = folderOfFile('elements-');

function found(text: string): unknown[] {
  const file = join(folder, 'file.json');
  writeFileSync(file, text);
  const fd = openSync(file, 'r');
  try {
    const bytes = Buffer.from(text);
    return [...elementsIn(fd, ['log', 'entries'])].map(({ from, length }) =>
      JSON.parse(bytes.subarray(from, from + length).toString()),
    );
  } finally {
    closeSync(fd);
  }
}

test('the elements of any array are found, whatever stands around it', () => {
  fc.assert(
    fc.property(
      fc.array(fc.jsonValue()),
      fc.jsonValue(),
      fc.jsonValue(),
      fc.constantFrom(undefined, 1),
      (all, a, b, space) => {
        const value = {
          a,
          log: { b, 'en"tries': [1], nested: { entries: [2] }, entries: all, after: b },
          c: { entries: [3] },
        };
        expect(found(JSON.stringify(value, null, space))).toEqual(all);
      },
    ),
  );
});

test.each(['{"log": {"pages": []}}', '[]', '7', '{"entries": [1]}', '{"log": [{"entries": [1]}]}'])(
  'without the array there is none: %s',
  (text) => expect(found(text)).toEqual([]),
);

test('a file that ends within a value is cut, wherever it ends', () => {
  const text = JSON.stringify({ log: { entries: [{ a: 'ä"}]' }, { b: [1] }] } });
  for (let end = 1; end < text.length; end++) expect(() => found(text.slice(0, end))).toThrow(JsonCut);
});
