// The usual agents: their programs, the mode in which they ask, and what to know before they run.
import { isAbsolute, relative } from "node:path";
import { UnsupportedError } from "../core/errors.ts";
import { real } from "../process/folder.ts";
import { findProgram } from "../process/program.ts";
import type { AcpOptions } from "./options.ts";

/** What is known of an agent. */
export interface AcpPresetFacts {
  readonly command: string;
  readonly args: readonly string[];
  /** The mode in which it asks, or `"ask"` if none is known. */
  readonly mode: string;
  /** The versions that this preset was seen with. */
  readonly seenWith: readonly string[];
  /** How its program is installed. This library installs nothing. */
  readonly install: string;
  /** The variables that it reads: name those that you need in `keepEnv`. */
  readonly variables: readonly string[];
  readonly notes: readonly string[];
}

/** Options besides the program. `args` come after those of the preset. */
export type AcpPresetOptions = Omit<AcpOptions, "command" | "createStream">;

/** Makes the options of an agent whose program is installed. */
export interface AcpPreset {
  readonly facts: AcpPresetFacts;
  /** @throws UnsupportedError if the program is not in an absolute folder of `PATH` outside of `cwd` */
  (options?: AcpPresetOptions): AcpOptions;
}

const FACTS = {
  gemini: {
    command: "gemini",
    args: ["--acp"],
    mode: "default",
    seenWith: ["@google/gemini-cli 0.61.0"],
    install: "npm install -g @google/gemini-cli",
    variables: ["GEMINI_API_KEY", "GOOGLE_GEMINI_BASE_URL"],
    notes: [
      "It runs commands that it holds to be harmless (`echo`, `sleep`) without asking.",
      "It retries a failing model silently, for over 100 s.",
      "A session that another process continues within the minute in which it began is lost.",
      "With `readFiles` it cannot write new files.",
      "It sends no input of calls, so `always` grants nothing.",
    ],
  },
  claude: {
    command: "claude-agent-acp",
    args: [],
    mode: "default",
    seenWith: [
      "@agentclientprotocol/claude-agent-acp 0.101.0",
      "@agentclientprotocol/claude-agent-acp 0.49.0",
    ],
    install: "npm install -g @agentclientprotocol/claude-agent-acp",
    variables: ["ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL"],
    notes: [
      "Its own first mode, `auto`, asks nobody.",
      "In `default` it still runs commands that it holds to be harmless without asking.",
      "It reads and writes files by itself, never through `files`.",
    ],
  },
  codex: {
    command: "codex-acp",
    args: [],
    mode: "read-only",
    seenWith: ["@agentclientprotocol/codex-acp 2.6.0"],
    install: "npm install -g @agentclientprotocol/codex-acp",
    variables: ["OPENAI_API_KEY", "CODEX_CONFIG", "MODEL_PROVIDER"],
    notes: [
      "Its own first mode, `agent`, asks a model instead of you.",
      "A rejected call ends the turn.",
      "A failing model is text of the answer, and the turn completes.",
    ],
  },
  copilot: {
    command: "copilot",
    args: ["--acp"],
    mode: "https://agentclientprotocol.com/protocol/session-modes#agent",
    seenWith: ["@github/copilot 1.0.102"],
    install: "npm install -g @github/copilot",
    variables: [
      "GITHUB_TOKEN",
      "COPILOT_PROVIDER_BASE_URL",
      "COPILOT_PROVIDER_TYPE",
      "COPILOT_PROVIDER_API_KEY",
      "COPILOT_MODEL",
      "COPILOT_OFFLINE",
    ],
    notes: [
      "A rejected call ends the turn.",
      "A failing model is text of the answer, and the turn completes.",
      "Titles of calls are not the commands: show the input.",
    ],
  },
  opencode: {
    command: "opencode",
    args: ["acp"],
    mode: "ask",
    seenWith: ["opencode-ai 1.18.33"],
    install: "npm install -g opencode-ai",
    variables: ["OPENCODE_CONFIG_CONTENT"],
    notes: [
      "It allows all unless its configuration says otherwise (`permission`): it has no mode that asks.",
      "It may take 10 s to start.",
      "A rejected call ends the turn.",
    ],
  },
  qwen: {
    command: "qwen",
    args: ["--acp"],
    mode: "default",
    seenWith: ["@qwen-code/qwen-code 0.24.4"],
    install: "npm install -g @qwen-code/qwen-code",
    variables: ["OPENAI_API_KEY", "OPENAI_BASE_URL", "OPENAI_MODEL"],
    notes: [
      'With an OpenAI server it needs args: ["--auth-type", "openai"].',
      "Its own first mode, `auto`, asks a model instead of you.",
    ],
  },
  kimi: {
    command: "kimi",
    args: ["acp"],
    mode: "default",
    seenWith: ["kimi-cli 1.44.0"],
    install: "uv tool install kimi-cli==1.44.0",
    variables: [],
    notes: [
      "Version 1.52 says that it is no longer maintained, and ends.",
      "A failing model says nothing: the turn completes empty, with a warning.",
      "It runs commands through `files` with `terminal`, if that is given.",
      "A rejected call ends the turn. Its own commands run on after a cancel, until `close()`.",
      "It sends no input of calls, so `always` grants nothing. It continues a session, but repeats no messages.",
    ],
  },
  vibe: {
    command: "vibe-acp",
    args: [],
    mode: "ask",
    seenWith: ["mistral-vibe 3.0.2"],
    install: "uv tool install mistral-vibe",
    variables: ["MISTRAL_API_KEY", "VIBE_HOME"],
    notes: [
      "Its own first mode, `accept-edits`, does not ask about edits.",
      "`setModel` writes into the user's configuration.",
      "After a refused key it needs a new process.",
    ],
  },
} satisfies Record<string, AcpPresetFacts>;

