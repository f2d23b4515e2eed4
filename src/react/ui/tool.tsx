// A tool call: its state while it lives, its input, its changes and its output.
import type { ReactElement } from "react";
import { inert } from "../../chat/print/inert.ts";
import { reveal } from "../../chat/print/reveal.ts";
import type { PageWords } from "../../screens/words-page.ts";
import type { ChatToolPart } from "../../universal/transcript/message.ts";
import { Diff } from "./diff.tsx";
import { ContentImage } from "./file.tsx";
import { FoldedText } from "./folded.tsx";
import { useWords } from "./root.tsx";

/** Characters of an input that stand in one line. */
const MAX_LINE = 80;

export interface ToolProps {
  readonly part: ChatToolPart;
}

export function ToolView({ part }: ToolProps): ReactElement {
  const words = useWords();
  const { name, title, state, input, output, content, preview = [] } = part;
  // While the call waits, its approval has the input and the changes.
  const changes = state === "awaiting" || state === "requested" ? [] : preview;
  return (
    <div className="aw-tool" data-state={state}>
      <p className="aw-tool-head">
        <code className="aw-tool-name">{reveal(name)}</code>{" "}
        {title !== undefined && <bdi className="aw-tool-title">{inert(title, { keepNewlines: false })} </bdi>}
        <span className="aw-tool-state">
          {words.toolState[state]}
          {whyDenied(part, words)}
        </span>
      </p>
      <FoldedText label={words.input} text={state === "awaiting" ? "" : inputText(input)} />
      {changes.map((change, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: one file may come twice, and the changes of a call never change
        <Diff key={index} {...change} />
      ))}
      <FoldedText label={state === "failed" ? words.toolError : words.output} text={inert(output)} />
      {content.map((each, index) => {
        const key = `${each.type}-${index}`;
        if (each.type === "image") return <ContentImage key={key} path={each.path} />;
        if (each.type === "json" && output === "")
          return (
            <FoldedText
              key={key}
              label={words.data}
              text={inert(JSON.stringify(each.json, null, 2) ?? "")}
              isFolded
            />
          );
        return null;
      })}
    </div>
  );
}

/** Who denied a call, if it was not the user. */
function whyDenied({ state, approval }: ChatToolPart, words: PageWords): string {
  const reason = approval?.reason;
  return state === "denied" && reason !== undefined && reason !== "user" ? ` ${words.deniedBy[reason]}` : "";
}

/** The input as a person reads it. */
export function inputText(input: unknown): string {
  if (typeof input === "string") return reveal(input);
  if (typeof input === "object" && input !== null && Object.keys(input).length === 0) return "";
  const line = JSON.stringify(input) ?? "";
  return reveal(line.length <= MAX_LINE ? line : JSON.stringify(input, null, 2));
}
