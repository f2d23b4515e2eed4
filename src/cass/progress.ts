// Reads the server's words in `thinking` and `debug` messages as steps of a turn.

/** The progress of a turn, from a `thinking` message. Servers use free wording: unknown words give `other`. */
export type CassProgress =
  | { readonly kind: "retrieving" | "processing" | "intro" | "demo" | "other" }
  /** `by`: the maker of the model, in the server's words: `Claude`, `OpenAI`, `local model`. */
  | { readonly kind: "generating"; readonly by: string }
  | { readonly kind: "tools"; readonly tools: readonly string[] };

/** A step of the tool loop, from a `debug` message. */
export type CassDebug =
  /** The model has answered and wants to use `tools`. `round` counts from 1. */
  | {
      readonly kind: "loop";
      readonly round: number;
      readonly stopReason: string;
      readonly tools: readonly string[];
    }
  /** A tool has run. The server sends only the start of its result. */
  | {
      readonly kind: "result";
      readonly tool: string;
      readonly success: boolean;
      readonly result: string;
    }
  | { readonly kind: "submitting"; readonly results: number }
  | {
      readonly kind: "continuation";
      readonly stopReason: string;
      readonly hasText: boolean;
      readonly newTools: number;
    }
  /** The start of the model's text. */
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "other" };

const PLAIN: Readonly<Record<string, CassProgress>> = {
  "Retrieving memories...": { kind: "retrieving" },
  "Processing...": { kind: "processing" },
  "Cass is preparing to introduce herself...": { kind: "intro" },
  "Cass is thinking...": { kind: "demo" },
};

const OTHER = { kind: "other" } as const;

/** Reads the text of a `thinking`. */
export function readProgress(status: string): CassProgress {
  const plain = Object.hasOwn(PLAIN, status) ? PLAIN[status] : undefined;
  if (plain) return plain;
  const by = /^Generating response \((.+)\)\.\.\.$/.exec(status)?.[1];
  if (by !== undefined) return { kind: "generating", by };
  const tools =
    /^Executing: (.+)\.\.\.$/.exec(status)?.[1] ?? /^Using tool: \[?([^\]]+?)\]?\.\.\.$/.exec(status)?.[1];
  return tools === undefined ? OTHER : { kind: "tools", tools: tools.split(", ") };
}

/** Reads the text of a `debug`. */
export function readDebug(message: string): CassDebug {
  const loop = /^\[(?:(?:Ollama|OpenAI) )?Tool Loop #(\d+)\] stop_reason=(\S+), tools=\[(.*)\]$/.exec(
    message,
  );
  if (loop) {
    const [, round, stopReason = "", names = ""] = loop;
    const tools = [...names.matchAll(/'([^']*)'/g)].map(([, name = ""]) => name);
    return { kind: "loop", round: Number(round), stopReason, tools };
  }
  const result = /^\[Tool Result\] (\S+): success=(\w+), result=([\s\S]*)\.\.\.$/.exec(message);
  if (result) {
    const [, tool = "", success, start = ""] = result;
    return { kind: "result", tool, success: success === "True", result: start };
  }
  const submitting = /^\[Submitting (\d+) tool results to Claude\.\.\.\]$/.exec(message);
  if (submitting) return { kind: "submitting", results: Number(submitting[1]) };
  const continuation = /^\[Continuation\] stop_reason=(\S+), has_text=(True|False), new_tools=(\d+)$/.exec(
    message,
  );
  if (continuation) {
    const [, stopReason = "", hasText, newTools] = continuation;
    return { kind: "continuation", stopReason, hasText: hasText === "True", newTools: Number(newTools) };
  }
  const text = /^\[Continuation text\] ([\s\S]*)$/.exec(message)?.[1];
  return text === undefined ? OTHER : { kind: "text", text: text === "(empty)" ? "" : text };
}