/** The usual agents, by their names. Each is a function that makes options, with its `facts`. */
export const presets: { readonly [Name in keyof typeof FACTS]: AcpPreset } = {
  gemini: presetOf(FACTS.gemini),
  claude: presetOf(FACTS.claude),
  codex: presetOf(FACTS.codex),
  copilot: presetOf(FACTS.copilot),
  opencode: presetOf(FACTS.opencode),
  qwen: presetOf(FACTS.qwen),
  kimi: presetOf(FACTS.kimi),
  vibe: presetOf(FACTS.vibe),
};

function presetOf(facts: AcpPresetFacts): AcpPreset {
  const make = (options: AcpPresetOptions = {}): AcpOptions => {
    const { args = [], mode = facts.mode, cwd = process.cwd() } = options;
    const command = installed(facts, { ...process.env, ...options.env }, cwd);
    return { ...options, command, args: [...facts.args, ...args], mode };
  };
  return Object.assign(make, { facts });
}

/** A project must not bring its own agent: only absolute folders outside of it are searched. */
function installed({ command, install }: AcpPresetFacts, env: NodeJS.ProcessEnv, cwd: string): string {
  const isWindows = process.platform === "win32";
  const delimiter = isWindows ? ";" : ":";
  const root = real(cwd);
  const isOutside = (folder: string): boolean => {
    const way = relative(root, real(folder));
    return way.startsWith("..") || isAbsolute(way);
  };
  const folders = (env["PATH"] ?? env["Path"] ?? "").split(delimiter);
  const PATH = folders.filter((folder) => isAbsolute(folder) && isOutside(folder)).join(delimiter);
  // An empty PATH would mean the usual folders.
  const found = PATH === "" ? undefined : findProgram(command, { ...env, PATH, Path: PATH });
  if (found && "command" in found && found.args.length === 0) return found.command;
  throw new UnsupportedError(
    `the program \`${command}\` is not installed.`,
    `Install it (${install}), or give its path and arguments in place of the preset.`,
  );
}
