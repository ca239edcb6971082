import { expect, test } from 'vitest';
import { launchChromium } from '../../../test/chromium.js';
import { needs } from '../../../test/tools.js';
import { bodies, isTold, listen, served, TYPES } from './event-sources.harness.js';
import { eventStream } from './event-stream.js';

const server = served();

test('the oracle agrees with Chromium’s EventSource, every case', needs('chromium'), async () => {
  const browser = await launchChromium();
  try {
    const page = await browser.newPage();
    await page.goto(server.origin);
    const found = await page.evaluate(
      async ({ ids, types, code }) => {
        const read = new Function(`return ${code}`)();
        const result: Record<string, unknown> = {};
        for (const id of ids)
          result[id] = await read((globalThis as unknown as { EventSource: unknown }).EventSource, `/${id}`, types);
        return result;
      },
      { ids: bodies.map(({ id }) => id), types: TYPES, code: listen.toString() },
    );
    expect(found).toEqual(Object.fromEntries(bodies.map(({ id, bytes }) => [id, eventStream(bytes).filter(isTold)])));
  } finally {
    await browser.close();
  }
});
