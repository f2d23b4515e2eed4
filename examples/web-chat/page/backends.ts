import { codebuff } from "agentwire/codebuff";
import { codey } from "agentwire/codey";
import { MockAgent } from "agentwire/testing/agent";
import type { AgentSource } from "agentwire/universal";
import { socketUrl } from "./address.ts";
import { enterCass, logInToCass } from "./cass/login.ts";
import type { Login } from "./login.ts";
import { mockScript } from "./mock-script.ts";

/** An agent that the page can talk with. */
export interface Backend {
  readonly label: string;
  /** One line for the entrance. */
  readonly about: string;
  /** What one may say first. */
  readonly suggestions: readonly string[];
  /** Without an account. */
  open(): AgentSource;
  /** With an account, where there are accounts. Rejects if the server refuses. */
  readonly logIn?: (login: Login) => Promise<AgentSource>;
}

/** ms between two pieces of an answer of the mock: about as fast as a model. */
const PACE = 25;

/** All that the page knows of backends. Each asks by hand (`"manual"`), so that the page shows what waits for the user. */
export const BACKENDS: ReadonlyMap<string, Backend> = new Map([
  [
    "mock",
    {
      label: "Mock",
      about: "It runs in this page, and shows all that a chat can show.",
      suggestions: ["Show me everything", "Ask me something", "Count to a hundred", "Lose the link"],
      open: () =>
        new MockAgent({ script: mockScript, pace: PACE, reconnect: { maxAttempts: 5, delay: 3_000 } }),
    },
  ],
  [
    "codebuff",
    {
      label: "Codebuff",
      about: "It asks before it uses a tool of this page, and has questions of its own.",
      suggestions: ["Hello!", "What time is it?"],
      open: () =>
        codebuff({
          url: socketUrl("/codebuff"),
          tools: { get_time: () => [{ type: "json", value: { time: new Date().toLocaleTimeString() } }] },
          onToolApproval: "manual",
          onQuestion: "manual",
        }),
    },
  ],
  [
    "codey",
    {
      label: "Codey",
      about: "It asks before it runs a command, and forgets the conversation with the link.",
      suggestions: ["Hello!", "Count to a hundred"],
      // Of its own accord the client never reconnects, because the server has forgotten everything. The page says so.
      open: () => codey({ url: socketUrl("/codey"), reconnect: {}, onToolApproval: "manual" }),
    },
  ],
  [
    "cass",
    {
      label: "Cass",
      about: "She has gestures, moods and a voice, and remembers those who log in.",
      suggestions: [
        "Hello!",
        "What did we talk about last week?",
        "Say something aloud",
        "Show me some code",
      ],
      open: enterCass,
      logIn: logInToCass,
    },
  ],
] satisfies readonly [string, Backend][]);
