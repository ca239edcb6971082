import { createServer } from 'node:http';
import { afterEach, expect, test } from 'vitest';
import { bind } from '../contract/bind.js';
import { inBrowser } from '../testing/browser.harness.js';

let close = () => {};
afterEach(() => close());

/** A page of another site, or of another port of the same one, that shows `body`. */
async function foreignPage(host: string, body: string): Promise<string> {
  const server = createServer((_, response) => {
    response.writeHead(200, { 'content-type': 'text/html' }).end(`<!doctype html><title>foreign</title>${body}`);
  });
  const port = await bind(server);
  close = () => server.close();
  return `http://${host}:${port}/`;
}

inBrowser('pages of others', (open) => {
  test.each(['localhost', '127.0.0.1'])(
    'of %s reach nothing of the control interface, and may link to the console',
    async (host) => {
      const { page, url } = await open();
      // For a broken image, the page itself does not learn what the answer was. The two events of a request come in
      // either order.
      const network = await page.context().newCDPSession(page);
      const asked = new Map<string, URL>();
      const answered = new Map<string, number>();
      network.on(
        'Network.requestWillBeSent',
        ({ requestId, request }) => void asked.set(requestId, new URL(request.url)),
      );
      network.on(
        'Network.responseReceivedExtraInfo',
        ({ requestId, statusCode }) => void answered.set(requestId, statusCode),
      );
      const statuses = () =>
        Object.fromEntries(
          [...asked]
            .filter(([, { search }]) => search === '?foreign')
            .map(([id, { pathname }]) => [pathname, answered.get(id)]),
        );
      await network.send('Network.enable');
      const address = await foreignPage(
        host,
        `<img src="${url}/_emulator/clok?foreign"><iframe src="${url}/_emulator/target?foreign"></iframe>
        <a href="${url}/">console</a>`,
      );
      await page.goto(address, { waitUntil: 'load' });
      await expect.poll(statuses).toEqual({ '/_emulator/clok': 403, '/_emulator/target': 403 });
      await page.getByText('console').click();
      await page.getByText('first-intern').first().waitFor();
    },
  );
});
