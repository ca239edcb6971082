import type { Aliases } from './aliases.js';
import { hideInHeader } from './exchange.js';
import { bodyText, type RecordedExchange, type RecordedWrite, toBody } from './format.js';
import { apart } from './neighbours.js';
import { withoutSecrets } from './rewrite.js';

type Bodies = Pick<RecordedExchange, 'body' | 'body_base64' | 'headers'>;

/** Bytes in Base64, without the secrets among them. */
function bytesAgain(aliases: Aliases, recorded: readonly string[]): string[] {
  const hidden = aliases.hideInBytes(recorded.map((one) => Buffer.from(one, 'base64').toString('latin1')));
  return hidden.map((one) => Buffer.from(one, 'latin1').toString('base64'));
}

function again(aliases: Aliases, { headers, body, body_base64 }: Bodies): Bodies {
  const text = bodyText(body);
  const hidden = Object.entries(headers).map(([name, value]) => [name, hideInHeader(value, aliases.hideSecrets)]);
  return {
    headers: Object.fromEntries(hidden),
    ...(text !== undefined && { body: toBody(apart(withoutSecrets(aliases, [text]).join(''))) }),
    ...(body_base64 !== undefined && { body_base64: bytesAgain(aliases, [body_base64])[0] ?? '' }),
  };
}

function writesAgain(aliases: Aliases, writes: readonly RecordedWrite[]): RecordedWrite[] {
  const texts = withoutSecrets(
    aliases,
    writes.map((write) => ('text' in write ? write.text : '')),
  );
  const bytes = bytesAgain(
    aliases,
    writes.map((write) => ('text' in write ? '' : write.base64)),
  );
  return writes.map((write, index) =>
    'text' in write ? { at: write.at, text: texts[index] ?? '' } : { at: write.at, base64: bytes[index] ?? '' },
  );
}

/** The pieces of a path whose short secrets are whole: the text between its marks. */
const piecesOfPath = (path: string) => path.split(/(?<=[?&=/])|(?=[?&=/])/);

/** A recorded exchange without the secrets that became known after it was written, wherever in its line. */
export function withLaterSecrets(aliases: Aliases, exchange: RecordedExchange): RecordedExchange {
  const { request, writes } = exchange;
  const path = aliases.hideSecrets([request.path]).join('');
  return {
    ...exchange,
    request: {
      ...request,
      path: apart(
        piecesOfPath(path)
          .map((piece) => aliases.hideSecrets([piece]).join(''))
          .join(''),
      ),
      ...again(aliases, request),
    },
    ...again(aliases, exchange),
    ...(writes && { writes: writesAgain(aliases, writes) }),
  };
}
