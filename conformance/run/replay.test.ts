import { expect, test } from 'vitest';
import type { ShownExchange } from '../probe/evidence.js';
import { curl } from './finding.js';

const sent = (headers: Record<string, string>, body?: string) =>
  curl({ request: { method: 'DELETE', url: 'http://x/api/v1', headers, body } } as ShownExchange);

test('a body that was sent without a media type is sent so by curl too, which else calls it a form', () => {
  expect(sent({}, '{}')).toBe("curl -i -N -X DELETE http://x/api/v1 -H content-type: --data-raw '{}'");
  expect(sent({ 'Content-Type': 'text/plain' }, '{}')).not.toContain('-H content-type:');
  expect(sent({})).toBe('curl -i -N -X DELETE http://x/api/v1');
});
