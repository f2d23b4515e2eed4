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

  addReceived(received: CodeyReceived): void {
    this.add(this.received, received);
  }

  addSend(send: Omit<ReceivedSend, "number">): ReceivedSend {
    const numbered = { ...send, number: this.sends.length + 1 };
    this.add(this.sends, numbered);
    return numbered;
  }

  addDecision(decision: ReceivedDecision): void {
    this.add(this.decisions, decision);
  }

  addCancel(cancel: ReceivedCodeyCancel): void {
    this.add(this.cancels, cancel);
  }
}
