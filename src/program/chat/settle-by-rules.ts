// Settles what waits for the user by `--allow` and `--deny`, for backends whose clients have no rules.
import type { Chat, ChatPending } from "../../chat/index.ts";
import type { ToolRule } from "../../core/index.ts";
import { verdictOf } from "../tool-rules.ts";

/** Decides on each approval that a rule is about. The rest goes to `others`, once each. */
export class SettleByRules {
  readonly #chat: Chat;
  readonly #rules: readonly ToolRule[];
  readonly #others: (pending: ChatPending) => void;
  #seen = new Set<string>();

  constructor(chat: Chat, rules: readonly ToolRule[], others: (pending: ChatPending) => void = () => {}) {
    this.#chat = chat;
    this.#rules = rules;
    this.#others = others;
    chat.subscribe(() => this.#look());
  }

  #look(): void {
    const { pending } = this.#chat.getSnapshot();
    if (pending.length === 0) {
      this.#seen = new Set();
      return;
    }
    for (const request of pending) {
      if (this.#seen.has(request.id)) continue;
      this.#seen.add(request.id);
      const verdict = request.type === "approval" ? verdictOf(this.#rules, request.tool) : undefined;
      if (verdict === "allow") this.#chat.decide(request.id, "once");
      else if (verdict === "deny")
        this.#chat.decide(request.id, { decision: "reject", reason: "denied by --deny" });
      else this.#others(request);
    }
  }
}
