// The transcript as Markdown.
import { inputBeside, inputText } from "../../screens/tool/tool-input.ts";
import { toolView } from "../../screens/tool/tool-view.ts";
import type { TerminalWords } from "../../screens/words-terminal.ts";
import type { List } from "../../universal/transcript/list.ts";
import type { ChatMessage, ChatPart, ChatToolPart } from "../../universal/transcript/message.ts";
import { displayed, inLine } from "../rows/row.ts";

/** What the agent has written last, without reasoning and tools. */
export function lastAnswer(messages: List<ChatMessage>): string {
  for (let at = messages.length - 1; at >= 0; at--) {
    const message = messages.at(at);
    if (message?.role !== "assistant") continue;
    const text = textIn(message.parts).trim();
    if (text !== "") return text;
  }
  return "";
}

function textIn(parts: List<ChatPart>): string {
  const texts: string[] = [];
  for (const part of parts) if (part.type === "text") texts.push(displayed(part.text));
  return texts.join("\n\n");
}

/** The shown messages. Prompts that wait are left out, and so is reasoning. */
export function transcriptMarkdown(messages: List<ChatMessage>, words: TerminalWords): string {
  const sections: string[] = [];
  for (const { role, status, parts, error } of messages) {
    if (status === "queued") continue;
    const head = role === "user" ? words.exportUser : role === "assistant" ? words.exportAgent : undefined;
    const failed = error ? [`> ${inLine(error.title)}: ${inLine(error.detail)}`] : [];
    const blocks = [...partBlocks(parts, words), ...failed];
    if (blocks.length > 0)
      sections.push([...(head === undefined ? [] : [`## ${head}`]), ...blocks].join("\n\n"));
  }
  return `${sections.join("\n\n")}\n`;
}

function partBlocks(parts: List<ChatPart>, words: TerminalWords): readonly string[] {
  return parts.map((part) => partBlock(part, words)).filter((block) => block !== "");
}

function partBlock(part: ChatPart, words: TerminalWords): string {
  switch (part.type) {
    case "text":
      return displayed(part.text).trim();
    case "tool":
      return toolBlocks(part, words).join("\n\n");
    case "subagent":
      return [`**${inLine(part.name) || inLine(part.agentType)}**`, ...partBlocks(part.parts, words)].join(
        "\n\n",
      );
    case "file": {
      const name = part.path.startsWith("data:") ? (part.mediaType ?? "data") : inLine(part.path);
      return part.diff === undefined ? `*${name}*` : `*${name}*\n\n${fenced(part.diff, "diff")}`;
    }
    case "question":
      return part.questions
        .map(({ question }, index) => {
          const answer = part.answers.find(({ question_index }) => question_index === index);
          const given = [...(answer?.selected ?? []), ...(answer?.other_text ? [answer.other_text] : [])];
          return `> ${inLine(question)}\n>\n> ${given.map(inLine).join(", ")}`;
        })
        .join("\n\n");
    case "error":
      return `> ${inLine(part.message)}`;
    case "reasoning":
    case "status":
    case "data":
      return "";
  }
}

/** A tool call: its outcome, its input, its changes and its output. */
function toolBlocks(part: ChatToolPart, words: TerminalWords): readonly string[] {
  const { title, exit, changes, pieces } = toolView(part);
  const { input, kind, state } = part;
  // The text of a change is in its diff.
  const asked = changes.length > 0 ? inputBeside(part, true) : inputText(input, kind);
  return [
    `**${inLine(title) || words.toolNameless}** (${exit === undefined ? state : words.toolExit(exit)})`,
    ...(asked === "" ? [] : [fenced(asked)]),
    ...changes.map(({ path, diff }) => `*${inLine(path)}*\n\n${fenced(diff, "diff")}`),
    ...pieces.map((piece) => {
      const block = piece.type === "diff" ? fenced(piece.diff, "diff") : fenced(piece.text);
      return piece.path === "" ? block : `*${inLine(piece.path)}*\n\n${block}`;
    }),
  ];
}

/** A code block whose fence is longer than any run of backticks in the text. */
export function fenced(text: string, language = ""): string {
  const runs = text.match(/`+/g) ?? [];
  const fence = "`".repeat(runs.reduce((longest, run) => Math.max(longest, run.length + 1), 3));
  return `${fence}${language}\n${displayed(text).trimEnd()}\n${fence}`;
}
