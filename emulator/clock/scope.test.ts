import { describe, expect, test, vi } from 'vitest';
import { Scope } from './scope.js';

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

describe('disposing', () => {
  test('calls what was deferred, the last first, each awaited before the one before it', async () => {
    const seen: string[] = [];
    const scope = new Scope();
    scope.defer(() => seen.push('first'));
    scope.defer(async () => {
      seen.push('second begins');
      await turn();
      seen.push('second ends');
    });
    scope.defer(() => seen.push('third'));
    const disposal = scope.dispose();
    expect(seen).toEqual(['third', 'second begins']);
    await disposal;
    expect(seen).toEqual(['third', 'second begins', 'second ends', 'first']);
  });

  test('happens once, however often it is asked for, and everybody waits for it', async () => {
    const dispose = vi.fn(turn);
    const scope = new Scope();
    scope.defer(dispose);
    const first = scope.dispose(new Error('one'));
    expect(scope.dispose(new Error('two'))).toBe(first);
    await first;
    expect(dispose).toHaveBeenCalledTimes(1);
    expect(scope.signal.reason).toEqual(new Error('one'));
  });

  test('a disposer that fails keeps none from being called, and is reported', async () => {
    const scope = new Scope();
    const dispose = vi.fn();
    scope.defer(dispose);
    scope.defer(() => {
      throw new Error('at once');
    });
    await expect(scope.dispose()).rejects.toThrow('at once');
    expect(dispose).toHaveBeenCalledTimes(1);
  });

  test('several that fail are reported together, those of children too', async () => {
    const scope = new Scope();
    scope.defer(() => Promise.reject(new Error('later')));
    scope.child().defer(() => {
      throw new Error('below');
    });
    const error = await scope.dispose().catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(AggregateError);
    expect((error as AggregateError).errors).toEqual([new Error('below'), new Error('later')]);
  });

  test('a disposer that was taken back is not called, not even by one of those that are', async () => {
    const scope = new Scope();
    const dispose = vi.fn();
    const takeBack = scope.defer(dispose);
    scope.defer(dispose)();
    scope.defer(takeBack);
    await scope.dispose();
    expect(dispose).not.toHaveBeenCalled();
  });

  test('lets go at once of what is deferred too late, and meanwhile of what is deferred on the way', async () => {
    const scope = new Scope();
    const seen: string[] = [];
    scope.defer(async () => {
      await turn();
      scope.defer(() => seen.push('on the way'));
    });
    await scope.dispose();
    expect(seen).toEqual(['on the way']);
    scope.defer(() => seen.push('late'));
    expect(seen).toEqual(['on the way', 'late']);
  });
});

describe('children', () => {
  test('are aborted at once, all of them, and disposed of in their place among the disposers', async () => {
    const root = new Scope();
    const seen: string[] = [];
    root.defer(() => seen.push('root'));
    const child = root.child();
    const grandchild = child.child();
    grandchild.defer(turn);
    grandchild.defer(() => seen.push('grandchild'));
    child.signal.addEventListener('abort', () => seen.push('child aborted'));
    root.defer(async () => {
      await turn();
      seen.push('above');
    });
    const reason = new Error('enough');
    const disposal = root.dispose(reason);
    expect(grandchild.signal.reason).toBe(reason);
    expect(seen).toEqual(['child aborted']);
    await disposal;
    expect(seen).toEqual(['child aborted', 'above', 'grandchild', 'root']);
  });

  test('end by themselves without their parent, which then keeps nothing of them', async () => {
    const root = new Scope();
    const dispose = vi.fn();
    const child = root.child();
    child.defer(dispose);
    await child.dispose();
    expect([root.disposed, root.signal.aborted]).toEqual([false, false]);
    await root.dispose();
    expect(dispose).toHaveBeenCalledTimes(1);
  });

  test('of a disposed scope are disposed from the start', () => {
    const root = new Scope();
    void root.dispose(new Error('gone'));
    const child = root.child();
    expect([child.disposed, child.signal.reason]).toEqual([true, new Error('gone')]);
    const dispose = vi.fn();
    child.defer(dispose);
    expect(dispose).toHaveBeenCalledTimes(1);
  });

  test('by the ten thousand are disposed of in no time, and a root forgets those that ended', async () => {
    const root = new Scope();
    const dispose = vi.fn();
    for (let i = 0; i < 10_000; i++) root.child().defer(dispose);
    for (let i = 0; i < 10_000; i++) void root.child().dispose();
    await root.dispose();
    expect(dispose).toHaveBeenCalledTimes(10_000);
  });
});

test('the signal aborts with the reason, also where it is asked for only afterwards', async () => {
  const scope = new Scope();
  const before = scope.child();
  const { signal } = before;
  await scope.dispose(new Error('why'));
  expect(signal.reason).toEqual(new Error('why'));
  expect(new Scope(scope).signal.aborted).toBe(false);
  expect(scope.signal.reason).toEqual(new Error('why'));
});

describe('racing', () => {
  test('rejects as soon as the scope is disposed, and where it was already', async () => {
    const scope = new Scope();
    const raced = scope.race(new Promise(() => {}));
    void scope.dispose(new Error('over'));
    await expect(raced).rejects.toThrow('over');
    await expect(scope.race(new Promise(() => {}))).rejects.toThrow('over');
  });

  test('takes note of work that fails after it was given up', async () => {
    const scope = new Scope();
    let fail: (error: Error) => void = () => {};
    const raced = scope.race(
      new Promise((_, reject) => {
        fail = reject;
      }),
    );
    void scope.dispose(new Error('over'));
    await expect(raced).rejects.toThrow('over');
    fail(new Error('too late to matter'));
    await turn();
  });
});

test('a scope that follows a signal ends with it, and leaves nothing on it otherwise', async () => {
  const controller = new AbortController();
  const followed = new Scope().follow(controller.signal);
  const other = new Scope().follow(controller.signal);
  const dispose = vi.fn();
  followed.defer(dispose);
  const remove = vi.spyOn(controller.signal, 'removeEventListener');
  await other.dispose();
  expect(remove).toHaveBeenCalledTimes(1);
  controller.abort(new Error('left'));
  expect(dispose).toHaveBeenCalledTimes(1);
  expect(followed.signal.reason).toEqual(new Error('left'));
  expect(new Scope().follow(controller.signal).disposed).toBe(true);
});
