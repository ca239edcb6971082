import type { Sequence } from './sequence.js';

/** The types of the events of `GET /_emulator/events`. */
export const EVENT_TYPES = [
  'intern',
  'run',
  'said',
  'request',
  'write',
  'clock',
  'fault',
  'script',
  'match',
  'lab',
] as const;
export type EventType = (typeof EVENT_TYPES)[number];

/** Something that has a read of its own: its event is the answer of that read, without credentials. */
export type Readable = Exclude<EventType, 'said' | 'request' | 'write'>;

/** An event on its way: its text is made when it is sent, once for all receivers. */
export interface Pending {
  readonly seq: number;
  readonly type: EventType;
  data(): unknown;
}

/** The changes that can be sent again to a subscriber that reconnects: requests, their writes, and lines of runs. */
export interface Past {
  /** The changes after `seq`, up to and including `to`. In no order. */
  since(seq: number, to: number): Pending[];
  /** Changes whose `seq` is not above this may be forgotten. */
  forgotten(): number;
}

export interface EventsDeps {
  readonly sequence: Sequence;
  /**
   * Distinguishes this emulator from an earlier one at the same address, so that ids of that one are not taken for
   * ours.
   */
  tag(): string;
  /** The present state of a thing; undefined once it is gone. `within` is the intern of a run. */
  read(type: Readable, id: string, within?: string): unknown;
  readonly past: Past;
  /** Some ms of the machine's time, between two batches. */
  pause(ms: number): Promise<void>;
  /** A turn to send one subscriber some of the missed changes; undefined if it may be now. */
  turn(): Promise<void> | undefined;
}

/** How many changed things are remembered for subscribers that reconnect. */
const REMEMBERED = 5_000;
/** How many more are dropped together: taking the oldest one by one from a map gets ever slower. */
const FORGOTTEN_AT_ONCE = 500;
/** Between two batches, in ms: events of the meantime leave together. */
const BATCH_EVERY = 50;
/** Requests at once, and in each further batch (200 a second): faster ones are counted instead. */
const REQUESTS_AT_ONCE = 300;
const REQUESTS_PER_BATCH = 10;
/** How many bytes may wait for a subscriber that does not read; the journal holds the rest once. */
const WAITING = 64 * 1024;
/** How many changes are searched together for those that a subscriber missed; up to the most if it missed few. */
const WINDOW = 512;
const WIDEST = 8 * WINDOW;
/** At about this many characters of missed events, the sender waits for the reader. */
const PIECE = 16 * 1024;

interface Subscriber {
  readonly types: ReadonlySet<EventType>;
  readonly controller: ReadableStreamDefaultController<Uint8Array>;
  /** The last change that it was sent. */
  sent: number;
  /** It has missed something, or has more waiting than it may: it gets the rest as it reads. */
  lagging: boolean;
}

interface Mark {
  readonly seq: number;
  readonly type: Readable;
  readonly id: string;
  readonly within: string | undefined;
}

const encoder = new TextEncoder();

/**
 * Sends changes to subscribers. Without subscribers, a change costs a number and a look-up: its event is made only when
 * it is sent. A subscriber that reconnects gets each changed thing once, in its present state.
 */
