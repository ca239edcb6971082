import { away } from './away.js';
import { bootsAtOnce } from './boots-at-once.js';
import { bootsFail } from './boots-fail.js';
import { expiringTokens } from './expiring-tokens.js';
import { fewInterns } from './few-interns.js';
import { fewRequests } from './few-requests.js';
import { firewall } from './firewall.js';
import { gatewayDown } from './gateway-down.js';
import type { Habit } from './habit.js';
import { kindFirst } from './kind-first.js';
import { largeBodiesDropped } from './large-bodies-dropped.js';
import { lateDisconnects } from './late-disconnects.js';
import { lateOpening } from './late-opening.js';
import { lateLists, lateReads, replicas } from './late-reads.js';
import { lostConnections } from './lost-connections.js';
import { membersRead } from './members-read.js';
import { notNow } from './not-now.js';
import { oneThingAtATime } from './one-thing-at-a-time.js';
import { ownFields } from './own-fields.js';
import { ownFraming } from './own-framing.js';
import { ownReasons } from './own-reasons.js';
import { ownRouteNames } from './own-route-names.js';
import { ownRoutes } from './own-routes.js';
import { ownSessions } from './own-sessions.js';
import { ownStatuses } from './own-statuses.js';
import { ownSuccesses } from './own-successes.js';
import { ownVaultIds } from './own-vault-ids.js';
import { peersApart } from './peers-apart.js';
import { plainTexts } from './plain-texts.js';
import { queued } from './queued.js';
import { settlesFirst } from './settles-first.js';
import { shortPages } from './short-pages.js';
import { showsModel } from './shows-model.js';
import { slowAnswers } from './slow-answers.js';
import { slowSuspends } from './slow-suspends.js';
import { sparseRecords } from './sparse-records.js';
import { suspendsIdle } from './suspends-idle.js';
import { tidiedUp } from './tidied-up.js';
import { tidyTexts } from './tidy-texts.js';
import { tokensOfOthers } from './tokens-of-others.js';
import { wakesForPrompts } from './wakes-for-prompts.js';
import { warmingUp } from './warming-up.js';

/** All of them. The first is nearest to the service. */
export const HABITS: readonly Habit[] = [
  ownFields,
  ownFraming,
  shortPages,
  kindFirst,
  peersApart,
  tidyTexts,
  largeBodiesDropped,
  lateDisconnects,
  queued,
  slowSuspends,
  showsModel,
  ownVaultIds,
  suspendsIdle,
  bootsAtOnce,
  settlesFirst,
  bootsFail,
  lateLists,
  lateReads,
  lateOpening,
  replicas,
  gatewayDown,
  warmingUp,
  fewInterns,
  tidiedUp,
  membersRead,
  firewall,
  wakesForPrompts,
  ownRouteNames,
  ownRoutes,
  sparseRecords,
  ownSessions,
  oneThingAtATime,
  plainTexts,
  expiringTokens,
  tokensOfOthers,
  ownReasons,
  ownSuccesses,
  ownStatuses,
  slowAnswers,
  fewRequests,
  notNow,
  lostConnections,
  away,
];

/**
 * Those that a run takes into account, in the order in which they are asked to explain a finding: those that send a request
 * come last, and late reads come before deletions by others.
 */
export const HEEDED: readonly Habit[] = [
  fewRequests,
  ownStatuses,
  away,
  largeBodiesDropped,
  lostConnections,
  notNow,
  warmingUp,
  gatewayDown,
  plainTexts,
  firewall,
  membersRead,
  ownSessions,
  ownRouteNames,
  ownRoutes,
  oneThingAtATime,
  expiringTokens,
  tokensOfOthers,
  fewInterns,
  replicas,
  tidiedUp,
  lateDisconnects,
  suspendsIdle,
];
