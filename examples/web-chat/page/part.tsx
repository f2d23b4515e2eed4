import type {
  ChatDataPart,
  ChatPart,
  ChatReasoningPart,
  ChatSubagentPart,
  ChatTextPart,
} from "agentwire/chat";
import { inert } from "agentwire/chat";
import { memo, type ReactElement } from "react";
import { Gestures, gestureInsets } from "./cass/gestures.tsx";
import { File } from "./file.tsx";
import { Folded } from "./folded.tsx";
import { Parts } from "./parts.tsx";
import { AnsweredQuestion } from "./question.tsx";
import { countRender } from "./render-count.ts";
import { RichText } from "./rich-text.tsx";
import { ToolCall } from "./tool-call.tsx";
import { useInert } from "./use-inert.ts";

export interface PartProps {
  /** Statuses are shown together, by `<Steps>`. */
  readonly part: Exclude<ChatPart, { readonly type: "status" }>;
  /** Data that stands in the text of this part. */
  readonly inside?: ChatDataPart | undefined;
}

/** One part of a message. A part that has not changed is the same object, and is not rendered again. */
export const Part = memo(function Part({ part, inside }: PartProps): ReactElement | null {
  countRender(part.id);
  switch (part.type) {
    case "text":
      return <Text part={part} inside={inside} />;
    case "reasoning":
      return <Reasoning part={part} />;
    case "tool":
      return <ToolCall call={part} />;
    case "question":
      return <AnsweredQuestion part={part} />;
    case "file":
      return <File part={part} />;
    case "subagent":
      return <Subagent part={part} />;
    case "data":
      return <Data part={part} />;
    case "error":
      return <p className="part-error">{inert(part.message)}</p>;
    default:
      part satisfies never;
      return null;
  }
});

function Text({
  part,
  inside,
}: {
  readonly part: ChatTextPart;
  readonly inside: ChatDataPart | undefined;
}): ReactElement {
  const shown = useInert(part.text, part.open);
  // Places are counted in the text as it came. If something was removed from it, they stand behind the text.
  const insets = gestureInsets(inside).map((inset) =>
    shown === part.text ? inset : { ...inset, offset: shown.length },
  );
  return (
    <div className="text">
      <RichText text={shown} insets={insets} />
    </div>
  );
}

/** What the agent thinks, folded until somebody wants it. */
function Reasoning({ part }: { readonly part: ChatReasoningPart }): ReactElement | null {
  const shown = useInert(part.text, part.open);
  if (part.visibility === "private" || shown === "") return null;
  return (
    <details className="reasoning">
      <summary>{part.open ? "Reasoning…" : "Reasoning"}</summary>
      <div className="thoughts">{shown}</div>
    </details>
  );
}

const AGENT_STATES = { running: "works", done: "is done", failed: "has failed" } as const;

/** An agent that works for the agent. */
function Subagent({ part }: { readonly part: ChatSubagentPart }): ReactElement {
  const { name, state, parts } = part;
  return (
    <details className="subagent" data-state={state} open>
      <summary>
        <span className="tool-name">{inert(name, { keepNewlines: false })}</span>{" "}
        <span className="tool-state">{AGENT_STATES[state]}</span>
      </summary>
      <div className="subagent-parts">
        <Parts parts={parts} isOpen={state === "running"} />
      </div>
    </details>
  );
}

/** Something that only this backend says. */
function Data({ part }: { readonly part: ChatDataPart }): ReactElement | null {
  const { animations, ...rest } = isRecord(part.json)
    ? part.json
    : { animations: undefined, value: part.json };
  const json = animations === undefined ? part.json : rest;
  return (
    <>
      <Gestures part={part} />
      {(animations === undefined || Object.keys(rest).length > 0) && (
        <Folded label="Data" text={JSON.stringify(json, null, 2) ?? ""} isFolded />
      )}
    </>
  );
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