export function createEvents({ sequence, tag, read, past, pause, turn }: EventsDeps) {
  const subscribers = new Set<Subscriber>();
  const marks = new Map<string, Mark>();
  let forgotten = 0;
  let queue: Pending[] = [];
  let scheduled = false;
  let closed = false;
  /** How many requests may be sent in the next batch. */
  let room = REQUESTS_AT_ONCE;
  let skipped = 0;

  const idOf = (seq: number) => `${tag()}-${seq}`;
  const block = (type: string, seq: number, data: unknown) =>
    `event: ${type}\nid: ${idOf(seq)}\ndata: ${JSON.stringify(data)}\n\n`;
  const blockOf = ({ type, seq, data }: Pending) => block(type, seq, data());
  const resetBlock = (why: string) => block('reset', sequence.last, { why });

  const pendingOf = ({ seq, type, id, within }: Mark): Pending => ({
    seq,
    type,
    data: () => read(type, id, within) ?? { id, deleted: true },
  });

  const push = (subscriber: Subscriber, said: string | Uint8Array, seq: number) => {
    subscriber.sent = seq;
    const bytes = typeof said === 'string' ? encoder.encode(said) : said;
    if (bytes.length > 0) subscriber.controller.enqueue(bytes);
    if ((subscriber.controller.desiredSize ?? 0) <= 0) subscriber.lagging = true;
  };

  /** The changes of these types after one place, up to another, in order. */
  const between = (types: ReadonlySet<EventType>, from: number, to: number): Pending[] => {
    const missed = past.since(from, to);
    // In order of their places: a thing that changes anew goes to the end.
    for (const mark of marks.values()) if (mark.seq > from && mark.seq <= to) missed.push(pendingOf(mark));
    return missed.filter(({ type }) => types.has(type)).sort((a, b) => a.seq - b.seq);
  };

  /** Sends a subscriber some of the missed changes, or that it missed too many. */
  const catchUp = (subscriber: Subscriber) => {
    const { types, sent } = subscriber;
    if (sent < Math.max(forgotten, past.forgotten()) || sent > sequence.last) {
      push(subscriber, resetBlock('what happened since then is not held any more'), sequence.last);
      return;
    }
    let text = '';
    let at = sent;
    for (let span = WINDOW; text.length < PIECE && at < sequence.last; span = Math.min(2 * span, WIDEST)) {
      const to = Math.min(sequence.last, at + span);
      for (const pending of between(types, at, to)) {
        text += blockOf(pending);
        at = pending.seq;
        if (text.length >= PIECE) break;
      }
      if (text.length < PIECE) at = to;
    }
    push(subscriber, text, at);
    if (at < sequence.last) subscriber.lagging = true;
  };

  const flush = () => {
    const batch = queue;
    queue = [];
    if (batch.length === 0 && skipped === 0) return;
    const last = batch.at(-1)?.seq ?? sequence.last;
    const texts = batch.map((pending) => ({ pending, text: blockOf(pending) }));
    const left = skipped === 0 ? '' : block('skipped', last, { requests: skipped });
    skipped = 0;
    const textFor = ({ types, sent }: Subscriber) =>
      texts
        .filter(({ pending }) => types.has(pending.type) && pending.seq > sent)
        .map(({ text }) => text)
        .join('') + (types.has('request') ? left : '');
    const first = batch[0]?.seq ?? last;
    const joined = new Map<ReadonlySet<EventType>, Uint8Array>();
    for (const subscriber of subscribers) {
      if (subscriber.lagging) continue;
      // A subscriber that came in the middle of the batch has already received its beginning.
      const shared = subscriber.sent < first ? joined.get(subscriber.types) : undefined;
      const bytes = shared ?? encoder.encode(textFor(subscriber));
      if (subscriber.sent < first) joined.set(subscriber.types, bytes);
      push(subscriber, bytes, last);
    }
  };

  const deliver = async () => {
    // The first leaves at once with the rest of this turn; later ones leave in batches.
    await new Promise<void>((resolve) => setImmediate(resolve));
    while ((queue.length > 0 || skipped > 0 || room < REQUESTS_AT_ONCE) && !closed) {
      flush();
      await pause(BATCH_EVERY);
      room = Math.min(REQUESTS_AT_ONCE, room + REQUESTS_PER_BATCH);
    }
    scheduled = false;
  };

  const schedule = () => {
    if (scheduled) return;
    scheduled = true;
    void deliver();
  };
  const enqueue = (pending: Pending) => {
    queue.push(pending);
    schedule();
  };

  /** The place among all changes of an id; an impossible one if the id is not ours. */
  const placeOf = (id: string): number => {
    const ours = `${tag()}-`;
    const place = id.startsWith(ours) ? Number(id.slice(ours.length)) : Number.NaN;
    return Number.isSafeInteger(place) && place >= 0 ? place : Number.POSITIVE_INFINITY;
  };

  const forget = () => {
    for (const [key, mark] of marks) {
      if (marks.size <= REMEMBERED) return;
      marks.delete(key);
      forgotten = mark.seq;
    }
  };

  return {
    /**
     * Whether an event must be made now and sent: somebody wants it. If there are more requests than anybody can follow,
     * the rest are only counted.
     */
    takes(type: EventType): boolean {
      if (subscribers.size === 0) return false;
      if (type !== 'request') return true;
      if (room > 0) {
        room--;
        return true;
      }
      skipped++;
      schedule();
      return false;
    },
    /** A thing changed, or is gone. Costs a look-up if nobody listens. */
    changed(type: Readable, id: string, within?: string): void {
      const key = `${type} ${id}`;
      const mark = { seq: sequence.next(), type, id, within };
      // Reinserted at the end, so that things that change often are not forgotten before those that changed once.
      marks.delete(key);
      marks.set(key, mark);
      if (marks.size >= REMEMBERED + FORGOTTEN_AT_ONCE) forget();
      if (subscribers.size === 0) return;
      // The present state: its next change has an event of its own.
      const data = pendingOf(mark).data();
      enqueue({ seq: mark.seq, type, data: () => data });
    },
    /** Sends changes that another part can send again: requests, writes, lines of runs. */
    send(pending: Pending): void {
      if (subscribers.size > 0) enqueue(pending);
    },
    /** Everything may have changed: subscribers read anew. */
    reset(): void {
      marks.clear();
      queue = [];
      forgotten = sequence.next();
      const text = resetBlock('everything was replaced');
      // A subscriber that lags finds out by itself.
      for (const subscriber of subscribers) if (!subscriber.lagging) push(subscriber, text, forgotten);
    },
    /**
     * A stream of server-sent events, of these types or of all: from now on, or from after the event with this id as far
     * as that is known, else with a `reset` first.
     */
    subscribe(types: ReadonlySet<EventType>, after: string | null): ReadableStream<Uint8Array> {
      let own: Subscriber | undefined;
      return new ReadableStream<Uint8Array>(
        {
          start(controller) {
            own = { types, controller, sent: after === null ? sequence.last : placeOf(after), lagging: after !== null };
            // Sets the client's Last-Event-ID, even if it leaves before the first event.
            push(own, `retry: 1000\n${Number.isFinite(own.sent) ? `id: ${idOf(own.sent)}\n` : ''}\n`, own.sent);
            if (closed) controller.close();
            else subscribers.add(own);
          },
          async pull() {
            if (!own?.lagging) return;
            await turn();
            // Meanwhile it may have left.
            if (!subscribers.has(own)) return;
            own.lagging = false;
            if (own.sent !== sequence.last) catchUp(own);
          },
          cancel() {
            if (own) subscribers.delete(own);
          },
        },
        new ByteLengthQueuingStrategy({ highWaterMark: WAITING }),
      );
    },
    close(): void {
      closed = true;
      for (const { controller } of subscribers) controller.close();
      subscribers.clear();
    },
  };
}

export type Events = ReturnType<typeof createEvents>;
