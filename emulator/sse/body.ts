import { EventStream, type StreamOptions } from './stream.js';

/** How much of a reply that is all there is put into one text; a longer one is written piece by piece. */
const TEXT_LIMIT = 256 * 1024;

/**
 * The body of a response: text where all of it is there already, otherwise a stream ({@link EventStream}). Most replies of
 * scripts that do not wait are, and need none of a stream's machinery.
 */
export function createBody(options: StreamOptions): string | EventStream {
  const { source, encoder, drop, hooks } = options;
  if (drop !== undefined || !source.complete()) return new EventStream(options);
  let text = encoder.open();
  for (const event of source.take(TEXT_LIMIT)) text += encoder.event(event);
  const final = encoder.final();
  if (final === '') return new EventStream(options, text);
  text += final;
  hooks?.onWrite(text);
  source.finish();
  hooks?.onClose('complete', source.ended());
  return text;
}
