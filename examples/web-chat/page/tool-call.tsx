import { type ChatToolPart, inert, reveal } from "agentwire/chat";
import type { ReactElement } from "react";
import { ContentImage } from "./file.tsx";
import { Folded } from "./folded.tsx";

const STATES = {
  requested: "is asked for",
  awaiting: "waits for your decision",
  approved: "is allowed",
  running: "runs",
  done: "is done",
  failed: "has failed",
  denied: "was denied",
  abandoned: "was given up, and may still run",
} as const satisfies Record<ChatToolPart["state"], string>;

/** Who denied a call, where it was not the user. */
const DENIERS = {
  policy: "by a rule",
  cancelled: "because the answer was cancelled",
  disconnected: "because the link was lost",
  timeout: "because nobody decided in time",
} as const;

/** Characters of an input that stand in one line. */
const MAX_LINE = 80;

/** A tool call: its state while it lives, its input and its output. */
export function ToolCall({ call }: { readonly call: ChatToolPart }): ReactElement {
  const { name, state, input, output, content, approval } = call;
  const reason = approval?.reason;
  const why = state === "denied" && reason !== undefined && reason !== "user" ? ` ${DENIERS[reason]}` : "";
  return (
    <div className="tool" data-state={state}>
      <p className="tool-head">
        <code className="tool-name">{reveal(name)}</code>{" "}
        <span className="tool-state">
          {STATES[state]}
          {why}
        </span>
      </p>
      <Folded label="Input" text={inputOf(input)} />
      <Folded label={state === "failed" ? "Error" : "Output"} text={inert(output)} />
      {content.map((part, index) => {
        const key = `${part.type}-${index}`;
        if (part.type === "image") return <ContentImage key={key} path={part.path} />;
        if (part.type === "json" && output === "")
          return <Folded key={key} label="Data" text={JSON.stringify(part.json, null, 2) ?? ""} isFolded />;
        return null;
      })}
    </div>
  );
}

/** The input as a person reads it. */
export function inputOf(input: unknown): string {
  if (typeof input === "string") return reveal(input);
  if (typeof input === "object" && input !== null && Object.keys(input).length === 0) return "";
  const line = JSON.stringify(input) ?? "";
  return reveal(line.length <= MAX_LINE ? line : JSON.stringify(input, null, 2));
}
