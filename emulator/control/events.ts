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

/** Types of things that have a read call. Their event is the answer of that call, without credentials. */
export type Readable = Exclude<EventType, 'said' | 'request' | 'write'>;

/** An unsent event. Its text is made when it is sent, once for all receivers. */
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
  /** Distinguishes ids of this emulator from those of an earlier one at the same address. */
  tag(): string;
  /** The present state of a thing; undefined once it is gone. `within` is the intern of a run. */
  read(type: Readable, id: string, within?: string): unknown;
  readonly past: Past;
  /** Waits some ms of real time, between two batches. */
  pause(ms: number): Promise<void>;
  /** Waits for a turn to send one subscriber missed changes; undefined if it may send now. */
  turn(): Promise<void> | undefined;
}

/** The number of changed things that are remembered for subscribers that reconnect. */
const REMEMBERED = 5_000;
/** So many more are dropped together, which is faster than one by one. */
const FORGOTTEN_AT_ONCE = 500;
/** ms between two batches. */
const BATCH_EVERY = 50;
/** Requests that are sent at once, and in each further batch (200 a second). Any more are only counted. */
const REQUESTS_AT_ONCE = 300;
const REQUESTS_PER_BATCH = 10;
/** Most bytes that wait for a subscriber that does not read. The rest comes from the journal later. */
const WAITING = 64 * 1024;
/** The span of changes that is searched for a subscriber's missed ones. It grows up to the widest if few are found. */
const WINDOW = 512;
const WIDEST = 8 * WINDOW;
/** About the characters of missed events that are sent before the sender waits for the reader. */
const PIECE = 16 * 1024;

interface Subscriber {
  readonly types: ReadonlySet<EventType>;
  readonly controller: ReadableStreamDefaultController<Uint8Array>;
  /** The last change that it was sent. */
  sent: number;
  /** It missed changes, or too many bytes wait for it. It gets the rest as it reads. */
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
 * Sends changes to subscribers. Events cost almost nothing while nobody subscribes. A subscriber that reconnects gets each
 * changed thing once, in its present state.
 */
export function createEvents({ sequence, tag, read, past, pause, turn }: EventsDeps) {
  const subscribers = new Set<Subscriber>();
  const marks = new Map<string, Mark>();
  let forgotten = 0;
  let queue: Pending[] = [];
  let scheduled = false;
  let closed = false;
  /** The number of requests that the next batch may hold. */
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

  /** The changes of these types after `from`, up to and including `to`, in order. */
  const between = (types: ReadonlySet<EventType>, from: number, to: number): Pending[] => {
    const missed = past.since(from, to);
    for (const mark of marks.values()) if (mark.seq > from && mark.seq <= to) missed.push(pendingOf(mark));
    return missed.filter(({ type }) => types.has(type)).sort((a, b) => a.seq - b.seq);
  };

  /** Sends a subscriber some of its missed changes, or a `reset` if these are forgotten. */
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
    // The first batch holds the events of this turn. Later ones are paced.
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

  /** The `seq` of an event's id; an impossible one if the id is not ours. */
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
    /** Whether somebody wants an event of this type now. Requests beyond the pace are only counted. */
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
      // Reinserted at the end: the thing that changed longest ago is forgotten first.
      marks.delete(key);
      marks.set(key, mark);
      if (marks.size >= REMEMBERED + FORGOTTEN_AT_ONCE) forget();
      if (subscribers.size === 0) return;
      // Read now: the next change has its own event.
      const data = pendingOf(mark).data();
      enqueue({ seq: mark.seq, type, data: () => data });
    },
    /** Sends changes that another part can send again: requests, writes, lines of runs. */
    send(pending: Pending): void {
      if (subscribers.size > 0) enqueue(pending);
    },
    /** Everything may have changed: subscribers must read again. */
    reset(): void {
      marks.clear();
      queue = [];
      forgotten = sequence.next();
      const text = resetBlock('everything was replaced');
      // A lagging subscriber gets the reset when it catches up.
      for (const subscriber of subscribers) if (!subscriber.lagging) push(subscriber, text, forgotten);
    },
    /**
     * A stream of server-sent events of these types, from now on or after the event with an id. It begins with a `reset` if
     * changes since then are forgotten.
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
            // It may have left during the wait.
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
