/** Exported names that more than one file of `src/` may define, each with the reason why its meaning is the same in all of them. */
export interface SharedName {
  readonly name: string;
  /** The folders or files that may define the name, relative to `src/`. */
  readonly in: readonly string[];
  readonly reason: string;
}

/** Every name more makes the code harder to search. */
export const MAX_SHARED_NAMES = 25;

const EVERY_FLAT = ["codebuff", "codey", "cass", "codebuff-cli", "codebuff-run", "acp", "testing/agent"];

const inFlats = (name: string, reason: string): SharedName => ({ name, in: EVERY_FLAT, reason });

const onBoth = (name: string): SharedName => ({
  name,
  in: ["core/link/socket.node.ts", "core/link/socket.global.ts"],
  reason: 'package.json picks one of the two files for "#socket"',
});

const standIn = (name: string, flat = "codebuff-cli"): SharedName => ({
  name,
  in: [flat],
  reason: `unsupported.ts has the public names of ${flat} where there is no Node`,
});

const component = (name: string, shown: string): SharedName => ({
  name,
  in: ["ink/components", "react/ui", shown],
  reason: "the component is public, and shows what the type of this name holds",
});

export const SHARED_NAMES: readonly SharedName[] = [
  { name: "resolveOptions", in: [...EVERY_FLAT, "chat"], reason: "checks the options of a client or a chat" },
  inFlats("toUniversal", "public in the entry of each flat"),
  inFlats("openConversation", "opens a conversation of the flat"),
  inFlats("textOfEvent", "the text that an event of the flat adds to its turn"),
  inFlats("buildPrompt", "checks what the caller passes to `prompt()` of the flat"),
  inFlats("decode", "reads a frame of the flat's wire"),
  inFlats("encode", "makes the frames of the flat's wire"),
  onBoth("sendsHeaders"),
  onBoth("openSocket"),
  onBoth("noteStream"),
  onBoth("listen"),
  onBoth("dataOf"),
  onBoth("inOneWrite"),
  standIn("AcpClient", "acp"),
  standIn("acp", "acp"),
  standIn("CodebuffCli"),
  standIn("codebuffCli"),
  standIn("CodebuffCredentials"),
  standIn("findCodebuffCredentials"),
  standIn("resolveCodebuffCredentials"),
  standIn("listCodebuffChats"),
  component("Chat", "chat/chat.ts"),
  component("Question", "core/values.ts"),
  component("ToolCall", "core/values.ts"),
  component("Transcript", "universal/transcript/transcript.ts"),
];
