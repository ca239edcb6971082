import { get, type OutgoingHttpHeaders } from 'node:http';

/** The status of a GET as no fetch sends it: under the Host that `headers` give, for any target. */
export const plainGet = (url: string, headers: OutgoingHttpHeaders, target?: string): Promise<number> =>
  new Promise((resolve, reject) => {
    get(url, { headers, ...(target !== undefined && { path: target }) }, (response) => {
      response.resume().on('end', () => resolve(response.statusCode ?? 0));
    }).on('error', reject);
  });
