export interface Trace {
  trace_id: string;
  /** The span of the caller. */
  parent_id: string;
  sampled: boolean;
}

const FORM = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;

/**
 * Reads a `traceparent` as the W3C recommendation Trace Context does (3.2.2): ids of zeros and version ff are invalid,
 * version 00 ends after its flags, and a later version may go on. Undefined if there is none or it is invalid.
 */
export function traceOf(header: string | null | undefined): Trace | undefined {
  const [, version = '', trace_id = '', parent_id = '', flags = '', more] = FORM.exec(header ?? '') ?? [];
  if (version === '' || version === 'ff' || (version === '00' && more !== undefined)) return undefined;
  if (/^0+$/.test(trace_id) || /^0+$/.test(parent_id)) return undefined;
  return { trace_id, parent_id, sampled: (Number.parseInt(flags, 16) & 1) === 1 };
}
