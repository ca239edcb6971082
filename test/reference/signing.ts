import { createHash } from 'node:crypto';
import type { ClientAnswer, RunLine } from '../../conformance/clients/protocol.js';
import { CallError } from './assemble.js';
import { call, type Means } from './call.js';
import type { Has } from './flaws.js';

type Pair = readonly [name: string, value: string];

/** The bytes that are signed; the same as those sent, except for mistakes. */
function signedBytes(body: Uint8Array, has: Has): Uint8Array {
  const text = () => Buffer.from(body).toString();
  if (has('digestOfNull') && body.length === 0) return Buffer.from('null');
  if (has('digestOfText')) return Buffer.from(text());
  if (has('digestTrimmed')) return Buffer.from(Buffer.from(body).toString('latin1').trim(), 'latin1');
  if (has('digestWithoutCr')) return Buffer.from(Buffer.from(body).toString('latin1').replaceAll('\r', ''), 'latin1');
  if (has('digestWithoutBom')) return body[0] === 0xef ? body.subarray(3) : body;
  if (has('digestOfStart')) return body.subarray(0, 65_536);
  if (has('decodeAsLatin1')) return Buffer.from(Buffer.from(body).toString('latin1'));
  if (has('digestOfParsed')) {
    try {
      return Buffer.from(JSON.stringify(JSON.parse(text())));
    } catch {}
  }
  return body;
}

/** The bytes that are sent; those that the caller gave, except for mistakes. */
function sentBytes(body: Buffer, has: Has): Buffer {
  if (has('bodyTrimmed')) return Buffer.from(body.toString('latin1').trim(), 'latin1');
  return has('bodyAsText') ? Buffer.from(body.toString()) : body;
}

/** The path that is signed; as sent, up to `?`, except for mistakes. */
function signedPath(target: string, has: Has): string {
  const path = has('querySigned') ? target : (target.split('?')[0] ?? target);
  if (has('pathDecoded')) return decodeURIComponent(path);
  if (has('pathTwice')) return path.replaceAll('%', '%25');
  if (has('pathUpper')) return path.replaceAll(/%[0-9a-f]{2}/gi, (code) => code.toUpperCase());
  if (has('pathNormalised')) return path.replaceAll(/\/+/g, '/').replace(/\/$/, '');
  if (has('pathReduced')) return path.replaceAll('%7E', '~').replaceAll('%41', 'A');
  if (has('pathStrict'))
    return path
      .split('/')
      .map((part) => encodeURIComponent(part).replaceAll('%25', '%'))
      .join('/');
  return path;
}

const text = async (body: AsyncIterable<Uint8Array>): Promise<string> => {
  const parts: Uint8Array[] = [];
  for await (const part of body) parts.push(part);
  return Buffer.concat(parts).toString();
};

/** Headers of the daemon's request: the caller's, then the proof, which wins, and the daemon token. */
function headersOf(
  given: readonly Pair[],
  proof: Record<string, string>,
  token: string,
  key: string,
  now: number,
  has: Has,
): Pair[] {
  const isType = ([name]: Pair) => name.toLowerCase() === 'content-type';
  const typed = given.map((one): Pair => (has('callerTypeLost') && isType(one) ? [one[0], 'application/json'] : one));
  const caller = has('callerDropped') ? typed.filter(isType) : typed;
  let fresh: Pair[] = Object.entries(proof).map(([name, value]) => [name.toLowerCase(), value] as const);
  if (has('lowerKeysOnly')) fresh = Object.entries(proof).filter(([name]) => name === name.toLowerCase());
  if (has('v2Dropped')) fresh = fresh.filter(([name]) => !/-v2$|-nonce$/.test(name));
  if (has('base64url'))
    fresh = fresh.map(
      ([name, value]) =>
        [name, /signature/.test(name) ? value.replaceAll('+', '-').replaceAll('/', '_') : value] as const,
    );
  if (has('noPadding'))
    fresh = fresh.map(([name, value]) => [name, /signature/.test(name) ? value.replace(/=+$/, '') : value] as const);
  if (has('userEncoded'))
    fresh = fresh.map(([name, value]) => [name, /user$/.test(name) ? encodeURIComponent(value) : value] as const);
  if (has('ownTime'))
    fresh = fresh.map(
      ([name, value]) => [name, /timestamp/.test(name) ? String(Math.floor(now / 1_000)) : value] as const,
    );
  const bearer = `Bearer ${has('keyToDaemon') ? key : token}`;
  if (!(has('callerAuthorization') && caller.some(([name]) => name.toLowerCase() === 'authorization')))
    fresh.push(['authorization', bearer]);
  const names = (pairs: readonly Pair[]) => new Set(pairs.map(([name]) => name.toLowerCase()));
  if (has('bothSent')) return [...caller, ...fresh];
  if (has('callerWins'))
    return [...caller, ...fresh.filter(([name]) => !names(caller).has(name.toLowerCase()) || name === 'authorization')];
  return [...caller.filter(([name]) => !names(fresh).has(name.toLowerCase())), ...fresh];
}

