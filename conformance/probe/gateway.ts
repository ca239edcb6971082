/** Statuses of a gateway that has lost its backend. The request may have taken effect. */
export const GATEWAY: ReadonlySet<number> = new Set([502, 503, 504]);
