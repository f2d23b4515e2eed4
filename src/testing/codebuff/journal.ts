// Everything that happened on a server, for tests.
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
}
