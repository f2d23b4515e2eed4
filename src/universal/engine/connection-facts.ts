import type { Fact } from "../facts.ts";
import type { Session } from "./session.ts";

type ConnectionFact = Extract<Fact, { readonly type: "disconnected" | "retrying" | "reconnected" }>;

/** What happens to the connection, as status items. Before the session begins, nothing is said of it. */
export function onConnection(fact: ConnectionFact, session: Session): void {
  if (!session.isOpen) return;
  switch (fact.type) {
    case "disconnected":
      session.status("connection.lost", fact.error.message, { stated: "daemon" });
      return;
    case "retrying":
      session.status("connection.retrying", `attempt ${fact.attempt}`, {
        stated: "daemon",
        json: { attempt: fact.attempt, delay_ms: Math.round(fact.delay) },
      });
      return;
    case "reconnected":
      session.status("connection.restored", null, { stated: "daemon" });
      return;
    default:
      fact satisfies never;
  }
}
