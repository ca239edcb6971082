const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/gi;

const LENGTH = 36;

export const isUuid = (text: string): boolean => text.length === LENGTH && text.replace(UUID, '') === '';

/**
 * A text with its UUIDs in lower case: they are the same value in either case, and no other value is. Keeps its length.
 */
export const foldUuids = (text: string): string =>
  text.length < LENGTH ? text : text.replace(UUID, (uuid) => uuid.toLowerCase());
