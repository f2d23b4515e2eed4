// The table of commands: a command is a file and a row.
import type { CommandRow } from "./command.ts";

export const COMMAND_TABLE: readonly CommandRow[] = [
  {
    name: "chat",
    args: "<backend> [agent]",
    rest: "command ...",
    about: "Talks with an agent: a screen, plain lines without a terminal, or one turn.",
    hasBackends: true,
    options: [
      {
        name: "prompt",
        short: "p",
        value: "[text]",
        about: "One turn. Without a text, the standard input is the prompt.",
      },
      {
        name: "output",
        value: "text|json|stream-json",
        about:
          "What one turn prints: the answer; one object at the end; or universal events, one each line. By default text.",
      },
      { name: "continue", short: "c", about: "Goes on with the last chat of this backend." },
      {
        name: "session",
        value: "name",
        about:
          "Goes on with the chat of this name, or begins it. For remote: the id of the chat, by default main.",
      },
      {
        name: "allow",
        value: "tool",
        many: true,
        about: "Allows a tool without asking; * stands for any letters.",
      },
      {
        name: "deny",
        value: "tool",
        many: true,
        about: "Denies a tool without asking; it wins over --allow.",
      },
      {
        name: "ask-stdio",
        about:
          "For programs: requests are events on stdout, decisions are lines of JSON on the standard input.",
      },
      { name: "timeout", value: "seconds", about: "Cancels one turn after this time. By default never." },
    ],
    notes: [
      "In one turn nobody is there to ask: what --allow does not name is denied, and the exit code is 3.",
      "Chats are kept in ~/.agentwire/chats (or $AGENTWIRE_HOME/chats): for this user alone, one file each; the last prompts of a folder are in ~/.agentwire/history. `chat mock` keeps one only with --session.",
      '--ask-stdio: an event `permission.requested` waits for a line {"permission_id": "...", "decision": "once"}, where decision is once, always or reject; `question.requested` for {"question_id": "...", "answers": [["yes"]]}, a list of labels for each question, or null. What waits when the input ends is denied.',
    ],
    examples: [
      { line: "agentwire chat mock", about: "an agent that needs nothing" },
      { line: 'agentwire chat mock -p "Hello" --allow shell', about: "one turn" },
      {
        line: 'agentwire chat mock -p "Hello" --output stream-json --deny shell',
        about: "its events; the exit code is 3",
      },
      {
        line: "agentwire chat codey --url ws://127.0.0.1:8080 --continue",
        about: "the last chat with a server",
      },
      { line: "agentwire chat acp -- gemini --acp", about: "any ACP agent" },
    ],
    run: async (call) => (await import("./commands/chat.ts")).chatCommand(call),
  },
  {
    name: "serve",
    args: "<backend> [agent]",
    rest: "command ...",
    about: "Serves chats that outlive their pages: a relay over a backend.",
    hasBackends: true,
    options: [
      { name: "port", value: "number", about: "By default 8787; 0 for a free one." },
      { name: "host", value: "address", about: "Where to listen. By default 127.0.0.1: this machine alone." },
      {
        name: "name",
        value: "host",
        many: true,
        about: "A further host name by which clients know the server, such as that of a proxy.",
      },
      {
        name: "origin",
        value: "origin",
        many: true,
        about: "A foreign origin whose pages may use the server.",
      },
      {
        name: "log",
        value: "file|memory|redis",
        about:
          "Where chats are kept: a SQLite file, by default in ~/.agentwire; in memory; or in the Redis of AGENTWIRE_REDIS_URL.",
      },
      {
        name: "allow",
        value: "tool",
        many: true,
        about: "Allows a tool without asking; * stands for any letters.",
      },
      {
        name: "deny",
        value: "tool",
        many: true,
        about: "Denies a tool without asking; it wins over --allow.",
      },
    ],
    notes: [
      "Requests need the header `Authorization: Bearer <token>`. The token is that of AGENTWIRE_TOKEN (16 characters at least), or a random one that is printed once.",
      "The file of chats needs Node 22.13 or later.",
      "SIGTERM and Ctrl-C end it: running turns get 5 s, and other servers over the same log go on with its chats.",
      'With --json, the first line on stdout is {"type": "ready", "url", "token"?, "log", "pid"}.',
    ],
    examples: [
      { line: "agentwire serve mock --log memory", about: "a server for a try; it prints its token" },
      {
        line: "AGENTWIRE_TOKEN=... agentwire chat remote --url http://127.0.0.1:8787/chats",
        about: "talks with it, from another terminal, with that token",
      },
      {
        line: "agentwire serve acp gemini --cwd my-project",
        about: "an agent that goes on when the page is closed",
      },
    ],
    run: async (call) => (await import("./commands/serve.ts")).serveCommand(call),
  },
  {
    name: "check",
    args: "[file]",
    about: "Checks a transcript of universal events against the rules, line by line.",
    options: [
      {
        name: "live",
        about:
          "The transcript goes on: what is open at its end, and an unfinished last line, are no problems.",
      },
    ],
    notes: [
      "Without a file, or with -, it reads the standard input. A transcript is what `chat --output stream-json` prints, and what stores of chats keep. Each problem is a line FILE:LINE: RULE: what. The rules are `shape`, `I1` to `I12` and `grammar` of `checkTranscript`, `json` for a line that is none, and `cut` for an unfinished last line. Exit code 1: there are problems; 2: it is no transcript.",
      'With --json, each problem is {"type": "problem", "file", "line", "rule", "message", "event_id"?}, and the last line is {"type": "summary", "file", "events", "sessions", "problems"}.',
    ],
    examples: [
      { line: "agentwire check transcript.jsonl", about: "a file" },
      {
        line: "agentwire chat mock -p ask --output stream-json | agentwire check",
        about: "what a turn prints",
      },
    ],
    run: async (call) => (await import("./commands/check.ts")).checkCommand(call),
  },
  {
    name: "mock",
    args: "<codebuff|codey|cass|backend|acp>",
    about: "Plays a server or an agent for tests of a client: scripted, with the quirks of real ones.",
    options: [
      {
        name: "port",
        value: "number",
        about: "On 127.0.0.1. By default any that is free. acp speaks over stdio.",
      },
      {
        name: "script",
        value: "file",
        about:
          'A recording to play; JSON with the steps of each answer ("text", {"delay": 20}), or with the options of the mock; or a module whose default export is one of these, or the function that answers.',
      },
      {
        name: "switch",
        value: "name=value",
        many: true,
        about:
          "Sets a switch of the mock. An unknown name lists them. An object is JSON, or name.part=value.",
      },
      {
        name: "record",
        value: "file",
        about: "Writes what passes, without secrets, as a recording that --script plays.",
      },
    ],
    notes: [
      'The first line is {"ev": "ready", "ready": true, "mock", "url", "pid"}, of cass also with `httpUrl` and the `token` of a user, of backend with `apiKey`. Then a line for each connection (#1), frame (> from the client, < to it), call over HTTP, and mistake of the client (!); with --json as lines of a recording. For acp these lines are on stderr. Recordings of backend are for reading.',
      "What each step and switch does: docs/testing.md, and the types of `agentwire/testing`.",
    ],
    examples: [
      { line: "agentwire mock codey", about: "a server on a free port" },
      {
        line: "agentwire mock codebuff --port 8123 --switch profile=codebuff --switch failure=mid-stream",
        about: "the original server, whose answers break off",
      },
      {
        line: "agentwire mock cass --script recording.jsonl",
        about: "plays what `agentwire tap` has recorded",
      },
      { line: 'agentwire chat acp -p "hi" -- agentwire mock acp', about: "an agent on stdio" },
    ],
    run: async (call) => (await import("./commands/mock.ts")).mockCommand(call),
  },
  {
    name: "tap",
    args: "",
    rest: "command ...",
    about: "Stands before a server or an agent, passes everything on, and records it without secrets.",
    options: [
      { name: "to", value: "address", about: "The WebSocket of the server: ws:// or wss://." },
      {
        name: "listen",
        value: "number",
        about: "The port on 127.0.0.1 for --to. By default any that is free.",
      },
      {
        name: "out",
        value: "file",
        about:
          "The recording, which `agentwire mock --script` plays. By default a new file in ~/.agentwire/taps.",
      },
    ],
    notes: [
      "With --to, the first line is that of `mock`, and the others too. Paths, queries, headers and subprotocols pass as they are; the path / stands for that of --to. Compression is not asked for. Calls over HTTP pass, and are not recorded.",
      "With a command, stdout is the agent's, and words go to stderr. Signals pass, and the exit code is that of the agent. No program of its group is left.",
      "Prompts, answers and files are in a recording as they were. Secrets are known by the names of their members, headers, parameters, and variables of the environment.",
    ],
    examples: [
      { line: "agentwire tap --to ws://127.0.0.1:8080 --out recording.jsonl", about: "before a server" },
      { line: 'agentwire chat acp -p "hi" -- agentwire tap -- agentwire mock acp', about: "before an agent" },
    ],
    run: async (call) => (await import("./commands/tap.ts")).tapCommand(call),
  },
  {
    name: "doctor",
    args: "[backend] [agent]",
    rest: "command ...",
    about: "Looks at this machine and at a backend, and says what to do next.",
    hasBackends: true,
    options: [
      {
        name: "limit",
        value: "seconds",
        about: "The limit of each step. By default 5 for the network, and 20 for a handshake.",
      },
    ],
    notes: [
      "Without a backend: the runtime, optional packages, keys of the environment (their names alone), and what can be tried. With one: runtime, packages, key, dns, tcp, tls, handshake, and which server it is, with what is odd about it. No prompt is sent; of acp and cli the program is started.",
      'Exit code 4: the backend cannot be reached; 1: something else failed. With --json, each step is {"type": "step", "name", "status": "ok" | "warn" | "failed" | "skipped", "detail", "next"?, "notes"?}, and the last line is {"type": "summary", "backend"?, "failed", "exit_code"}.',
    ],
    examples: [
      { line: "agentwire doctor", about: "this machine" },
      { line: "agentwire doctor codebuff --url ws://127.0.0.1:8000/ws", about: "a server" },
      { line: "agentwire doctor acp gemini", about: "an agent" },
    ],
    run: async (call) => (await import("./commands/doctor.ts")).doctorCommand(call),
  },
];
