// What each agent says of itself: its name, capabilities, modes, ids and habits.
import type { Dict } from "../server/dict.ts";
import type { MockAcpProfile } from "./options.ts";
import type { MockAcpCallKind } from "./script.ts";

/** Something that an agent says by itself. */
export type AcpHabit = "auth" | "commands" | "options" | "title" | "context" | "cost" | "notice" | "activity";

/** An agent, apart from its switches. */
export interface AcpAgentFacts {
  readonly info: { readonly name: string; readonly title?: string; readonly version: string };
  readonly capabilities: Dict;
  readonly authMethods: readonly Dict[];
  /** The ids and names of the modes. The first is the asking one, the second never asks. */
  readonly modes: readonly (readonly [id: string, name: string])[];
  /** How the agent tells of a mode that changed. */
  readonly modeTold: "current_mode_update" | "config_option_update" | "text";
  /** The ids and names of the options, in order: of the kinds `allow_once`, `allow_always` and `reject_once`. */
  readonly options: readonly (readonly [kind: string, optionId: string, name: string])[];
  /** What replaces the options of a call with a `diff`. */
  readonly editOptions?: AcpAgentFacts["options"];
  readonly callId: (name: string, number: number) => string;
  /** Names of tools by the kind of the call. */
  readonly tools?: { readonly [kind in MockAcpCallKind]?: string };
  /** Whether `tool_call` has `name`, and `_meta` with the name of the tool. */
  readonly named?: boolean;
  /** The status of a call in its first message. @default "pending" */
  readonly firstStatus?: "in_progress";
  /** Whether calls without a `command` have no `rawInput`. */
  readonly inputOfCommands?: boolean;
  /** Whether a call of a replay is one message. @default a `tool_call` and an update */
  readonly replaysCallsWhole?: boolean;
  /** Whether an update says that an allowed call runs. */
  readonly saysRunning?: boolean;
  /** Whether calls end with the `rawOutput` of their tool. */
  readonly rawOutput?: boolean;
  /** Error codes for unknown sessions, of `session/prompt` and `session/load`. */
  readonly unknownSession: { readonly prompt: number; readonly load: number };
  /** Whether a model's 401 is -32000. */
  readonly tells401?: boolean;
  /** The answer to any `protocolVersion` but 1. @default the switch `protocolVersion` */
  readonly newest?: number;
  /** Whether a notice that the client does not take becomes text. */
  readonly noticeAsText?: boolean;
  /** Whether replays hold thoughts. @default true */
  readonly replaysThoughts?: false;
  /** Whether the usage of `usage: "meta"` is in an empty message chunk. @default in the response */
  readonly usageInChunk?: true;
  /** What the agent does with a line that it cannot read. @default "silence" */
  readonly badLine?: "error" | "exit";
  readonly habits: {
    readonly [moment in
      | "beforeNew"
      | "afterNew"
      | "turnStart"
      | "turnEnd"
      | "afterTurn"]?: readonly AcpHabit[];
  };
}

const PROMPTS = { promptCapabilities: { image: true, embeddedContext: true } };
const LOADS = { loadSession: true, ...PROMPTS, mcpCapabilities: { http: true, sse: true } };
const sessions = (...names: readonly string[]) => ({
  sessionCapabilities: Object.fromEntries(names.map((name) => [name, {}])),
});

const THREE = (once: string, always: string, reject: string): AcpAgentFacts["options"] => [
  ["allow_once", once, "Allow once"],
  ["allow_always", always, "Always allow"],
  ["reject_once", reject, "Reject"],
];

const COPILOT_MODES = "https://agentclientprotocol.com/protocol/session-modes#";

