import type { Habit } from './habit.js';
import type { Serve } from './serve.js';

/** A stream opens, head and all, when there is something to say. */
const serve: Serve = (next) => async (request) => {
  const response = await next(request);
  const { status, headers, body } = response;
  if (body === null || !/event-stream/.test(headers.get('content-type') ?? '')) return response;
  const reader = body.getReader();
  const decoder = new TextDecoder();
  const first: Uint8Array[] = [];
  for (let said = ''; !/"content":"[^"]|"finish_reason":"|: keepalive/.test(said); ) {
    const { done, value } = await reader.read();
    if (done) break;
    first.push(value);
    said += decoder.decode(value, { stream: true });
  }
  const rest = new ReadableStream<Uint8Array>({
    start: (controller) => first.forEach((bytes) => void controller.enqueue(bytes)),
    async pull(controller) {
      const { done, value } = await reader.read();
      if (done) controller.close();
      else controller.enqueue(value);
    },
    cancel: () => reader.cancel(),
  });
  return new Response(rest, { status, headers });
};

export const lateOpening: Habit = {
  id: 'late-opening',
  what: 'opens a stream when it has something to say',
  kit: 'waits for the head as for the first word',
  serve,
};
