const REQUEST_ID = /^[A-Za-z0-9._:-]{1,128}$/;

/** The caller's request id, if it is valid (BASE-6). */
export const givenRequestId = (header: string | string[] | null | undefined): string | undefined =>
  typeof header === 'string' && REQUEST_ID.test(header) ? header : undefined;

/** The caller of what the console's page asks for itself: the key that it uses is somebody else's. */
export const CONSOLE = 'console';

/** Whether the console's page made a request: it names each by what no other client has. */
export const isOfConsole = (requestId: string): boolean => /^console-[0-9a-z]{18}$/.test(requestId);
