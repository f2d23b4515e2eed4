import { Waiters } from "../waiters.ts";
import type {
  MockConnection,
  ReceivedAnswer,
  ReceivedCancel,
  ReceivedPrompt,
  RecordedFrame,
  Violation,
} from "./record.ts";

/** Everything that happened on a server, and whoever waits for something to happen. */
export class Journal extends Waiters {
  readonly connections: MockConnection[] = [];
  readonly frames: RecordedFrame[] = [];
  readonly prompts: ReceivedPrompt[] = [];
  readonly answers: ReceivedAnswer[] = [];
  readonly cancels: ReceivedCancel[] = [];
  readonly violations: Violation[] = [];

  addConnection(connection: MockConnection): void {
    this.connections.push(connection);
    this.changed();
  }

  addFrame(frame: RecordedFrame): void {
    this.frames.push(frame);
    this.changed();
  }

  addPrompt(prompt: ReceivedPrompt): void {
    this.prompts.push(prompt);
    this.changed();
  }

  addAnswer(answer: ReceivedAnswer): void {
    this.answers.push(answer);
    this.changed();
  }

  addCancel(cancel: ReceivedCancel): void {
    this.cancels.push(cancel);
    this.changed();
  }

  addViolation(violation: Violation): void {
    this.violations.push(violation);
    this.changed();
  }
}
