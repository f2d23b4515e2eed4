import type { CodeyEvent, CodeyResult, Turn, TurnOutcome } from "agentwire/codey";
import { isAgentwireError } from "agentwire/codey";
import { WatchedTurn } from "../watched-turn.ts";

/** What a call may be once its turn is over. */
const LAST: ReadonlySet<string> = new Set(["done", "failed", "denied", "abandoned"]);

/** What makes an agent the root: the first to speak, or to ask for calls. */
const SPEAKING: ReadonlySet<string> = new Set(["TextDelta", "ThinkingDelta", "ToolRequest"]);

/** One turn as its user and the peer see it. Its name is what it says. */
export class WatchedCodeyTurn extends WatchedTurn<CodeyEvent, CodeyResult> {
  /** Whether its message was written to a socket. */
  sent = false;

  get content(): string {
    return this.name;
  }

  override get wasSent(): boolean {
    return this.sent;
  }

  protected override textOf(events: readonly CodeyEvent[]): string {
    const root = events.find(({ type }) => SPEAKING.has(type))?.agent_id;
    return events
      .map((event) => (event.type === "TextDelta" && event.agent_id === root ? event.content : ""))
      .join("");
  }

  protected override *alsoNow(turn: Turn<CodeyEvent, CodeyResult>): Iterable<string> {
    const left = this.over ? turn.toolCalls.filter(({ state }) => !LAST.has(state)) : [];
    if (left.length > 0) yield `is over, with a call that is ${left[0]?.state}`;
  }

  protected override *alsoInTheEnd(outcome: TurnOutcome<CodeyResult>): Iterable<string> {
    if (outcome.status !== "failed" || !isAgentwireError(outcome.error)) return;
    const { delivery, input } = outcome.error;
    if (delivery === "not-sent" && input !== this.content) yield `gives back ${String(input)}`;
  }
}
