import { expect, test } from 'vitest';
import { inWorkspace } from './record.js';

test('a record may leave its workspace out, and may not name another', () => {
  expect(() => inWorkspace({}, 'one', 'an intern')).not.toThrow();
  expect(() => inWorkspace({ workspace_id: 'one' }, 'one', 'an intern')).not.toThrow();
  expect(() => inWorkspace({ workspace_id: 'two' }, 'one', 'an intern')).toThrow();
});
