import { Recent } from "../core/recent.ts";
import type { Runner } from "../core/turn/runner.ts";
import type { Prompt } from "./prompt.ts";
import type { CodebuffEvent, CodebuffResult } from "./turn.ts";

/** How a prompt ended. `silent`: concluded from the order of acks, without a terminal message. */
export type Settled = "completed" | "silent" | "other";

/** The prompt that an id names, perhaps with a sub-agent's suffix, and how it stands. */
export interface Named {
  /** The prompt's own id, or the id as given where the prompt is unknown. */
  readonly promptId: string;
  readonly standing: "open" | "unsent" | Settled | "unknown";
  /** While it is open. */
  readonly prompt?: Prompt;
}

/** How many settled prompts are remembered, to tell late messages from stray ones. */
const REMEMBERED = 256;

/** The prompts of this client that a message may name: those that have not settled, and the last ones that have. */
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

  /** Sub-agents use their prompt's id and a suffix. Without an exact match, this is the prompt with the longest id that begins `id`. */
  named(id: string): Named {
    const exact = this.exactly(id);
    if (exact || !id.includes("-")) return exact ?? { promptId: id, standing: "unknown" };
    let longest = "";
    for (const known of [...this.#open.jobs.map(({ id: open }) => open), ...this.#settled.keys()]) {
      if (known.length > longest.length && id.startsWith(`${known}-`)) longest = known;
    }
    return this.exactly(longest) ?? { promptId: id, standing: "unknown" };
  }

  /** The prompt with exactly this id, settled or not. */
  exactly(promptId: string): Named | undefined {
    const prompt = this.find(promptId);
    if (prompt) return { promptId, prompt, standing: prompt.wasSent ? "open" : "unsent" };
    const standing = this.#settled.get(promptId);
    return standing && { promptId, standing };
  }

  /** The prompt under way, if there is just one. Messages without an id are about it. */
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
