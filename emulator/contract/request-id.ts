const REQUEST_ID = /^[A-Za-z0-9._:-]{1,128}$/;

/** The caller's request id, if it is valid (BASE-6). */
export const givenRequestId = (header: string | string[] | null | undefined): string | undefined =>
  typeof header === 'string' && REQUEST_ID.test(header) ? header : undefined;
