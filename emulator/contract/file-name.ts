/** A name that paths, and files of every system that this runs on, can bear: of a space, a snapshot, a scenario. */
export const FILE_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/;
export const NOT_A_FILE_NAME = 'expected 1 to 100 letters, digits, ".", "_" or "-", the first a letter or a digit';

/** Names that Windows gives to devices, whatever follows a dot: no file there can have them. */
export const DEVICE_NAME = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i;
export const A_DEVICE_NAME = 'Windows has a device of this name. Choose another';

/** The mistake in a name for a file, as the end of a sentence; undefined if there is none. */
export function wrongFileName(name: string): string | undefined {
  if (!FILE_NAME.test(name)) return NOT_A_FILE_NAME;
  return DEVICE_NAME.test(name) ? A_DEVICE_NAME : undefined;
}
