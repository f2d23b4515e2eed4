// How a server speaks of the tools that it runs.
import { pythonRepr } from "../server/python-repr.ts";
import type { CassProvider } from "./models.ts";
import type { ProfileName } from "./profiles.ts";
import type { CassTool } from "./script.ts";
import type { CassServerFrame } from "./server-frame.ts";

/** What a round of the model that follows upon tools is like. */
export interface Continuation {
  /** As the model said it. */
  readonly raw: string;
  /** What is left of that without its tags. */
  readonly text: string;
  readonly stopReason: string;
  readonly newTools: number;
}

const RESULT_CHARACTERS = 100;
const TEXT_CHARACTERS = 200;

/** How one server, with one model, talks about the tools that it executes. */
export class ToolTalk {
  readonly #profile: ProfileName;
  readonly #provider: CassProvider;

  constructor(profile: ProfileName, provider: CassProvider) {
    this.#profile = profile;
    this.#provider = provider;
  }

  /** A round has ended in these tools: the `number`th that has. */
  executing(
    number: number,
    tools: readonly CassTool[],
    said: string | undefined,
  ): readonly CassServerFrame[] {
    const names = tools.map(({ name }) => name);
    const prefix = { anthropic: "", openai: "OpenAI ", local: "Ollama " }[this.#provider];
    const list = names.map(pythonRepr).join(", ");
    const loop = debug(`[${prefix}Tool Loop #${number}] stop_reason=tool_use, tools=[${list}]`);
    if (this.#profile === "documented")
      return [thinking(said ?? `Using tool: [${names.join(", ")}]...`), loop, thinking("Continuing...")];
    const executing = thinking(said ?? `Executing: ${names.join(", ")}...`);
    if (this.#profile === "relay") return [executing];
    if (this.#provider !== "anthropic") return [loop, executing];
    const results = this.#profile === "v1" ? tools.map(resultOf) : [];
    return [loop, executing, ...results, debug(`[Submitting ${tools.length} tool results to Claude...]`)];
  }

  /** The round behind them has ended. */
  continuation({ raw, text, stopReason, newTools }: Continuation): readonly CassServerFrame[] {
    if (this.#provider !== "anthropic" || this.#profile === "documented" || this.#profile === "relay")
      return [];
    const hasText = raw === "" ? "False" : "True";
    return [
      debug(`[Continuation] stop_reason=${stopReason}, has_text=${hasText}, new_tools=${newTools}`),
      debug(`[Continuation text] ${[...text].slice(0, TEXT_CHARACTERS).join("") || "(empty)"}`),
    ];
  }
}

function resultOf({ name, result = "ok", success = true }: CassTool): CassServerFrame {
  const begin = [...result].slice(0, RESULT_CHARACTERS).join("");
  return debug(`[Tool Result] ${name}: success=${success ? "True" : "False"}, result=${begin}...`);
}

function debug(message: string): CassServerFrame {
  return { type: "debug", message };
}

function thinking(status: string): CassServerFrame {
  return { type: "thinking", status };
}
