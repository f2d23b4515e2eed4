// A tool call: its outcome, its input, its changes and its output.
import { type ReactElement, useMemo } from "react";
import { inert } from "../../chat/print/inert.ts";
import { reveal } from "../../chat/print/reveal.ts";
import { commandIn } from "../../screens/tool/command.ts";
import { readableJson } from "../../screens/tool/readable-json.ts";
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
  const { name, title, state, input, content } = part;
  const { exit, hasFailed, changes, pieces } = useMemo(() => toolView(part), [part]);
  // While the call waits, the changes are in its approval.
  const isWaiting = state === "awaiting" || state === "requested";
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
      {/* What waits has its input in the approval, and a title says the most of the rest. */}
      <FoldedText
        label={words.input}
        text={isWaiting ? "" : shownInput(input)}
        isFolded={title !== undefined}
      />
      {[...(isWaiting ? [] : changes), ...pieces].map((piece, index) => {
        const key = `${index}`; // pieces are only added
        if ("diff" in piece) return <Diff key={key} {...piece} />;
        const label = state === "failed" ? words.toolError : words.output;
        return <FoldedText key={key} label={inert(piece.path) || label} text={inert(piece.text)} />;
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

/** The whole input: a command as `$ command`, with `>` before its further lines, and all else as JSON. */
export function shownInput(input: unknown): string {
  const command = commandIn(input);
  const { command: _, ...rest } = Object(input);
  const others = typeof input === "string" ? input : readableJson(command === undefined ? input : rest);
  const shown = command === undefined ? [] : [`$ ${command.replaceAll("\n", "\n> ")}`];
  return reveal([...shown, ...(others === "{}" ? [] : [others])].join("\n"));
}
