// The parts of a message or of a sub-agent, in their order. Statuses in a row are shown together.
import { type ComponentType, memo, type ReactElement, type ReactNode } from "react";
import { inert } from "../../chat/print/inert.ts";
import type { List } from "../../universal/transcript/list.ts";
import type {
  ChatPart,
  ChatReasoningPart,
  ChatStatusPart,
  ChatSubagentPart,
  ChatTextPart,
} from "../../universal/transcript/message.ts";
import { File } from "./file.tsx";
import { FoldedText } from "./folded.tsx";
import { WebLink } from "./markdown/inline.tsx";
import { Markdown } from "./markdown/markdown.tsx";
import { AnsweredQuestion } from "./question.tsx";
import { useSlots, useWords } from "./root.tsx";
import { Steps } from "./steps.tsx";
import { ToolView } from "./tool.tsx";

export interface PartProps {
  /** Statuses are shown together, by `<Steps>`. */
  readonly part: Exclude<ChatPart, { readonly type: "status" }>;
  /** Text is the user's: it is shown as it is. */
  readonly isPlain?: boolean | undefined;
}

/** A part that has not changed is the same object, and is not rendered again. */
export const Part = /* @__PURE__ */ memo(function Part(props: PartProps): ReactElement {
  const { parts } = useSlots();
  // The part and the component have the same type.
  const Own = parts?.[props.part.type] as ComponentType<{ part: ChatPart; children?: ReactNode }> | undefined;
  const shown = <OwnPart {...props} />;
  return Own ? <Own part={props.part}>{shown}</Own> : shown;
});

/** A part as the library shows it. */
function OwnPart({ part, isPlain }: PartProps): ReactElement | null {
  switch (part.type) {
    case "text":
      return isPlain ? (
        <p className="aw-said" dir="auto">
          {inert(part.text)}
        </p>
      ) : (
        <Text part={part} />
      );
    case "reasoning":
      return <Reasoning part={part} />;
    case "tool":
      return <ToolView part={part} />;
    case "question":
      return <AnsweredQuestion part={part} />;
    case "file":
      return <File part={part} />;
    case "subagent":
      return <Subagent part={part} />;
    case "data":
      return part.extra ? null : <Data json={part.json} />;
    case "error":
      return <p className="aw-error">{inert(part.message)}</p>;
    default:
      part satisfies never;
      return null;
  }
}

/** A text of the agent, with its sources. */
function Text({ part: { text, open, annotations = [] } }: { readonly part: ChatTextPart }): ReactElement {
  const words = useWords();
  return (
    <>
      <Markdown text={text} open={open} />
      {annotations.length > 0 && (
        <ul className="aw-sources" aria-label={words.sources}>
          {annotations.map(({ url, path, title }, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: sources are only added
            <li key={index}>
              <WebLink url={url ?? path ?? ""} words={title ?? url ?? path ?? ""} />
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

/** What the agent thinks, folded until somebody wants it. */
function Reasoning({
  part: { text, open, visibility },
}: {
  readonly part: ChatReasoningPart;
}): ReactElement | null {
  const words = useWords();
  if (visibility === "private" || text === "") return null;
  return (
    <details className="aw-reasoning">
      <summary>{open ? `${words.reasoning}…` : words.reasoning}</summary>
      <Markdown text={text} open={open} />
    </details>
  );
}

/** An agent that works for the agent: open while it works. */
function Subagent({
  part: { name, state, parts, prompt },
}: {
  readonly part: ChatSubagentPart;
}): ReactElement {
  const words = useWords();
  return (
    <details className="aw-subagent" data-state={state} open>
      <summary>
        <bdi className="aw-tool-name">{inert(name, { keepNewlines: false })}</bdi>{" "}
        <span className="aw-tool-state">{words.agentState[state]}</span>
      </summary>
      <div className="aw-subagent-parts">
        {prompt !== undefined && <FoldedText label={words.input} text={inert(prompt)} isFolded />}
        <PartList parts={parts} isOpen={state === "running"} />
      </div>
    </details>
  );
}

/** Something that only this backend says. */
export function Data({ json }: { readonly json: unknown }): ReactElement {
  const words = useWords();
  return <FoldedText label={words.data} text={inert(JSON.stringify(json, null, 2) ?? "")} isFolded />;
}

export interface PartsProps {
  readonly parts: List<ChatPart>;
  /** Whether more follows. */
  readonly isOpen: boolean;
  /** The user's own: text is shown as it is. */
  readonly isPlain?: boolean;
}

export function PartList({ parts, isOpen, isPlain }: PartsProps): ReactElement {
  const last = parts.at(-1);
  return (
    <>
      {groupsOf(parts).map((group) =>
        "steps" in group ? (
          <Steps key={group.id} steps={group.steps} isOpen={isOpen && group.steps.at(-1) === last} />
        ) : (
          <Part key={group.part.id} part={group.part} isPlain={isPlain} />
        ),
      )}
    </>
  );
}

type Group = { readonly id: string; readonly steps: ChatStatusPart[] } | { readonly part: PartProps["part"] };

/** Whether a part is not shown in its message: the title of the chat, and figures without words, for programs. */
export function isShownElsewhere(part: ChatPart): boolean {
  if (part.type !== "status") return false;
  const { label, detail, json } = part;
  return label === "title" || (detail === null && json !== undefined);
}

function groupsOf(parts: List<ChatPart>): readonly Group[] {
  const groups: Group[] = [];
  for (const part of parts) {
    if (isShownElsewhere(part)) continue;
    const before = groups.at(-1);
    if (part.type !== "status") groups.push({ part });
    else if (before && "steps" in before) before.steps.push(part);
    else groups.push({ id: part.id, steps: [part] });
  }
  return groups;
}
