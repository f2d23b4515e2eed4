// The table of backends: what the program calls them, their options and secrets, and how a source of each is made.
import type { BackendRow } from "./backend.ts";
import type { OptionRow } from "./command.ts";
import { cwdOf, folderTools, modelOf, needed, READING } from "./open-options.ts";

const ADDRESS: OptionRow = {
  name: "url",
  value: "address",
  about:
    "The address of the server. For run: one with OpenAI's API, with --model; without it, a backend of Codebuff. For remote: where the chats are, such as http://127.0.0.1:8787/chats.",
};

const CWD: OptionRow = {
  name: "cwd",
  value: "folder",
  about:
    "The folder that the agent works in. For cli and acp: where its program starts, by default here. For codebuff and run: the agent gets tools for this folder, and asks before all but reading. On the screen, prompts may name its files with @; not for cli.",
};
const INSECURE: OptionRow = {
  name: "allow-insecure",
  about: "Sends secrets over plain ws:// or http:// to another machine too.",
};
const MODEL: OptionRow = { name: "model", value: "name", about: "The model, for codebuff and run." };
const manual = { onToolApproval: "manual", onQuestion: "manual" } as const;

export const BACKENDS: readonly BackendRow[] = [
  {
    name: "mock",
    about: "an agent inside the program, for a first look: needs nothing",
    options: [],
    asks: true,
    keeps: "named",
    open: async () => {
      const [{ MockAgent }, { demoScript }] = await Promise.all([
        import("../testing/agent/index.ts"),
        import("./demo-script.ts"),
      ]);
      return { source: () => new MockAgent({ script: demoScript, pace: 20 }) };
    },
  },
  {
    name: "codebuff",
    about: "a server that speaks Codebuff's WebSocket protocol",
    options: [ADDRESS, CWD, MODEL, INSECURE],
    secret: { variable: "CODEBUFF_API_KEY", label: "Codebuff key", isNeeded: () => false },
    asks: true,
    keeps: "folder",
    open: async ({ given, secret, rules }) => {
      const { codebuff } = await import("../codebuff/index.ts");
      const folder = await folderTools(given, { terminal: true });
      const tools = folder?.tools;
      const options = {
        url: needed(given, "url"),
        allowInsecure: given.flag("allow-insecure"),
        ...manual,
        ...(secret === undefined ? {} : { authToken: secret }),
        ...modelOf(given),
        ...(folder && {
          tools: folder.handlers,
          onReadFiles: folder.tools.readFiles,
          files: folder.tools,
        }),
        toolPolicy: [...rules, ...(tools ? READING : [])],
      };
      return {
        source: () => codebuff(options),
        ...(folder && { folder: folder.tools.root, undo: folder.undo }),
        close: async () => tools?.close(),
      };
    },
  },
  {
    name: "codey",
    about: "a codey-server",
    options: [ADDRESS, INSECURE],
    asks: true,
    keeps: "folder",
    open: async ({ given, rules }) => {
      const { codey } = await import("../codey/index.ts");
      const options = {
        url: needed(given, "url"),
        allowInsecure: given.flag("allow-insecure"),
        reconnect: {},
        onToolApproval: "manual",
        toolPolicy: rules,
      } as const;
      return { source: () => codey(options) };
    },
  },
  {
    name: "cass",
    about: "a server of Cass",
    options: [ADDRESS, { name: "anonymous", about: "Connects to Cass without a token." }, INSECURE],
    secret: {
      variable: "CASS_TOKEN",
      label: "Token of Cass",
      isNeeded: (given) => !given.flag("anonymous"),
    },
    asks: false,
    keeps: "folder",
    open: async ({ given, secret }) => {
      const { cass } = await import("../cass/index.ts");
      const options = {
        url: needed(given, "url"),
        allowInsecure: given.flag("allow-insecure"),
        recover: true,
        ...(secret === undefined ? { allowAnonymous: true } : { token: secret }),
      };
      return { source: () => cass(options) };
    },
  },
  {
    name: "cli",
    about: "the Codebuff CLI of this machine, which asks for no permission",
    options: [CWD],
    words: "the program and its first arguments, if it is not `codebuff`",
    asks: false,
    keeps: "folder",
    open: async ({ given, rest }) => {
      const { codebuffCli } = await import("../codebuff-cli/index.ts");
      const [command, ...args] = rest;
      const options = { ...cwdOf(given), ...(command === undefined ? {} : { command, args }) };
      return { source: () => codebuffCli(options), folder: options.cwd ?? "." };
    },
  },
  {
    name: "run",
    about: "an agent that runs in the program, on Codebuff's backend or on a server with OpenAI's API",
    options: [ADDRESS, MODEL, CWD, INSECURE],
    secret: {
      variable: "CODEBUFF_API_KEY",
      label: "Codebuff key",
      isNeeded: (given) => !(given.has("url") && given.has("model")),
      without: (given) =>
        given.has("url") ? "For a server with OpenAI's API, pass --model in place of the key." : "",
    },
    asks: true,
    keeps: "folder",
    open: async (opening) => (await import("./open-run.ts")).openRun(opening),
  },
  {
    name: "acp",
    about:
      "any agent that speaks ACP: gemini, claude, codex, copilot, opencode, qwen, kimi, vibe, or another program",
    options: [
      CWD,
      {
        name: "keep-env",
        value: "name",
        many: true,
        about: "A variable of the environment that the agent of acp gets, such as a key.",
      },
    ],
    words: "the name of a usual agent, or a program and its arguments behind --",
    asks: true,
    keeps: "folder",
    open: async (opening) => (await import("./open-acp.ts")).openAcp(opening),
  },
  {
    name: "remote",
    about: "a chat on a relay, such as one that `agentwire serve` runs",
    options: [ADDRESS, INSECURE],
    secret: { variable: "AGENTWIRE_TOKEN", label: "Token of the relay", isNeeded: () => true },
    asks: true,
    keeps: "server",
    open: async ({ given, secret, chat }) => {
      const { remote } = await import("../remote/index.ts");
      const options = {
        url: needed(given, "url"),
        chat,
        allowInsecure: given.flag("allow-insecure"),
        ...(secret === undefined ? {} : { headers: { authorization: `Bearer ${secret}` } }),
      };
      return { source: () => remote(options) };
    },
  },
];
