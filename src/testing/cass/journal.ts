// Everything that happened on a server, for tests.
import { Journal } from "../server/journal.ts";
import type {
  CassConnection,
  CassFrame,
  CassReceived,
  CassRequest,
  CassViolationKind,
  ReceivedAuth,
  ReceivedTurn,
} from "./record.ts";

/** A call whose answer is still to come. */
export type OpenRequest = { -readonly [Key in keyof CassRequest]: CassRequest[Key] };

/** Everything that happened on a server. */
export class CassJournal extends Journal<
  CassConnection,
  CassViolationKind,
  CassFrame,
  CassConnection | undefined
> {
  readonly received: CassReceived[] = [];
  readonly auths: ReceivedAuth[] = [];
  readonly turns: ReceivedTurn[] = [];
  readonly requests: CassRequest[] = [];
}
