import type { RecordedExchange } from '../../emulator/recording/format.js';
import { recordOf } from '../probe/json.js';
import { parsedBody } from './answer.js';
import { aliasOf } from './compare.js';
import { type DriftSchedule, endsRuns, internAliasOf } from './schedule.js';
import { lastMessage, type Relations } from './script.js';

/** The relations between the exchanges of a scenario. */
export function relationsOf(all: readonly RecordedExchange[], { endOf, saidAt }: DriftSchedule): Relations {
  const sessionOf = (exchange: RecordedExchange) => aliasOf(recordOf(parsedBody(exchange.body)).session_id);
  return {
    saidAt,
    answerTo: (question) =>
      all.find((one) => question !== '' && one.status === 200 && one.writes && lastMessage(one).answers === question),
    endedFromOutside: (exchange) =>
      all.some(
        (one) =>
          endsRuns(one) &&
          internAliasOf(one) === internAliasOf(exchange) &&
          one.n > exchange.n &&
          one.at < endOf(exchange),
      ),
    steeredLater(exchange) {
      const session = sessionOf(exchange);
      return all.some(
        (one) =>
          one.n > exchange.n &&
          one.status === 202 &&
          sessionOf(one) === session &&
          /"status":"steered"/.test(JSON.stringify(one.body ?? '')),
      );
    },
  };
}
