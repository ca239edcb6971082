/** `1 request`, `2 requests`, `2 breaches`. */
export const counted = (many: number, one: string, several = `${one}s`): string =>
  `${many} ${many === 1 ? one : several}`;
