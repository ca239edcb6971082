import { given } from '../../emulator/contract/given.js';
import type { JudgedRun } from '../../emulator/contract/lab-run.js';
import { UsageError } from '../../emulator/contract/problem.js';
import { inWords } from '../../emulator/contract/system-error.js';
import { visible } from '../../emulator/contract/visible.js';
import type { ShownCase } from '../clients/run-client.js';
import { value } from '../report/stream-text.js';
import { titleOf } from '../report/title.js';
import { findingText } from '../report/words/finding.js';
import { skipWords } from '../report/words/skip.js';
import type { Io } from './io.js';

/** ms until an emulator that does not answer is given up. */
const PATIENCE = 10_000;

/** A value as text, cut to what the Lab page takes. */
const shown = (any: unknown): string => value(any).slice(0, 20_000);

/** A case as `POST /_emulator/lab/results` takes it. */
export function judgedRunOf({ client, row, result: { cuts, run } }: ShownCase): JudgedRun {
  const { finding, skip, verdict } = row;
  const texts = finding === undefined ? undefined : findingText(finding);
  return {
    case: row.id,
    client,
    // No case of the lab warns.
    verdict: verdict as JudgedRun['verdict'],
    ...(skip === undefined ? {} : { sentence: skipWords(skip).why }),
    ...(verdict === 'fail' || verdict === 'error' ? { sentence: titleOf(row) } : {}),
    ...given({ sentence: row.alternative }),
    ...(texts === undefined ? {} : { expected: shown(texts.expected), actual: shown(texts.actual) }),
    ...given({ cuts, url: run?.url, started: run?.started }),
    requests: run?.requests ?? [],
  };
}

/**
 * Sends results to the Lab page of the emulator at this address.
 *
 * @throws UsageError where none answers there
 */
export async function showAt(address: string, io: Pick<Io, 'env' | 'err'>) {
  const { INTERN_CONTROL_TOKEN: token } = io.env;
  const control = address.replace(/\/+$/, '').replace(/(\/_emulator)?$/, '/_emulator');
  const call = async (path: string, body?: object): Promise<string | undefined> => {
    try {
      const response = await fetch(control + path, {
        headers: {
          'content-type': 'application/json',
          ...(token === undefined || token === '' ? {} : { authorization: `Bearer ${token}` }),
        },
        redirect: 'manual',
        signal: AbortSignal.timeout(PATIENCE),
        ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
      });
      await response.body?.cancel();
      return response.ok ? undefined : `it answered ${response.status}`;
    } catch (error) {
      return inWords(error instanceof Error ? (error.cause ?? error) : error);
    }
  };
  const wrong = await call('/lab/runs');
  if (wrong !== undefined)
    throw new UsageError(`--show ${address}: expected the address of a running emulator's console; ${wrong}`);
  let sending = Promise.resolve();
  let failed = false;
  return {
    send(shown: ShownCase) {
      sending = sending.then(async () => {
        const why = failed ? undefined : await call('/lab/results', judgedRunOf(shown));
        if (why === undefined) return;
        failed = true;
        io.err(visible(`intern-conformance: --show ${address}: no more is shown there: ${why}\n`));
      });
    },
    /** Resolves when everything is sent. */
    done: () => sending,
  };
}