/** Fetches a proof and sends it with the request: a new proof for each attempt, none of it past a redirect. */
export async function signedRequest(line: RunLine, means: Means): Promise<ClientAnswer> {
  const { has, host } = means;
  const { request } = line;
  if (request === undefined || line.sign_url === undefined)
    return { outcome: 'error', error: { message: 'no request to sign' } };
  const body = sentBytes(Buffer.from(request.body_base64, 'base64'), has);
  const method = has('methodAsGiven') ? request.method : request.method.toUpperCase();
  const target = has('queryDropped') ? (request.path.split('?')[0] ?? '') : request.path;
  const common = { retries: line.retries === 'default', timeout: line.timeout * 0.45 };
  let kept: Record<string, string> | undefined;

  const prove = async (): Promise<Record<string, string>> => {
    if (has('proofKept') && kept !== undefined) return kept;
    const asked = {
      bodySha256: createHash('sha256').update(signedBytes(body, has)).digest('hex'),
      ...(has('v1Alone') ? {} : { route: { method, path: signedPath(request.path, has) } }),
    };
    const incoming = await call(
      {
        ...common,
        request: async () => ({
          method: 'POST',
          url: line.sign_url ?? '',
          headers: [
            ...Object.entries(line.headers),
            ...(has('contentTypeLost') ? [] : ([['content-type', 'application/json']] as const)),
          ],
          body: Buffer.from(JSON.stringify(asked)),
        }),
        follow: has('redirectKeepsKey'),
        accepts: (status) => status === 200,
      },
      means,
    );
    kept = JSON.parse(await text(incoming.body)) as Record<string, string>;
    return kept;
  };

  try {
    const incoming = await call(
      {
        ...common,
        request: async () => {
          let proof: Record<string, string> = {};
          try {
            proof = await prove();
          } catch (error) {
            if (has('signOnce')) throw new CallError('no proof');
            if (!has('unsigned')) throw error instanceof CallError ? error : new CallError(String(error));
          }
          const key = (line.headers.authorization ?? '').replace('Bearer ', '');
          return {
            method,
            url: `${line.daemon_origin}${target}`,
            headers: headersOf(Object.entries(request.headers), proof, line.daemon_token ?? '', key, host.now(), has),
            body,
          };
        },
        follow: has('followsSigned'),
        accepts: (status) => status >= 200 && status <= 299,
      },
      // If a redirect is followed wrongly, everything goes along.
      has('followsSigned') ? { ...means, has: (flaw) => flaw === 'redirectKeepsKey' || has(flaw) } : means,
    );
    await text(incoming.body);
    return { outcome: 'complete', status: incoming.status };
  } catch (error) {
    const status = error instanceof CallError ? error.status : undefined;
    return {
      outcome: 'error',
      ...(status === undefined ? {} : { status }),
      error: {
        message: error instanceof Error ? error.message : String(error),
        ...(status === undefined ? {} : { status }),
      },
    };
  }
}
