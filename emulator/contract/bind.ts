import type { AddressInfo, Server } from 'node:net';

/**
 * Binds a server, on loopback and to a free port by default. The result is its port.
 *
 * @throws Error with Node's `code` (`EADDRINUSE`, `EACCES`, …) if the port is not available
 */
export const bind = (server: Server, port = 0, host = '127.0.0.1'): Promise<number> =>
  new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve((server.address() as AddressInfo).port);
    });
  });
