/**
 * The main job: a streamed answer, a conversation, a link that breaks, an agent that asks before it runs anything,
 * a reply that is found again, a program that is cancelled, any ACP agent, an agent that runs in this process, a change of a
 * file that is taken back, one chat on six backends, and a summary.
 *
 *   npm run demo                                   on a mock server inside this process
 *   npm run demo -- --url ws://127.0.0.1:8000/ws   on a server of yours; never cuts or leaves a prompt there
 */
import { parseArgs, styleText } from "node:util";
import {
  CodebuffClient,
  type CodebuffEvent,
  type CodebuffResult,
  isAgentwireError,
  type Turn,
  type TurnOutcome,
} from "agentwire/codebuff";
import { type Answer, MockCodebuffServer, step } from "agentwire/testing";
import { anyAgent } from "./support/acp-demo.ts";
import { approvals } from "./support/approvals-demo.ts";
import { memory } from "./support/cass-demo.ts";
import { program } from "./support/cli-demo.ts";
import { mended } from "./support/mend-demo.ts";
import { oneChat } from "./support/one-chat-demo.ts";
import { localRun } from "./support/run-demo.ts";
import { label } from "./support/stage.ts";

const HELP = `Usage: npm run demo [-- options]

Shows a streamed answer, a conversation, a link that breaks in mid-answer, an agent that asks before it
runs anything, a lost reply that is found again, a program that is cancelled, an ACP agent, an agent that
runs in this process, a change of a file that is taken back, and one chat on six backends.

Options:
  --url <address>    Use this server, such as ws://127.0.0.1:8000/ws, instead of the mock.
                     Only the first two parts run: the demo never cuts a link of yours.
  --model <name>     The model to ask for; some servers want backend:model, such as openai:gpt-4.
  --help             This text.
`;

const ANSWERS: Readonly<Record<string, string>> = {
  "What is a WebSocket?":
    "A WebSocket is one long-lived connection over which both sides may speak at any time. " +
    "That is why an answer can arrive word by word, as you see it here.",
  "And why not plain HTTP?":
    "Because, as I said, both sides may speak: with plain HTTP only the client can begin. " +
    "I know what I said before, since the client sent our conversation along.",
  "Tell me a long story.":
    "Once upon a time there was a router in a cupboard, and everybody had forgotten it until",
  "Tell me a short story instead.": "A cable broke. Nobody lost a word, and nobody was asked twice. The end.",
};

export interface DemoOptions {
  /** Where the text goes. */
  readonly write: (text: string) => void;
  /** ms between two words of the mock's answers. */
  readonly pace: number;
}

/** Runs the demo; returns the exit code. */
export async function demo(args: readonly string[], { write, pace }: DemoOptions): Promise<number> {
  const screen = new Screen(write);
  const options = readOptions(args);
  if ("problem" in options) {
    screen.line(options.problem);
    screen.line("Try: npm run demo -- --help");
    return 2;
  }
  if (options.help) {
    write(HELP);
    return 0;
  }
  const { url, model } = options;
  const mock = url === undefined ? await MockCodebuffServer.start({ answer: inWords(pace) }) : undefined;
  const client = new CodebuffClient({
    url: mock?.url ?? url ?? "",
    ...(model === undefined ? {} : { model }),
  });
  const stopHandling = closeOnInterrupt(client, screen);
  try {
    screen.line(styleText("bold", "agentwire demo"));
    screen.note(
      mock
        ? "on a mock server inside this process"
        : `on ${url}: no link is cut there, no prompt left running`,
    );
    const tally = new Tally(client);
    const waits = noteWaits(client);
    await conversation(client, screen, tally, waits);
    if (mock) await brokenLink(client, screen, tally, waits);
    const others = mock
      ? [
          await askedBefore(screen, pace),
          await foundAgain(screen, pace),
          await cancelled(screen, pace),
          await overAcp(screen, pace),
          await inThisProcess(screen, pace),
          await takenBack(screen, pace),
          await everywhere(screen),
        ]
      : [];
    screen.heading("Summary");
    for (const fact of [...tally.facts(mock), ...others]) screen.line(`       ${fact}`);
    return tally.failed === (mock ? 1 : 0) ? 0 : 1;
  } finally {
    stopHandling();
    await client.close();
    await mock?.stop();
  }
}

/** What the client says about its connection, held back until the line that is being written is full. */
function noteWaits(client: CodebuffClient): string[] {
  const waits: string[] = [];
  client.on("reconnecting", ({ attempt, delay, error }) => {
    const why = isAgentwireError(error, "handshake-refused") ? error.reason : error.code;
    waits.push(`${why}; attempt ${attempt} to connect again after ${Math.round(delay)} ms`);
  });
  return waits;
}

async function conversation(
  client: CodebuffClient,
  screen: Screen,
  tally: Tally,
  waits: string[],
): Promise<void> {
  const chat = client.conversation();
  screen.heading("A streamed answer, as it arrives");
  await show("What is a WebSocket?", chat, screen, tally);
  for (const wait of waits.splice(0)) screen.note(wait);
  if (client.status !== "ready") return; // there is nobody to go on with
  screen.heading("A second prompt that continues the conversation");
  await show("And why not plain HTTP?", chat, screen, tally);
  screen.note(`the conversation holds ${chat.messages.length} messages; its state is JSON you can keep`);
}

async function brokenLink(
  client: CodebuffClient,
  screen: Screen,
  tally: Tally,
  waits: string[],
): Promise<void> {
  screen.heading("The link breaks in mid-answer");
  const backAgain = new Promise<void>((resolve) => client.on("reconnected", resolve));
  await show("Tell me a long story.", client, screen, tally);
  await backAgain;
  for (const wait of waits.splice(0)) screen.note(wait);
  screen.note("ready again by itself; the prompt is not sent again, for the server may have seen it");
  await show("Tell me a short story instead.", client, screen, tally);
}

