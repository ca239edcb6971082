import { checksOf } from '../framework/check.js';
import * as expect from '../framework/expect.js';

export const SCIM = checksOf('SCIM-2', {
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
