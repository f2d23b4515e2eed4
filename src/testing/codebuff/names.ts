// The names of the mock's options, to refuse wrong ones.
import type { NamesOf } from "../names.ts";
import type { MockCodebuffOptions, MockCodebuffSwitches, Oddities } from "./options.ts";
import type { HeartbeatSettings, SizeLimits } from "./profiles.ts";

const IDS: NamesOf<NonNullable<MockCodebuffSwitches["idRelease"]>> = { idle: true, midPrompt: true };
const LIMITS: NamesOf<SizeLimits> = { maxFrameBytes: true, closeAbove: true };
const HEARTBEAT: NamesOf<HeartbeatSettings> = {
  timeout: true,
  sweep: true,
  from: true,
  refresh: true,
  end: true,
};
const ODDITIES: NamesOf<Oddities> = {
  duplicateAcks: true,
  unknownTxids: true,
  unknownMessages: true,
  garbageFrames: true,
  orphanIds: true,
  subAgentIds: true,
  chunkBeforeAck: true,
  stall: true,
};

/** The options of the mock, without a port. */
export const OPTIONS: NamesOf<MockCodebuffOptions> = {
  profile: true,
  clock: true,
  answer: true,
  identify: true,
  duplicateId: true,
  maxConnections: true,
  idRelease: IDS,
  ackOrder: true,
  scheduling: true,
  unreadFrame: true,
  nulls: true,
  balance: true,
  jsonStyle: true,
  txidChecks: true,
  errorTexts: true,
  emptyTopics: true,
  emptyPrompt: true,
  sizeLimits: LIMITS,
  binary: true,
  heartbeat: HEARTBEAT,
  sessionState: true,
  messageOrder: true,
  chunks: true,
  usage: true,
  failure: true,
  auth: true,
  init: { error: true },
  extensions: true,
  cancel: { lateTerminal: true },
  shutdown: { closeAfter: true },
  closeReply: true,
  oddities: ODDITIES,
};
