import { isRecord } from './json.js';

/** Statuses of a gateway that has lost its backend. The request may have taken effect. */
export const GATEWAY: ReadonlySet<number> = new Set([502, 503, 504]);

/** Whether a gateway answered in place of the service, whose errors have another form. */
export const isOfGateway = ({ status, json }: { readonly status: number; readonly json?: unknown }): boolean =>
  GATEWAY.has(status) && !(isRecord(json) && isRecord(json.error));
