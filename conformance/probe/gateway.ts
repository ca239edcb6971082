/** What a gateway answers that has lost what is behind it: nobody can tell whether the request was done. */
export const GATEWAY: ReadonlySet<number> = new Set([502, 503, 504]);
