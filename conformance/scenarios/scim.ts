import fc from 'fast-check';
import { equal } from '../framework/assert.js';
import { checksOf } from '../framework/check.js';
import * as expect from '../framework/expect.js';

const NOT_FOUND = { status: 404, message: 'Resource not found', metadata: 'absent' } as const;

export const SCIM = checksOf('SCIM-2', {
  'scim/ids': {
    level: 'C',
    title: 'An id that is not a UUID is 404. A UUID matches in any case.',
    needs: ['control', 'management_key', 'scim_mapping'],
    async run({ api, target, property }) {
      const id = target.scimMappingId ?? '';
      const lower = (await api.scim(id, { as: 'management_key' })).json;
      const spelt = fc
        .array(fc.boolean(), { minLength: id.length, maxLength: id.length })
        .map((upper) => [...id].map((char, at) => (upper[at] === true ? char.toUpperCase() : char)).join(''));
      await property('cases', spelt, async (spelling) => {
        const answer = await api.scim(spelling, { as: 'management_key' });
        expect.status(answer, 200, `the mapping as ${spelling}`);
        equal(answer.json, lower, 'the mapping in another case');
      });
      const other = fc.constantFrom(
        'x',
        id.slice(1),
        `${id}0`,
        id.replaceAll('-', ''),
        `{${id}}`,
        'null',
        '0',
        `${id} `,
      );
      await property('other ids', other, async (text) => {
        expect.error(await api.scim(text, { as: 'management_key' }), NOT_FOUND, `the mapping ${text}`);
      });
    },
  },
  'scim/failure': {
    title: 'A failure of the server is 500 `Internal Server Error` without metadata.',
    needs: ['control', 'management_key', 'scim_mapping'],
    async run({ api, target, control }) {
      const id = target.scimMappingId ?? '';
      await control.fault({ operation: 'scim', status: 500 });
      const failed = await api.scim(id, { as: 'management_key' });
      expect.error(failed, { status: 500, message: 'Internal Server Error', metadata: 'absent' }, 'a failing read');
      expect.status(await api.scim(id, { as: 'management_key' }), 200, 'the read after it');
    },
  },
});
