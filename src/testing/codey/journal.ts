// Everything that happened on a server, for tests.
import { Journal } from "../server/journal.ts";
import type {
  CodeyConnection,
  CodeyFrame,
  CodeyReceived,
  CodeyViolationKind,
  ReceivedCodeyCancel,
  ReceivedDecision,
  ReceivedSend,
} from "./record.ts";

/** Everything that happened on a server. */
export class CodeyJournal extends Journal<CodeyConnection, CodeyViolationKind, CodeyFrame> {
  readonly received: CodeyReceived[] = [];
  readonly sends: ReceivedSend[] = [];
  readonly decisions: ReceivedDecision[] = [];
  readonly cancels: ReceivedCodeyCancel[] = [];
}
