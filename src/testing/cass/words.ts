// The frames beside a response: thinking, tools and memories.
import type { CassMockSettings, CassProfileName } from "./profiles.ts";
import type { CassServerFrame, ReceivedTurn } from "./record.ts";
import type { CassRound } from "./response.ts";
import type { CassTool } from "./script.ts";
import type { CassModel, CassProvider } from "./store.ts";

const MODEL_NAMES: Readonly<Record<CassProvider, string>> = {
  anthropic: "Claude",
  openai: "OpenAI",
  local: "local model",
};
const LOOP_NAMES: Readonly<Record<CassProvider, string>> = {
  anthropic: "",
  openai: "OpenAI ",
  local: "Ollama ",
};
const RESULT_CHARACTERS = 100;
const TEXT_CHARACTERS = 200;

const thinking = (status: string): CassServerFrame => ({ type: "thinking", status });
const debug = (message: string): CassServerFrame => ({ type: "debug", message });

/** The first frame of a turn. */
export function firstWord(
  kind: ReceivedTurn["kind"],
  { provider }: CassModel,
  { statusTexts, memories }: CassMockSettings,
  profile: CassProfileName,
): CassServerFrame {
  if (kind === "intro") return thinking(statusTexts.intro ?? "Cass is preparing to introduce herself...");
  if (kind === "demo") return thinking(statusTexts.demo ?? "Cass is thinking...");
  if (memories === "none") return thinking(statusTexts.processing ?? "Processing...");
  const retrieving = thinking(statusTexts.retrieving ?? "Retrieving memories...");
  // Local models use no memories, and the relay does not forward them.
  if (profile === "relay" || provider === "local") return retrieving;
  return { ...retrieving, memories: memories === "usual" ? usualMemories(profile) : memories };
}

function usualMemories(profile: CassProfileName): object {
  const zeros = (...names: readonly string[]) => Object.fromEntries(names.map((name) => [name, 0]));
  const counts = ["summaries", "details", "project_docs", "user_context", "wiki_pages"];
  const newer = ["cross_session_insights", "pattern", "thread", "question", "tool"];
  const found = zeros(...[...counts, ...(profile === "v2" ? newer : [])].map((name) => `${name}_count`));
  if (profile !== "v2") return { ...found, has_context: true };
  const sizes = {
    hierarchical: 3,
    ...zeros("user", "project", "self_model", "intentions", "graph", "wiki", "insights", "goals"),
    ...zeros("patterns", "threads", "questions", "intro"),
    total: 3,
    tool_count: 0,
  };
  return { ...found, has_context: true, context_sizes: sizes };
}

/** The frame sent when the model starts its text. */
export function generating({ provider }: CassModel, { statusTexts }: CassMockSettings): CassServerFrame {
  return thinking(statusTexts.generating ?? `Generating response (${MODEL_NAMES[provider]})...`);
}

/** The frames about the tools that end round `number`. */
export function executing(
  number: number,
  tools: readonly CassTool[],
  { provider }: CassModel,
  { statusTexts }: CassMockSettings,
  profile: CassProfileName,
): readonly CassServerFrame[] {
  const names = tools.map(({ name }) => name);
  const list = names.map((name) => `'${name}'`).join(", ");
  const loop = debug(`[${LOOP_NAMES[provider]}Tool Loop #${number}] stop_reason=tool_use, tools=[${list}]`);
  if (profile === "documented")
    return [
      thinking(statusTexts.tools ?? `Using tool: [${names.join(", ")}]...`),
      loop,
      thinking("Continuing..."),
    ];
  const status = thinking(statusTexts.tools ?? `Executing: ${names.join(", ")}...`);
  if (profile === "relay") return [status];
  if (provider !== "anthropic") return [loop, status];
  const results = profile === "v1" ? tools.map(resultOf) : [];
  return [loop, status, ...results, debug(`[Submitting ${tools.length} tool results to Claude...]`)];
}

function resultOf({ name, result = "ok", success = true }: CassTool): CassServerFrame {
  return debug(
    `[Tool Result] ${name}: success=${inPython(success)}, result=${begin(result, RESULT_CHARACTERS)}...`,
  );
}

/** The frames about a round after tools. @param text the round's text without tags */
export function continuation(
  round: CassRound,
  text: string,
  stopReason: string,
  { provider }: CassModel,
  profile: CassProfileName,
): readonly CassServerFrame[] {
  if (provider !== "anthropic" || profile === "documented" || profile === "relay") return [];
  const facts = `has_text=${inPython(round.text !== "")}, new_tools=${round.tools.length}`;
  return [
    debug(`[Continuation] stop_reason=${stopReason}, ${facts}`),
    debug(`[Continuation text] ${begin(text, TEXT_CHARACTERS) || "(empty)"}`),
  ];
}

function inPython(flag: boolean): string {
  return flag ? "True" : "False";
}

function begin(text: string, characters: number): string {
  return [...text].slice(0, characters).join("");
}

/** The frames about consolidated memories. @param count of messages */
export function consolidationFrames(
  count: number,
  consolidation: CassMockSettings["consolidation"],
  profile: CassProfileName,
): readonly CassServerFrame[] {
  const system = (status: string, message: string): CassServerFrame =>
    profile === "documented" ? { type: "system", message } : { type: "system", message, status };
  const evaluating = system("evaluating", `🔍 Evaluating memory consolidation (${count} messages)...`);
  const summarizing = system("summarizing", `📝 Consolidating ${count} messages into memory...`);
  switch (consolidation) {
    case "deferred":
      return [evaluating, system("deferred", "⏸ Deferring memory consolidation: the topic is still open")];
    case "failed":
      return [evaluating, summarizing, system("error", "❌ Memory consolidation failed")];
    case "complete":
      return [
        evaluating,
        summarizing,
        system("complete", `✓ Memory consolidated (${count} messages summarized)`),
        system("working_summary", "🔄 Updating working summary..."),
        system("complete", "✓ Working summary updated"),
      ];
  }
}