function askedBefore(screen: Screen, pace: number): Promise<string> {
  screen.heading("An agent that asks before it runs anything, on a mock of codey-server");
  return approvals(screen, pace);
}

function foundAgain(screen: Screen, pace: number): Promise<string> {
  screen.heading("An agent with a memory and gestures, whose reply is found again, on a mock of Cass");
  return memory(screen, pace);
}

function cancelled(screen: Screen, pace: number): Promise<string> {
  screen.heading("A program of this machine, gone on with and cancelled, on a fake of the Codebuff CLI");
  return program(screen, pace);
}

function overAcp(screen: Screen, pace: number): Promise<string> {
  screen.heading("Any agent that speaks ACP, on a mock of Claude's: it asks first, and remembers");
  return anyAgent(screen, pace);
}

function inThisProcess(screen: Screen, pace: number): Promise<string> {
  screen.heading("An agent that runs in this process, with a tool and a sub-agent, on a mock of the backend");
  return localRun(screen, pace);
}

function takenBack(screen: Screen, pace: number): Promise<string> {
  screen.heading("An agent whose tools stay in one folder: its change is shown, and taken back");
  return mended(screen, pace);
}

function everywhere(screen: Screen): Promise<string> {
  screen.heading("The same chat on six backends, one line changed");
  return oneChat(screen);
}

/** What both a client and a conversation have. */
interface Prompter {
  prompt(text: string): Turn<CodebuffEvent, CodebuffResult>;
}

/** One question and its answer, piece by piece, or how it broke off. */
async function show(text: string, to: Prompter, screen: Screen, tally: Tally): Promise<void> {
  screen.line(`${label("you")}${text}`);
  screen.write(label("agent"));
  const turn = to.prompt(text);
  try {
    for await (const piece of turn.textStream) screen.write(piece);
    await turn.result;
    screen.line();
  } catch (error) {
    screen.line();
    if (!isAgentwireError(error)) throw error;
    screen.line(styleText("red", `       ${error.message}`));
    const delivery = error.delivery === undefined ? "none" : `"${error.delivery}"`;
    screen.note(`code: "${error.code}", delivery: ${delivery}, partial text: ${turn.text.length} characters`);
  } finally {
    tally.count(await turn.outcome);
  }
}

/** The terminal, or whatever takes its place; colours only where one shows them. */
class Screen {
  write: (text: string) => void;
  #headings = 0;

  constructor(write: (text: string) => void) {
    this.write = write;
  }

  line(text = ""): void {
    this.write(`${text}\n`);
  }

  note(text: string): void {
    this.line(styleText("dim", `       ${text}`));
  }

  heading(title: string): void {
    this.#headings++;
    this.line();
    this.line(styleText("bold", `${this.#headings}  ${title}`));
  }
}

/** Counts what happened, for the summary. */
class Tally {
  completed = 0;
  failed = 0;
  #chunks = 0;
  #reconnects = 0;

  constructor(client: CodebuffClient) {
    client.on("event", ({ type }) => {
      if (type === "response-chunk") this.#chunks++;
    });
    client.on("reconnected", () => {
      this.#reconnects++;
    });
  }

  count({ status }: TurnOutcome<CodebuffResult>): void {
    if (status === "completed") this.completed++;
    else this.failed++;
  }

  facts(mock: MockCodebuffServer | undefined): readonly string[] {
    const ids = mock?.prompts.map(({ promptId }) => promptId) ?? [];
    const seen = ids.length === new Set(ids).size ? "each once" : "some more than once";
    return [
      `${this.completed} answers completed, ${this.failed} broken off, in ${this.#chunks} chunks`,
      `${this.#reconnects} ${this.#reconnects === 1 ? "reconnect" : "reconnects"}`,
      ...(mock ? [`the server saw ${ids.length} prompts, ${seen}`] : []),
    ];
  }
}

type Parsed =
  | { readonly url?: string; readonly model?: string; readonly help?: boolean }
  | { readonly problem: string };

function readOptions(args: readonly string[]): Parsed {
  try {
    const options = {
      url: { type: "string" },
      model: { type: "string" },
      help: { type: "boolean", short: "h" },
    } as const;
    const { values } = parseArgs({ args: [...args], options });
    if (values.url !== undefined) new CodebuffClient({ url: values.url }); // complains about an address that cannot work
    return values;
  } catch (error) {
    return { problem: error instanceof Error ? error.message : String(error) };
  }
}

/** The mock's script: word by word, and one answer that ends with the cable. */
function inWords(pace: number): Answer {
  return async function* ({ messages }) {
    const asked = String(messages.at(-1)?.content);
    for (const word of (ANSWERS[asked] ?? "I have no answer to that.").split(/(?<= )/)) {
      yield word;
      yield step.delay(pace);
    }
    if (asked === "Tell me a long story.") yield step.drop();
  };
}

/** Ctrl-C lets a running prompt end, because some servers do not survive a client that leaves in the middle; twice leaves. */
function closeOnInterrupt(client: CodebuffClient, screen: Screen): () => void {
  const onInterrupt = (): void => {
    if (client.status === "draining") process.exit(130);
    screen.line();
    screen.note("waiting for the running prompt to end; Ctrl-C again leaves at once");
    screen.write = () => {};
    void client.close().then(() => process.exit(130));
  };
  process.on("SIGINT", onInterrupt);
  return () => process.off("SIGINT", onInterrupt);
}

if (import.meta.main) {
  process.exitCode = await demo(process.argv.slice(2), {
    write: (text) => process.stdout.write(text),
    pace: 45,
  });
}
