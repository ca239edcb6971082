import { jsonOf } from '../contract/nesting.js';
import { isStream, through } from '../wire/streams.js';

/** The body is read once: a clone of the request, made to read it again, would lose the signal to the garbage collector. */
type Respond = (request: Request, body: { readonly parsedBody?: unknown }) => Promise<Response>;

/** Characters above which a body is left to be refused by who answers. */
const MOST = 4_194_304;

interface Message {
  readonly id?: unknown;
  readonly method?: unknown;
  readonly params?: { readonly requestId?: unknown };
}

/** The calls that go on over HTTP, so that a caller can cancel one: its message names the call by its id. */
export interface Calls {
  /** Has a request answered, with a signal that its caller can abort. */
  serve(request: Request, answer: Respond): Promise<Response>;
}

/** A call that goes on. It holds its requests: the signal of one follows another's weakly, and is lost with it. */
interface Call {
  readonly own: AbortController;
  readonly received: Request;
  passed?: Request;
}

/** There are no sessions: what callers say of themselves distinguishes them, and of two alike none can cancel. */
export function createCalls(): Calls {
  const going = new Map<string, Set<Call>>();
  const keyOf = ({ headers }: Request, id: unknown) =>
    JSON.stringify([id, headers.get('authorization'), headers.get('user-agent')]);

  return {
    async serve(request, answer) {
      const text = await request.text();
      const parsedBody = text.length > MOST ? undefined : jsonOf(text);
      const { id, method, params } = (parsedBody ?? {}) as Message;
      if (method === 'notifications/cancelled') {
        const named = [...(going.get(keyOf(request, params?.requestId)) ?? [])];
        if (named.length === 1) named[0]?.own.abort(new Error('the caller cancelled it'));
      }
      const key = keyOf(request, id);
      const own = new AbortController();
      const call: Call = { own, received: request };
      const alike = going.get(key) ?? new Set();
      going.set(key, alike.add(call));
      const over = () => {
        alike.delete(call);
        if (alike.size === 0) going.delete(key);
      };
      const { url, headers } = request;
      request.signal.addEventListener('abort', () => own.abort(request.signal.reason), { once: true });
      call.passed = new Request(url, { method: 'POST', headers, body: text, signal: own.signal });
      try {
        const response = await answer(call.passed, { parsedBody });
        if (!isStream(response)) {
          over();
          return response;
        }
        return through(response, {
          sends(piece) {
            if (piece === undefined) over();
            return piece;
          },
          left(cancel) {
            over();
            return cancel();
          },
          broken: over,
        });
      } catch (error) {
        over();
        throw error;
      }
    },
  };
}
