// What the turns of one session share: its mode and model, and what the agent says of it.
import { type Dict, isDict } from "../server/dict.ts";
import type { AcpAgentFacts, AcpHabit } from "./agents.ts";
import type { AcpHost, KeptSession } from "./host.ts";
import type { AcpLink } from "./link.ts";
import type { OpenRecord, ReceivedAcpMessage, ReceivedAcpPrompt } from "./record.ts";

/** A prompt and its request. */
export interface AcpAsked {
  readonly received: OpenRecord<ReceivedAcpMessage>;
  readonly record: OpenRecord<ReceivedAcpPrompt>;
}

const MODELS = ["mock-model", "mock-model-large"] as const;
const CONTEXT = { used: 1065, size: 258_400 };

export abstract class AcpSessionContext {
  readonly link: AcpLink;
  readonly kept: KeptSession;
  /** The tools that the user has allowed for the session. */
  readonly allowed = new Set<string>();
  /** The usage of the session so far. */
  readonly spent: Record<string, number> = {};
  #mode: string;
  #model: string = MODELS[0];
  /** The number of prompts that began a turn. */
  protected prompts = 0;

  constructor(link: AcpLink, kept: KeptSession) {
    this.link = link;
    this.kept = kept;
    const { facts, settings } = link.host;
    this.#mode = settings.firstMode === "auto" ? neverAsking(facts) : (facts.modes[0]?.[0] ?? "default");
  }

  get host(): AcpHost {
    return this.link.host;
  }

  get id(): string {
    return this.kept.id;
  }

  /** A turn has ended. */
  abstract over(turn: object): void;

  /** Whether the agent asks in the current mode. */
  get asks(): boolean {
    return this.#mode !== neverAsking(this.host.facts);
  }

  say(update: Dict): void {
    this.link.notify("session/update", { sessionId: this.id, update });
  }

  /** Adds an update to later replays. */
  keep(update: Dict): void {
    this.kept.history.push(update);
  }

  replay(): void {
    const thoughts = this.host.facts.replaysThoughts !== false;
    for (const update of this.kept.history)
      if (thoughts || update["sessionUpdate"] !== "agent_thought_chunk") this.say(update);
  }

  /** The modes, models and options of the response to `session/new`, `load` and `resume`. */
  choices(): Dict {
    const { models } = this.host.settings;
    const availableModels = MODELS.map((modelId) => ({ modelId, name: modelId }));
    const hasOptions = models === "configOptions" || models === "both";
    const hasModels = models === "legacy" || models === "both";
    return {
      modes: { availableModes: this.#modes().map(([id, name]) => ({ id, name })), currentModeId: this.#mode },
      ...(hasModels ? { models: { availableModels, currentModelId: this.#model } } : {}),
      ...(hasOptions ? this.configOptions() : {}),
    };
  }

  configOptions(): Dict {
    const select = (id: string, name: string, currentValue: string, options: readonly Dict[]) => {
      return { id, name, category: id, type: "select", currentValue, options };
    };
    const modes = this.#modes().map(([value, name]) => ({ value, name }));
    const models = MODELS.map((value) => ({ value, name: value }));
    return {
      configOptions: [
        select("mode", "Mode", this.#mode, modes),
        select("model", "Model", this.#model, models),
      ],
    };
  }

  /** Returns whether the mode exists. */
  setMode(id: string): boolean {
    if (!this.#modes().some(([each]) => each === id)) return false;
    this.#mode = id;
    const { modeTold } = this.host.facts;
    if (modeTold === "text")
      this.say({
        sessionUpdate: "agent_message_chunk",
        content: { type: "text", text: `[MODE_UPDATE] ${id}` },
      });
    else if (modeTold === "current_mode_update") this.say({ sessionUpdate: modeTold, currentModeId: id });
    else this.say({ sessionUpdate: modeTold, ...this.configOptions() });
    return true;
  }

  /** Leaves the asking mode. */
  stopAsking(): void {
    if (this.asks && !this.setMode(neverAsking(this.host.facts))) this.#mode = neverAsking(this.host.facts);
  }

  setModel(id: string): boolean {
    if (!MODELS.some((model) => model === id)) return false;
    this.#model = id;
    return true;
  }

  setOption(id: string, value: unknown): boolean {
    if (typeof value !== "string") return false;
    if (id === "mode") return this.setMode(value);
    return id === "model" && this.setModel(value);
  }

  /** Says what the agent says by itself at this moment. */
  habit(moment: keyof AcpAgentFacts["habits"]): void {
    for (const habit of this.host.facts.habits[moment] ?? []) this.#say(habit);
  }

  /** Says a notice if the client takes notices. Some agents write it into the answer otherwise. */
  notice(notice: Dict): void {
    if (this.#offers("notices")) this.say({ sessionUpdate: "notice", ...notice });
    else if (this.host.facts.noticeAsText) {
      const text = `**Warning:** ${String(notice["title"])}\n`;
      this.say({ sessionUpdate: "agent_message_chunk", content: { type: "text", text } });
    }
  }

  compaction(compactionId: string, status: string, summary: string | undefined): void {
    if (!this.#offers("compaction")) return;
    this.say({ sessionUpdate: "compaction_update", compactionId, status });
    if (summary === undefined) return;
    const content = { type: "text", text: summary };
    this.say({ sessionUpdate: "compaction_summary_chunk", compactionId, content });
  }

  #modes(): AcpAgentFacts["modes"] {
    const { facts, settings } = this.host;
    const needsAuto = facts.modes.length === 1 && settings.firstMode === "auto";
    return needsAuto ? [...facts.modes, [neverAsking(facts), "Auto"]] : facts.modes;
  }

  #offers(name: string): boolean {
    const { session } = this.link.clientCapabilities;
    return isDict(session) && isDict(session[name]);
  }

  #say(habit: AcpHabit): void {
    if (habit === "auth")
      this.link.notify("_auth/status_update", { authStatus: { kind: "api_key", label: "API key" } });
    else if (habit !== "notice") this.say(this.#habitual(habit));
    else if (this.prompts === 1) this.notice({ severity: "warning", title: "The agent reported a warning" });
  }

  #habitual(habit: Exclude<AcpHabit, "auth" | "notice">): Dict {
    const { clock } = this.host;
    switch (habit) {
      case "commands": {
        const availableCommands = [{ name: "compact", description: "Compact the context", input: null }];
        return { sessionUpdate: "available_commands_update", availableCommands };
      }
      case "options":
        return { sessionUpdate: "config_option_update", ...this.configOptions() };
      case "title": {
        const updatedAt = new Date(clock.wallTime()).toISOString();
        return { sessionUpdate: "session_info_update", title: this.kept.title ?? null, updatedAt };
      }
      case "context":
        return { sessionUpdate: "usage_update", ...CONTEXT };
      case "cost": {
        const cost = { amount: this.prompts * 0.01, currency: "USD" };
        return { sessionUpdate: "usage_update", ...CONTEXT, cost };
      }
      case "activity":
        return { sessionUpdate: "session_info_update", _meta: { threadStatus: { type: "active" } } };
    }
  }
}

/** The id of the mode that never asks. */
function neverAsking({ modes }: AcpAgentFacts): string {
  return modes[1]?.[0] ?? "auto";
}
