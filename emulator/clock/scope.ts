type Disposer = () => unknown;

/**
 * How long something lives, and what ends with it. An emulator owns the root; a request, a run, a lock, a watcher take
 * a {@link Scope.child}. It is an abort signal, a stack of disposers and children:
 *
 * ```ts
 * const scope = parent.child();              // ends with its parent, or sooner
 * scope.defer(() => watcher.close());        // undone when the scope is disposed, the last first
 * await clock.sleep(5_000, scope.signal);    // rejects as soon as the scope is disposed
 * await scope.race(somebodyElsesPromise);    // the same for what takes no signal, at less cost
 * await scope.dispose(new Error('reset'));   // aborts, then awaits children and disposers
 * ```
 *
 * Small and lazy, since one is made per request and per run: a signal exists only once it was asked for.
 */
export class Scope {
  private owned: Set<Scope | Disposer> | undefined;
  private controller: AbortController | undefined;
  private racing: Set<(reason: unknown) => void> | undefined;
  private unfollow: (() => void) | undefined;
  private over = false;
  private reason: unknown;
  private disposal: Promise<void> | undefined;

  constructor(private readonly parent?: Scope) {}

  /** Whether {@link dispose} was called, here or on a parent. */
  get disposed(): boolean {
    return this.over;
  }

  /** Aborted, with the reason given to {@link dispose}, as soon as the scope or a parent is disposed. */
  get signal(): AbortSignal {
    if (!this.controller) {
      this.controller = new AbortController();
      if (this.over) this.controller.abort(this.reason);
    }
    return this.controller.signal;
  }

  /** A scope that ends with this one, or sooner. A child of a disposed scope is disposed from the start. */
  child(): Scope {
    const child = new Scope(this);
    if (this.over) void child.dispose(this.reason);
    else this.own(child);
    return child;
  }

  /**
   * Defers `dispose` until the scope is disposed, where it is awaited. If the scope is already disposed, it is called
   * at once, so that late acquisitions are released too.
   *
   * @returns cancels the deferral
   */
  defer(dispose: Disposer): () => void {
    // An entry of its own: the same function may be deferred twice.
    const entry = () => dispose();
    if (this.over && !this.owned) dispose();
    else this.own(entry);
    return () => void this.owned?.delete(entry);
  }

  /**
   * Disposes of the scope as soon as a signal aborts, with its reason. The scope ends with its parent or with that
   * signal.
   */
  follow(signal: AbortSignal): this {
    if (this.over) return this;
    const end = () => void this.dispose(signal.reason);
    if (signal.aborted) end();
    else {
      signal.addEventListener('abort', end, { once: true });
      const others = this.unfollow;
      // Not a disposer: releasing a signal waits for nothing, and every waiting request follows one.
      this.unfollow = () => {
        others?.();
        signal.removeEventListener('abort', end);
      };
    }
    return this;
  }

  /** The result of `work`; rejects with the scope's reason as soon as the scope is disposed, whatever `work` does. */
  race<T>(work: PromiseLike<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      if (this.over) reject(this.reason);
      // A call of its own, not a listener on the signal: most scopes are raced, and few ever need a signal.
      this.racing ??= new Set();
      this.racing.add(reject);
      work.then(
        (value) => {
          this.racing?.delete(reject);
          resolve(value);
        },
        (error: unknown) => {
          this.racing?.delete(reject);
          reject(error);
        },
      );
    });
  }

  /** Throws the scope's reason once it is disposed. */
  throwIfDisposed(): void {
    if (this.over) throw this.reason;
  }

  /**
   * Ends the scope, once. It aborts its signal and those of all its children. Then it disposes of children and deferred
   * disposers, the last first, each awaited before the one before it. Disposers that need no waiting are done when this returns,
   * so that a constructor can use it. A failing disposer does not stop the others.
   *
   * @param reason what the signals abort with; an `AbortError` by default
   * @returns the same promise each time; rejects with what a disposer threw, with an AggregateError if several did
   */
  dispose(reason: unknown = DISPOSED): Promise<void> {
    if (this.disposal) return this.disposal;
    if (!this.owned) {
      this.abort(reason);
      this.parent?.owned?.delete(this);
      this.disposal = DONE;
      return DONE;
    }
    let settle: (result: Promise<void>) => void = () => {};
    this.disposal = new Promise((resolve) => {
      settle = resolve;
    });
    this.abort(reason);
    settle(this.disposeOwned());
    return this.disposal;
  }

  private own(entry: Scope | Disposer): void {
    this.owned ??= new Set();
    this.owned.add(entry);
  }

  /** The whole tree at once: no scope below goes on working while the disposers above are awaited. */
  private abort(reason: unknown): void {
    if (this.over) return;
    this.over = true;
    this.reason = reason;
    for (const entry of this.owned ?? []) if (entry instanceof Scope) entry.abort(reason);
    this.unfollow?.();
    this.controller?.abort(reason);
    for (const reject of this.racing ?? []) reject(reason);
  }

  private disposeOwned(): Promise<void> {
    const errors: unknown[] = [];
    const fail = (error: unknown) => void errors.push(error);
    let stack: (Scope | Disposer)[] = [];
    /** Goes on synchronously until something must be awaited, and again after that. */
    const next = (): Promise<void> | undefined => {
      while (this.owned && this.owned.size > 0) {
        // Disposers that were deferred meanwhile are appended.
        if (stack.length === 0) stack = [...this.owned];
        const entry = stack.pop();
        // Cancelled, by a disposer before it.
        if (!entry || !this.owned.delete(entry)) continue;
        try {
          const pending = entry instanceof Scope ? entry.settled() : entry();
          if (isThenable(pending)) return Promise.resolve(pending).catch(fail).then(next);
        } catch (error) {
          fail(error);
        }
      }
      this.owned = undefined;
      this.parent?.owned?.delete(this);
      return undefined;
    };
    const report = () => {
      if (errors.length > 0) throw errors.length === 1 ? errors[0] : new AggregateError(errors, 'disposing failed');
    };
    const pending = next();
    if (pending) return pending.then(report);
    return errors.length === 0 ? DONE : new Promise((resolve) => resolve(report()));
  }

  /** The disposal of an aborted child; undefined if nothing of it needs awaiting. */
  private settled(): Promise<void> | undefined {
    return this.disposal || this.owned ? this.dispose(this.reason) : undefined;
  }
}

const DONE = Promise.resolve();

/** The default reason. One for all: every scope ends, and making an error is slow. */
const DISPOSED: unknown = Object.freeze(new DOMException('This operation was aborted', 'AbortError'));

const isThenable = (value: unknown): value is PromiseLike<unknown> =>
  typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function';
