import { lateOpening, ownFraming, ownReasons, ownSuccesses, shortPages, slowAnswers } from './answers.js';
import { bootsAtOnce, bootsFail, queued, savesFirst, settlesFirst, slowSuspends, wakesForPrompts } from './boots.js';
import { fewInterns } from './capacity.js';
import { closingTurns } from './closing-turns.js';
import { away, gatewayDown, largeBodiesDropped, lateDisconnects, lostConnections } from './connections.js';
import { expiringTokens } from './expiring-tokens.js';
import { fewRequests } from './few-requests.js';
import { firewall } from './firewall.js';
import type { Habit } from './habit.js';
import { lateLists, lateReads, replicas } from './late-reads.js';
import { kindFirst, membersRead, peersApart, tokensOfOthers } from './members.js';
import { notNow } from './not-now.js';
import { oneThingAtATime } from './one-thing-at-a-time.js';
import { ownSessions, renamesSessions } from './own-sessions.js';
import { ownStatuses } from './own-statuses.js';
import { plainTexts } from './plain-texts.js';
import { ownFields, ownVaultIds, showsModel, sparseRecords, tidyTexts } from './records.js';
import { ownRouteNames, ownRoutes } from './routes.js';
import { suspendsIdle } from './suspends-idle.js';
import { tidiedUp } from './tidied-up.js';
import { warmingUp } from './warming-up.js';

/** All habits. The first is nearest to the service. */
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
  savesFirst,
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
  closingTurns,
  fewInterns,
  tidiedUp,
  membersRead,
  firewall,
  wakesForPrompts,
  ownRouteNames,
  ownRoutes,
  sparseRecords,
  ownSessions,
  renamesSessions,
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
 * The habits that a run takes into account, in the order in which they explain a finding: habits that send a request
 * come last, and late reads come before deletions by others.
 */
export const HEEDED: readonly Habit[] = [
  fewRequests,
  away,
  largeBodiesDropped,
  lostConnections,
  notNow,
  warmingUp,
  closingTurns,
  savesFirst,
  gatewayDown,
  plainTexts,
  firewall,
  membersRead,
  ownSessions,
  renamesSessions,
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
