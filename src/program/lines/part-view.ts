// Shows the parts of a message in lines.
import {
  type ChatPart,
  type ChatQuestionPart,
  type ChatReasoningPart,
  type ChatSubagentPart,
  type ChatTextPart,
  type ChatToolPart,
  reveal,
} from "../../chat/index.ts";
import type { List } from "../../universal/index.ts";
import { INPUT_ENDED } from "./chat-user.ts";
import { behindBar, type Screen } from "./terminal.ts";

/** Lines of an output that are shown. */
const MAX_OUTPUT_LINES = 12;
/** Characters of other data that are shown. */
const MAX_DATA_LENGTH = 200;

/** Shows the parts of one message: of each part what is new since the last snapshot. The screen makes all of it inert. */
export class PartView {
  readonly #screen: Screen;
  readonly #undecided: ReadonlySet<string>;
  readonly #shown = new Map<string, ChatPart>();
  /** The part whose text was written last. */
  #speaker: string | undefined;

  /** @param undecided ids of approvals that nobody decided before the input ended */
  constructor(screen: Screen, undecided: ReadonlySet<string>) {
    this.#screen = screen;
    this.#undecided = undecided;
  }

  show(parts: List<ChatPart>): void {
    for (const part of parts) {
      const before = this.#shown.get(part.id);
      if (part === before) continue; // what has not changed is the same object
      this.#shown.set(part.id, part);
      this.#part(part, before);
    }
  }

  #part(part: ChatPart, before: ChatPart | undefined): void {
    switch (part.type) {
      case "text":
        this.#text(part, before?.type === part.type ? before.text : "");
        return;
      case "reasoning":
        this.#text(part, before?.type === part.type ? before.text : "", "dim");
        return;
      case "tool":
        if (before?.type !== part.type || before.state !== part.state) this.#tool(part);
        return;
      case "question":
        if (before?.type === part.type && before.status !== part.status) this.#answered(part);
        return;
      case "subagent":
        this.#subagent(part, before?.type === part.type ? before.state : undefined);
        return;
      case "file": {
        const [path = ""] = part.path.startsWith("data:") ? part.path.split(/[;,]/, 1) : [part.path];
        const diff = part.diff ? `\n${behindBar(part.diff)}` : "";
        this.#line(`  ${part.action ?? "shows"} ${path}${diff}`, "dim");
        return;
      }
      case "status":
        this.#line(`  ${part.detail ?? part.label}`, part.failed ? "red" : "dim");
        return;
      case "data":
        if (part.extra) return; // for programs
        this.#line(`  ${JSON.stringify(part.json).slice(0, MAX_DATA_LENGTH)}`, "dim");
        return;
      case "error":
        this.#line(`  ${part.message}`, "red");
        return;
      default:
        part satisfies never;
    }
  }

  #text({ id, text, open }: ChatTextPart | ChatReasoningPart, shown: string, style?: "dim"): void {
    if (id !== this.#speaker) this.#screen.fresh();
    this.#speaker = id;
    const goesOn = open || text.startsWith(shown); // the whole text may differ from its pieces; looked at once, at the end
    if (!goesOn) this.#screen.fresh();
    this.#screen.stream(goesOn ? text.slice(shown.length) : text, style);
  }

  #tool({ name, state, output, approval }: ChatToolPart): void {
    const tool = `  ${reveal(name)}`;
    if (state === "running") this.#line(`${tool} runs`, "yellow");
    if (state === "done") this.#line(`${tool} is done${framed(output)}`, "dim");
    if (state === "failed") this.#line(`${tool} has failed${framed(output)}`, "red");
    if (state === "denied") {
      const isUndecided = approval?.reason === "user" && this.#undecided.has(approval.id);
      const reason = isUndecided ? INPUT_ENDED : approval?.reason;
      this.#line(`${tool} was denied${reason ? ` (${reason})` : ""}`, "red");
    }
    if (state === "abandoned") this.#line(`${tool} was stopped; its end is unknown`, "red");
  }

  #answered({ status, answers }: ChatQuestionPart): void {
    const said = answers.flatMap(({ selected = [], other_text }) =>
      other_text ? [...selected, other_text] : selected,
    );
    this.#line(status === "answered" ? `  answered: ${said.join(", ")}` : "  not answered", "dim");
  }

  #subagent({ name, state, parts }: ChatSubagentPart, before: ChatSubagentPart["state"] | undefined): void {
    if (before === undefined) this.#line(`  ${name} begins`, "yellow");
    this.show(parts);
    if (state !== before && state !== "running")
      this.#line(`  ${name} ${state === "done" ? "is done" : "has failed"}`, "dim");
  }

  #line(text: string, style: "dim" | "red" | "yellow"): void {
    this.#speaker = undefined;
    this.#screen.line(text, style);
  }
}

/** The beginning of an output, behind a bar. */
function framed(output: string): string {
  const lines = output.trimEnd().split("\n");
  if (lines.length === 1 && lines[0] === "") return "";
  const more = lines.length - MAX_OUTPUT_LINES;
  const shown = more > 0 ? [...lines.slice(0, MAX_OUTPUT_LINES), `... and ${more} more lines`] : lines;
  return `:\n${behindBar(shown.join("\n"))}`;
}
