/** `1 request`, `2 requests`. */
export const counted = (many: number, one: string): string => `${many} ${one}${many === 1 ? '' : 's'}`;
