import type { Serve } from '../../../emulator/wire/serve.js';
import {
  keyOrder,
  noContent,
  otherStatus,
  shortPage,
  slow,
  slowBoot,
  unknownFields,
  unknownHeaders,
} from './answers.js';
import { comments, crlf, heldOpen, joined, noUsage, split, unknownEvents } from './framings.js';

/**
 * Disturbances of any one answer that no right client notices (EXP-3), by their names in faults. The emulator itself does
 * those that need more than the answer.
 */
export const HARMLESS: Readonly<Record<string, Serve>> = {
  joined,
  split,
  comments,
  'unknown-events': unknownEvents,
  'no-usage': noUsage,
  crlf,
  'held-open': heldOpen,
  'unknown-fields': unknownFields,
  'unknown-headers': unknownHeaders,
  'key-order': keyOrder,
  'no-content': noContent,
  slow,
  'slow-boot': slowBoot,
  'other-status': otherStatus,
  'short-page': shortPage,
};
