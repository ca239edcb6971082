import type { Place } from './fields.js';
import { bodyText, type RecordedExchange, type RecordedWrite, toBody } from './format.js';

/** Changes the pieces of a text; undefined leaves them as they are. */
type Visit = (pieces: readonly string[], place: Place) => readonly string[] | undefined;

type Part = Pick<Place, 'part'> & Partial<Place>;
const fromBase64 = (text: string) => Buffer.from(text, 'base64').toString('latin1');
const toBase64 = (bytes: string) => Buffer.from(bytes, 'latin1').toString('base64');

/** An exchange with each of its texts changed: path, headers, bodies, writes. Bytes are texts of a character each. */
export function withTexts(exchange: RecordedExchange, visit: Visit): RecordedExchange {
  const { operation, request, writes, ended, left_out } = exchange;
  const cut = ended !== 'complete';
  const change = (pieces: readonly string[], more: Part) =>
    visit(pieces, { operation, path: request.path, stream: false, cut: false, sent: false, ...more });
  const one = (text: string, more: Part) => change([text], more)?.[0];

  type Side = Pick<RecordedExchange, 'headers' | 'body' | 'body_base64'>;
  const side = ({ headers, body, body_base64 }: Side, cut: boolean, sent: boolean): Side => {
    const text = bodyText(body);
    const changed = text === undefined ? undefined : one(text, { part: 'body', cut, sent });
    const bytes = body_base64 === undefined ? undefined : one(fromBase64(body_base64), { part: 'bytes', sent });
    return {
      headers: Object.fromEntries(
        Object.entries(headers).map(([name, value]) => [name, one(value, { part: 'header', name, sent }) ?? value]),
      ),
      ...(changed !== undefined && { body: toBody(changed) }),
      ...(bytes !== undefined && { body_base64: toBase64(bytes) }),
    };
  };
  const writesOf = (writes: readonly RecordedWrite[], cut: boolean): RecordedWrite[] => {
    const texts = writes.map((write) => ('text' in write ? write.text : ''));
    const bytes = writes.map((write) => ('text' in write ? '' : fromBase64(write.base64)));
    const said = change(texts, { part: 'body', stream: true, cut }) ?? texts;
    const sent = change(bytes, { part: 'bytes', stream: true }) ?? bytes;
    return writes.flatMap((write, index): RecordedWrite[] => {
      if (!('text' in write)) return [{ at: write.at, base64: toBase64(sent[index] ?? '') }];
      return said[index] ? [{ at: write.at, text: said[index] }] : [];
    });
  };
  return {
    ...exchange,
    request: {
      ...request,
      path: one(request.path, { part: 'path', sent: true }) ?? request.path,
      ...side(request, cut || left_out?.request !== undefined, true),
    },
    ...side(exchange, cut || left_out?.answer !== undefined, false),
    ...(writes && { writes: writesOf(writes, cut || left_out?.answer !== undefined) }),
  };
}
