/** A law that does not hold. */
export class Broken extends Error {
  override readonly name = 'Broken';
  constructor(law: string, found: string) {
    super(`${law}: ${found}`);
  }
}
