import { bytesOfWritten, type EventStream, type Flow, type Sink, type Written } from './stream.js';

type Read = { readonly done: false; readonly value: Uint8Array } | { readonly done: true; readonly value: undefined };

const OVER: Read = { done: true, value: undefined };

/**
 * Reads a stream in process, a write at a time and only when asked, with no `ReadableStream` in between. Cancelling it
 * is the client's disconnect. So is the abort of the signal, which also rejects with its reason.
 */
export class StreamReader implements Sink {
  private readonly flow: Flow;
  private reading: { settle(read: Read): void; fail(error: unknown): void } | undefined;
  private over: { readonly error?: unknown } | undefined;

  constructor(
    stream: EventStream,
    private readonly signal?: AbortSignal,
  ) {
    this.flow = stream.open(this);
    if (signal?.aborted) this.left();
    else signal?.addEventListener('abort', this.left, { once: true });
  }

  /** The next write; rejects if the stream broke off. One call at a time. */
  read(): Promise<Read> {
    if (this.over && 'error' in this.over) return Promise.reject(this.over.error);
    if (this.over) return Promise.resolve(OVER);
    return new Promise((settle, fail) => {
      this.reading = { settle, fail };
      try {
        this.flow.want();
      } catch (error) {
        this.fail(error);
        this.flow.gone();
      }
    });
  }

  async cancel(): Promise<void> {
    this.end();
    this.flow.gone();
  }

  write(written: Written): boolean {
    const { reading } = this;
    this.reading = undefined;
    reading?.settle({ done: false, value: bytesOfWritten(written) });
    return false;
  }

  end(): void {
    this.close({});
    this.reading?.settle(OVER);
  }

  fail(error: unknown): void {
    this.close({ error });
    this.reading?.fail(error);
  }

  private close(over: { readonly error?: unknown }): void {
    this.over ??= over;
    this.signal?.removeEventListener('abort', this.left);
  }

  private readonly left = () => {
    this.fail(this.signal?.reason);
    this.flow.gone();
  };
}