export const ACP_AGENTS: { readonly [profile in MockAcpProfile]: AcpAgentFacts } = {
  documented: {
    info: { name: "mock-acp-agent", title: "Mock ACP agent", version: "1.0.0" },
    capabilities: { ...LOADS, auth: { logout: {} }, ...sessions("list", "resume", "close", "delete") },
    authMethods: [{ id: "login", name: "Log in" }],
    modes: [
      ["default", "Default"],
      ["auto", "Auto"],
      ["plan", "Plan"],
    ],
    modeTold: "current_mode_update",
    options: THREE("allow-once", "allow-always", "reject-once"),
    callId: (_, number) => `call_${number}`,
    saysRunning: true,
    unknownSession: { prompt: -32002, load: -32002 },
    badLine: "error",
    habits: {},
  },
  gemini: {
    info: { name: "gemini-cli", title: "Gemini CLI", version: "0.61.0" },
    capabilities: { ...LOADS, promptCapabilities: { image: true, audio: true, embeddedContext: true } },
    authMethods: [
      { id: "oauth-personal", name: "Log in with Google", description: "Log in with your Google account" },
      { id: "gemini-api-key", name: "Gemini API key", description: "Use an API key" },
    ],
    modes: [
      ["default", "Default"],
      ["yolo", "YOLO"],
      ["autoEdit", "Auto Edit"],
      ["plan", "Plan"],
    ],
    modeTold: "text",
    options: [
      ["allow_always", "proceed_always", "Allow for this session"],
      ["allow_once", "proceed_once", "Allow"],
      ["reject_once", "cancel", "Reject"],
    ],
    callId: (name, number) => `${name}__${name}_${1_795_536_290_000 + number}_0`,
    tools: { execute: "run_shell_command", edit: "write_file", read: "read_file" },
    firstStatus: "in_progress",
    unknownSession: { prompt: -32602, load: -32603 },
    habits: { afterNew: ["commands"] },
  },
  claude: {
    info: { name: "@agentclientprotocol/claude-agent-acp", title: "Claude Agent", version: "0.101.0" },
    capabilities: {
      ...{ _meta: { authStatus: {} }, ...LOADS, auth: { logout: {} } },
      ...sessions("additionalDirectories", "close", "delete", "fork", "list", "resume"),
    },
    authMethods: [],
    modes: [
      ["default", "Manual"],
      ["auto", "Auto"],
      ["acceptEdits", "Accept edits"],
      ["plan", "Plan"],
      ["bypassPermissions", "Bypass permissions"],
    ],
    modeTold: "config_option_update",
    options: [
      ["allow_once", "allow-once", "Yes"],
      ["allow_always", "allow-with-updates", "Yes, and don't ask again for these commands"],
      ["reject_once", "reject", "No"],
    ],
    callId: (_, number) => `toolu_${number}`,
    tools: { execute: "Bash", edit: "Write", read: "Read", think: "Agent", other: "AskUserQuestion" },
    ...{ named: true, rawOutput: true, noticeAsText: true, tells401: true, newest: 2, badLine: "error" },
    unknownSession: { prompt: -32002, load: -32002 },
    habits: {
      ...{ beforeNew: ["auth"], afterNew: ["commands"], turnStart: ["context"] },
      ...{ turnEnd: ["notice", "cost"], afterTurn: ["title"] },
    },
  },
  codex: {
    info: { name: "@agentclientprotocol/codex-acp", title: "Codex", version: "2.6.0" },
    capabilities: {
      ...{ ...LOADS, auth: { logout: {} }, _meta: { authStatus: {} } },
      ...sessions("resume", "list", "close", "delete", "fork", "title", "additionalDirectories"),
    },
    authMethods: [
      { id: "api-key", name: "API Key", description: "Use an API key to authenticate" },
      { id: "chat-gpt", name: "ChatGPT" },
    ],
    modes: [
      ["read-only", "Read-only"],
      ["agent", "Auto review"],
      ["workspace-write", "Workspace access"],
      ["agent-full-access", "Full access"],
    ],
    modeTold: "config_option_update",
    options: [
      ["allow_once", "allow_once", "Yes, proceed"],
      ["allow_always", "accept_execpolicy_amendment", "Yes, and don't ask again for these commands"],
      ["reject_once", "cancel", "No, and tell Codex what to do differently"],
    ],
    editOptions: [
      ["allow_once", "allow_once", "Yes, proceed"],
      ["allow_always", "allow_for_session", "Yes, and don't ask again for these files"],
      ["reject_once", "cancel", "No, and tell Codex what to do differently"],
    ],
    callId: (_, number) => `call_${number}_1`,
    ...{ firstStatus: "in_progress", inputOfCommands: true, replaysCallsWhole: true },
    ...{ tells401: true, newest: 2, badLine: "error" },
    unknownSession: { prompt: -32002, load: -32603 },
    habits: {
      ...{ beforeNew: ["auth"], afterNew: ["commands"], turnStart: ["notice", "activity"] },
      turnEnd: ["context", "activity", "title"],
    },
  },
  copilot: {
    info: { name: "Copilot", title: "Copilot", version: "1.0.102" },
    capabilities: { ...LOADS, auth: { logout: {} }, ...sessions("close", "list") },
    authMethods: [{ id: "copilot-login", name: "Log in with Copilot CLI" }],
    modes: [
      [`${COPILOT_MODES}agent`, "Agent"],
      [`${COPILOT_MODES}autopilot`, "Autopilot"],
      [`${COPILOT_MODES}plan`, "Plan"],
    ],
    modeTold: "current_mode_update",
    options: THREE("allow_once", "allow_always", "reject_once"),
    callId: (_, number) => `call_${number}_0`,
    ...{ rawOutput: true, replaysThoughts: false },
    unknownSession: { prompt: -32602, load: -32002 },
    habits: {
      ...{ beforeNew: ["commands"], afterNew: ["commands"] },
      ...{ turnStart: ["options", "title", "context"], turnEnd: ["context"] },
    },
  },
  kimi: {
    info: { name: "Kimi Code CLI", version: "1.44.0" },
    capabilities: { ...LOADS, mcpCapabilities: { http: true, sse: false }, ...sessions("list", "resume") },
    authMethods: [{ id: "login", name: "Login with Kimi account" }],
    modes: [["default", "Default"]],
    modeTold: "current_mode_update",
    options: THREE("approve", "approve_for_session", "reject"),
    callId: (_, number) => `343a2375-5fbf-49d5-9beb-7939d452a658/call_${number}_0`,
    tools: { execute: "Shell", edit: "WriteFile", read: "ReadFile" },
    ...{ firstStatus: "in_progress", badLine: "exit" },
    unknownSession: { prompt: -32602, load: -32602 },
    habits: { afterNew: ["commands"] },
  },
  opencode: {
    info: { name: "OpenCode", version: "1.18.33" },
    capabilities: { ...LOADS, ...sessions("list", "resume") },
    authMethods: [{ id: "opencode-login", name: "Login with opencode" }],
    modes: [
      ["build", "Build"],
      ["auto", "Auto"],
      ["plan", "Plan"],
    ],
    modeTold: "current_mode_update",
    options: THREE("once", "always", "reject"),
    callId: (_, number) => `call_${number}`,
    saysRunning: true,
    unknownSession: { prompt: -32602, load: -32603 },
    habits: { afterNew: ["commands"], turnEnd: ["context"] },
  },
  qwen: {
    info: { name: "qwen-code", title: "Qwen Code", version: "0.24.4" },
    capabilities: { ...LOADS, ...sessions("list", "resume") },
    authMethods: [{ id: "openai", name: "Use OpenAI API key" }],
    modes: [
      ["default", "Default"],
      ["auto", "Auto"],
      ["plan", "Plan"],
      ["yolo", "YOLO"],
    ],
    modeTold: "current_mode_update",
    options: [
      ["allow_once", "proceed_once", "Allow"],
      ["allow_always", "proceed_always", "Always allow"],
      ["reject_once", "cancel", "Reject"],
    ],
    callId: (_, number) => `call_${number}`,
    tools: { execute: "run_shell_command", edit: "write_file", read: "read_file" },
    usageInChunk: true,
    unknownSession: { prompt: -32603, load: -32002 },
    habits: { afterNew: ["commands"] },
  },
};
