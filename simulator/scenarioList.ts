import { type Scenario } from './scenario';
import { abortNotPropagated } from './scenarios/abortNotPropagated';
import { abortsNotAbsorbed } from './scenarios/abortsNotAbsorbed';
import { absorbedAborts } from './scenarios/absorbedAborts';
import { bootstrapProbesOnly } from './scenarios/bootstrapProbesOnly';
import { bootstrapTimer } from './scenarios/bootstrapTimer';
import { burstsAndPauses } from './scenarios/burstsAndPauses';
import { clockStep } from './scenarios/clockStep';
import { counterReset } from './scenarios/counterReset';
import { decodeCrash, prefillCrash } from './scenarios/crashes';
import { decodeBlockedOnDeadPrefill } from './scenarios/decodeBlockedOnDeadPrefill';
import { decodeFullOfAborted } from './scenarios/decodeFullOfAborted';
import { decodeKvExhausted } from './scenarios/decodeKvExhausted';
import { decodeRestartRecovers } from './scenarios/decodeRestartRecovers';
import { decodeSlow } from './scenarios/decodeSlow';
import { dpRankStalled } from './scenarios/dpRankStalled';
import { dpRankWedged } from './scenarios/dpRankWedged';
import { founding } from './scenarios/founding';
import { foundingBlockedLoop } from './scenarios/foundingBlockedLoop';
import { frontendStuck, frontendStuckProbesPass } from './scenarios/frontendStuck';
import { halfCancelled } from './scenarios/halfCancelled';
import { healthy } from './scenarios/healthy';
import { idle } from './scenarios/idle';
import { idleDpRanks } from './scenarios/idleDpRanks';
import { inflightArtefact } from './scenarios/inflightArtefact';
import { kvNearlyFull } from './scenarios/kvNearlyFull';
import { leakedSlot } from './scenarios/leakedSlot';
import { longPrefill } from './scenarios/longPrefill';
import { lostDecodeLeg } from './scenarios/lostDecodeLeg';
import { missingDecodeLegs, missingPrefillLegs } from './scenarios/missingLegs';
import { ppDivergence } from './scenarios/ppDivergence';
import { preallocPinned } from './scenarios/preallocPinned';
import { prefillBreaker } from './scenarios/prefillBreaker';
import { prefillSaturated } from './scenarios/prefillSaturated';
import { prefillWatchdog, prefillWedged } from './scenarios/prefillWedged';
import { probesOnly } from './scenarios/probesOnly';
import { retractionRecovers } from './scenarios/retractionRecovers';
import { rollingRestartDecode, rollingRestartPrefill } from './scenarios/rollingRestart';
import { scaleOutIn } from './scenarios/scaleOutIn';
import { scrapeGap } from './scenarios/scrapeGap';
import { slowTransfer } from './scenarios/slowTransfer';
import { staleRunningGauge } from './scenarios/staleRunningGauge';
import { transferLeak } from './scenarios/transferLeak';
import { trickle } from './scenarios/trickle';
import { zombiesAlone, zombiesAmongTraffic } from './scenarios/zombies';

/** Nothing is wrong in these, however it looks. */
export const HEALTHY_SCENARIOS: readonly Scenario[] = [
  healthy,
  idle,
  scrapeGap,
  burstsAndPauses,
  trickle,
  rollingRestartDecode,
  rollingRestartPrefill,
  counterReset,
  clockStep,
  longPrefill,
  probesOnly,
  inflightArtefact,
  idleDpRanks,
  absorbedAborts,
  halfCancelled,
  kvNearlyFull,
  retractionRecovers,
  scaleOutIn,
];

/** In these something goes wrong at T0. */
const FAULTY_SCENARIOS: readonly Scenario[] = [
  founding,
  foundingBlockedLoop,
  decodeRestartRecovers,
  // Handshake and admission
  bootstrapProbesOnly,
  bootstrapTimer,
  preallocPinned,
  decodeKvExhausted,
  decodeFullOfAborted,
  // KV transfer
  slowTransfer,
  transferLeak,
  leakedSlot,
  dpRankStalled,
  // Aborts
  abortNotPropagated,
  abortsNotAbsorbed,
  zombiesAlone,
  zombiesAmongTraffic,
  // Engines
  decodeBlockedOnDeadPrefill,
  dpRankWedged,
  decodeSlow,
  decodeCrash,
  prefillCrash,
  prefillSaturated,
  prefillWedged,
  prefillWatchdog,
  ppDivergence,
  // Router and front end
  prefillBreaker,
  lostDecodeLeg,
  missingDecodeLegs,
  missingPrefillLegs,
  frontendStuck,
  frontendStuckProbesPass,
  // Gauges
  staleRunningGauge,
];

/** Every scenario that can be played. */
export const SCENARIOS: readonly Scenario[] = [...HEALTHY_SCENARIOS, ...FAULTY_SCENARIOS];
