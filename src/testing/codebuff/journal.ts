import { Journal } from "../server/journal.ts";
import type {
  MockConnection,
  ReceivedAnswer,
  ReceivedCancel,
  ReceivedPrompt,
  ViolationKind,
} from "./record.ts";

/** Everything that happened on a server. */
export class CodebuffJournal extends Journal<MockConnection, ViolationKind> {
  readonly prompts: ReceivedPrompt[] = [];
  readonly answers: ReceivedAnswer[] = [];
  readonly cancels: ReceivedCancel[] = [];

  addPrompt(prompt: ReceivedPrompt): void {
    this.add(this.prompts, prompt);
  }

  addAnswer(answer: ReceivedAnswer): void {
    this.add(this.answers, answer);
  }

  addCancel(cancel: ReceivedCancel): void {
    this.add(this.cancels, cancel);
  }
}
