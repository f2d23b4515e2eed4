// Finds the prompt that a server's message names, also one that has just ended.
import { Recent } from "../../core/recent.ts";
import type { Runner } from "../../core/turn/runner.ts";
import type { CodebuffEvent, CodebuffResult } from "../turn.ts";
import type { Prompt } from "./prompt.ts";

/** The end of a prompt. `silent`: inferred from the order of acks, without a terminal message. */
export type Settled = "completed" | "silent" | "other";

/** The prompt that an id names, perhaps with a sub-agent's suffix, and the prompt's state. */
export interface Named {
  /** The prompt's own id. For an unknown prompt: the given id. */
  readonly promptId: string;
  readonly standing: "open" | "unsent" | Settled | "unknown";
  /** Set while the prompt is open. */
  readonly prompt?: Prompt;
}

/** Limit of remembered settled prompts. A message for a remembered prompt is `late`; for an unknown prompt it is an `orphan`. */
const REMEMBERED = 256;

/** The longest id, in characters, that may be a prompt's id with a suffix: each of its parts is looked up. */
const MAX_SUFFIXED = 1_024;

/** The prompts that a message may name: the open ones, and the last settled ones. */
export class KnownPrompts {
  readonly #open: Pick<Runner<CodebuffEvent, CodebuffResult, Prompt>, "find" | "jobs">;
  readonly #settled = new Recent<string, Settled>(REMEMBERED);

  constructor(open: Pick<Runner<CodebuffEvent, CodebuffResult, Prompt>, "find" | "jobs">) {
    this.#open = open;
  }

  /** The prompt with exactly this id, if it has not settled. */
  find(promptId: string): Prompt | undefined {
    return this.#open.find(promptId);
  }

  settled({ id, turn, isSilent }: Prompt): void {
    const how = turn.status === "completed" ? "completed" : isSilent ? "silent" : "other";
    this.#settled.set(id, how);
  }

  /**
   * The prompt that an id names. A sub-agent's id is its prompt's id with a suffix. Without an exact match, returns the prompt with the
   * longest id that `id` begins with.
   */
  named(id: string): Named {
    let known = this.exactly(id);
    const isSuffixed = id.length <= MAX_SUFFIXED;
    for (let end = id.lastIndexOf("-"); !known && isSuffixed && end > 0; end = id.lastIndexOf("-", end - 1))
      known = this.exactly(id.slice(0, end));
    return known ?? { promptId: id, standing: "unknown" };
  }

  /** The prompt with exactly this id, settled or not. */
  exactly(promptId: string): Named | undefined {
    const prompt = this.find(promptId);
    if (prompt) return { promptId, prompt, standing: prompt.wasSent ? "open" : "unsent" };
    const standing = this.#settled.get(promptId);
    return standing && { promptId, standing };
  }

  /** The prompt under way, if there is exactly one. Messages without an id are about this prompt. */
  onlyUnderWay(): Named | undefined {
    const [only, another] = this.#open.jobs.filter(({ wasSent }) => wasSent);
    return only && !another ? this.exactly(only.id) : undefined;
  }

  /** Stops the idle clock of one prompt, or of all, until the returned function is called. */
  hold(promptId: string | undefined): () => void {
    const held = promptId === undefined ? this.#open.jobs : [this.find(promptId)];
    const releases = held.map((prompt) => prompt?.turn.hold());
    return () => {
      for (const release of releases) release?.();
    };
  }
}
