const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/gi;

const LENGTH = 36;

/** The UUIDs in a text, with their places. */
export const uuidsIn = (text: string): Iterable<RegExpExecArray> => (text.length < LENGTH ? [] : text.matchAll(UUID));

/**
 * A text with its UUIDs in lower case: they are the same value in either case, and no other value is. Keeps its length.
 */
export const foldUuids = (text: string): string =>
  text.length < LENGTH ? text : text.replace(UUID, (uuid) => uuid.toLowerCase());
