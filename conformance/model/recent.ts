/** A map that forgets what was set first, where it holds too much: traffic may go on for days. */
export class Recent<Key, Value> extends Map<Key, Value> {
  constructor(
    private readonly most: number,
    private readonly forgets: (value: Value, key: Key) => void = () => {},
  ) {
    super();
  }

  override set(key: Key, value: Value): this {
    super.set(key, value);
    for (const [oldest, held] of this) {
      if (this.size <= this.most) break;
      this.delete(oldest);
      this.forgets(held, oldest);
    }
    return this;
  }
}
