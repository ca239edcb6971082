/** The answer of a gateway that has lost its backend: nobody can know whether the request was done. */
export const GATEWAY: ReadonlySet<number> = new Set([502, 503, 504]);
