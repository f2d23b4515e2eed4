// What the client is told beside the answer: plan, context, mode, commands, title, notices, compactions.
import type { CompactionUpdate } from "@agentclientprotocol/sdk";
import type { ChatSnapshot } from "../chat/snapshot.ts";
import { fieldsOf } from "../core/checks.ts";
import { textContent } from "./blocks.ts";
import type { Outlet } from "./outlet.ts";

/** What the client offers, of what an agent has to know. */
export interface ClientOffers {
  readonly notices: boolean;
  readonly compaction: boolean;
  /** Questions as forms. */
  readonly forms: boolean;
}

export interface StatusesSetup {
  readonly outlet: Outlet;
  readonly offers: ClientOffers;
  readonly snapshot: () => ChatSnapshot;
}

/** A status of an item or of a message. */
interface Status {
  readonly id: string;
  readonly label: string;
  readonly detail: string | null;
  readonly json: unknown;
  readonly isFailed: boolean;
}

type State = Pick<ChatSnapshot, "plan" | "context" | "cost" | "modes" | "commands">;

/** The client gets no update that it has not offered to take, and none that ACP does not know. */
export class Statuses {
  readonly #setup: StatusesSetup;
  /** The state that the client has. */
  #told: Partial<State> = {};
  /** The id of the compaction that runs. */
  #compaction: string | undefined;

  constructor(setup: StatusesSetup) {
    this.#setup = setup;
  }

  /** Tells the plan, the context, the mode and the commands, if they are not what the client has. */
  tellState(): void {
    const { outlet, snapshot } = this.#setup;
    const { plan, context, cost, modes, commands } = snapshot();
    const told = this.#told;
    this.#told = { plan, context, cost, modes, commands };
    if (plan && plan !== told.plan) {
      const entries = plan.map(({ priority = "medium", ...entry }) => ({ ...entry, priority }));
      outlet.say({ sessionUpdate: "plan", entries });
    }
    if (context?.size !== undefined && (context !== told.context || cost !== told.cost)) {
      const [first] = cost;
      // Costs in two currencies have no sum.
      const total =
        first && cost.length === 1 ? { amount: first.total, currency: first.currency } : undefined;
      const { used, size } = context;
      outlet.say({ sessionUpdate: "usage_update", used, size, ...(total ? { cost: total } : {}) });
    }
    const mode = modes?.current;
    if (typeof mode === "string" && mode !== told.modes?.current)
      outlet.say({ sessionUpdate: "current_mode_update", currentModeId: mode });
    if (commands && commands !== told.commands) {
      const availableCommands = commands.map(({ hint, ...command }) => ({
        ...command,
        ...(hint === undefined ? {} : { input: { hint } }),
      }));
      outlet.say({ sessionUpdate: "available_commands_update", availableCommands });
    }
  }

  /** @returns a function that takes the notice back, if it is not written yet */
  notice(severity: string, title: string, description?: string | null): () => void {
    const { outlet, offers } = this.#setup;
    if (!offers.notices) return () => {};
    const update = {
      sessionUpdate: "notice",
      severity,
      title: title.trim() === "" ? "Notice" : title,
    } as const;
    return outlet.say({ ...update, ...(description ? { description } : {}) });
  }

  say({ id, label, detail, json, isFailed }: Status): void {
    const { outlet, offers } = this.#setup;
    const { severity, current, state, summary } = fieldsOf(json);
    switch (label) {
      case "plan":
      case "context":
      case "mode":
      case "commands":
        this.tellState();
        return;
      case "branch":
      case "queue":
        return; // of the chat, not of the agent
      case "title":
        if (detail !== null) outlet.say({ sessionUpdate: "session_info_update", title: detail });
        return;
      case "notice":
        this.notice(typeof severity === "string" ? severity : "info", detail ?? label);
        return;
      case "model":
        this.notice("info", label, typeof current === "string" ? current : detail);
        return;
      case "compaction": {
        if (!offers.compaction) return void this.notice("info", label, detail);
        const isOver = isFailed || state === "completed";
        const words = typeof summary === "string" ? { summary: [textContent(summary)] } : {};
        const compactionId = this.#compaction ?? id;
        this.#compaction = isOver ? undefined : compactionId;
        this.#compact({
          compactionId,
          status: isFailed ? "failed" : isOver ? "completed" : "in_progress",
          ...words,
        });
        return;
      }
      default:
        this.notice(isFailed ? "warning" : "info", label, detail);
    }
  }

  /** A turn has ended. What it has not finished, it does not finish. */
  endTurn(): void {
    if (this.#compaction !== undefined)
      this.#compact({ compactionId: this.#compaction, status: "cancelled" });
    this.#compaction = undefined;
    this.tellState();
  }

  #compact(update: CompactionUpdate): void {
    this.#setup.outlet.say({ sessionUpdate: "compaction_update", ...update });
  }
}
