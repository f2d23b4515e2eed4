// A tool call: its outcome, its changes and its output. The input is folded.
import { type ReactElement, useMemo } from "react";
import { inert } from "../../chat/print/inert.ts";
import { reveal } from "../../chat/print/reveal.ts";
import { inputText as textOf } from "../../screens/tool/tool-input.ts";
import { toolView } from "../../screens/tool/tool-view.ts";
import type { PageWords } from "../../screens/words-page.ts";
import type { ChatToolPart } from "../../universal/transcript/message.ts";
import { Diff } from "./diff.tsx";
import { ContentImage } from "./file.tsx";
import { FoldedText } from "./folded.tsx";
import { useWords } from "./root.tsx";

export interface ToolProps {
  readonly part: ChatToolPart;
}

export function ToolView({ part }: ToolProps): ReactElement {
  const words = useWords();
  const { name, title, state, content } = part;
  const { input: whole, inputBeside, exit, hasFailed, changes, pieces } = useMemo(() => toolView(part), [part]);
  const isWaiting = state === "awaiting" || state === "requested";
  // While the call waits, its input and its changes are in its approval.
  const shown = isWaiting ? [] : [...changes.map((change) => ({ ...change, type: "diff" as const })), ...pieces];
  return (
    <div className="aw-tool" data-state={hasFailed ? "failed" : state}>
      <p className="aw-tool-head">
        <code className="aw-tool-name">{reveal(name)}</code>{" "}
        {title !== undefined && <bdi className="aw-tool-title">{inert(title, { keepNewlines: false })} </bdi>}
        <span className="aw-tool-state">
          {exit === undefined ? words.toolState[state] : words.toolExit(exit)}
          {whyDenied(part, words)}
        </span>
      </p>
      {!isWaiting && <FoldedText label={words.input} text={reveal(inputBeside)} />}
      {(isWaiting || inputBeside !== whole) && (
        <FoldedText label={words.wholeInput} text={whole && reveal(JSON.stringify(part.input, null, 2))} isFolded />
      )}
      {shown.map((piece, index) => {
        const key = `${piece.type}-${index}`; // a piece of a call only grows
        if (piece.type === "diff") return <Diff key={key} {...piece} />;
        const { text, path } = piece;
        const label = state === "failed" ? words.toolError : words.output;
        return <FoldedText key={key} label={path === undefined ? label : inert(path)} text={inert(text)} />;
      })}
      {content.map(
        (each, index) =>
          // biome-ignore lint/suspicious/noArrayIndexKey: the content of a call never changes
          each.type === "image" && <ContentImage key={index} path={each.path} />,
      )}
    </div>
  );
}

/** Who denied a call, if it was not the user. */
function whyDenied({ state, approval }: ChatToolPart, words: PageWords): string {
  const reason = approval?.reason;
  return state === "denied" && reason !== undefined && reason !== "user" ? ` ${words.deniedBy[reason]}` : "";
}

/** The whole input, for an approval. */
export function inputText(input: unknown): string {
  return reveal(textOf(input));
}
