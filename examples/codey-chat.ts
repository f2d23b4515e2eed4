/** A chat with a codey-server, which asks before it runs anything: `npm run example -- examples/codey-chat.ts [url]` */
import { parseArgs } from "node:util";
import { reveal } from "agentwire/chat";
import { CodeyClient, isAgentwireError, type ToolCall, type TurnToolCall } from "agentwire/codey";
import { openCodeyServer } from "./support/codey-agent.ts";
import { wordsOf } from "./support/program.ts";
import { Lines, quoted, Screen, wantsColour } from "./support/terminal.ts";

const HELP = `Usage: npm run example -- examples/codey-chat.ts [ws://127.0.0.1:9999]

Talks to the codey-server at that address, or to a scripted agent inside this process, which runs nothing.
In the chat: /help, /state (what the server says of itself), /quit. Ctrl-C cancels the answer that is coming;
once more, it leaves. Colour only on a terminal, or with FORCE_COLOR; never with NO_COLOR.
`;

type CodeyTurn = ReturnType<CodeyClient["prompt"]>;
type Answer = "once" | "always" | "reject";

const screen = new Screen(process.stdout, wantsColour(process.env, process.stdout.isTTY));

async function chat(address: string | undefined): Promise<number> {
  const server = await openCodeyServer(address);
  let asking: Promise<unknown> = Promise.resolve();
  const client = new CodeyClient({
    url: server.url,
    reconnect: {}, // it is off otherwise: a new connection is a new session
    onToolApproval: (call, { signal }) => {
      const ask = (): Promise<Answer> => decide(call, lines, signal);
      const answer = asking.then(ask, ask); // several may be open at once
      asking = answer;
      return answer;
    },
  });
  const lines = new Lines(process.stdin, () => process.stdin.isTTY && screen.entered());
  client.on("reconnecting", ({ delay }) => note(`link lost, trying again in ${Math.round(delay)} ms`));
  client.on("sessionStarted", ({ contextLost }) => {
    if (contextLost) note("a new session: the server has forgotten what was said");
  });
  client.on("protocolWarning", ({ message }) => note(message));

  let turn: CodeyTurn | undefined;
  let interrupts = 0;
  const onInterrupt = (): void => {
    interrupts++;
    if (interrupts > 1) {
      lines.close();
      void client.close();
    } else if (turn) {
      note("cancelling; Ctrl-C again leaves");
      void turn.cancel();
    } else note("Ctrl-C again leaves");
  };
  process.on("SIGINT", onInterrupt);

  try {
    await client.connect();
    note(`session ${client.sessionId}; /help says what there is`);
    for (;;) {
      screen.ask("you> ", "cyan");
      const line = (await lines.next())?.trim();
      if (line === undefined || line === "/quit") return interrupts > 1 ? 130 : 0;
      interrupts = 0;
      try {
        if (line === "/help") screen.line(HELP);
        else if (line === "/state") screen.line(reveal(JSON.stringify(await client.getState(), null, 2)));
        else if (line !== "") {
          turn = client.prompt(line);
          await show(turn);
        }
      } catch (error) {
        complain(error);
      }
      turn = undefined;
    }
  } catch (error) {
    complain(error);
    return 1;
  } finally {
    process.off("SIGINT", onInterrupt);
    lines.close();
    await client.close(); // cancels what runs, and denies what is open
    await server.stop();
  }
}

/** A turn from its first word to its end. Listeners are told in the order of the wire. */
async function show(turn: CodeyTurn): Promise<void> {
  turn.on("event", (event) => {
    if (event.type === "TextDelta") screen.stream(event.content);
    if (event.type === "ThinkingDelta") screen.stream(event.content, "dim");
    if (event.type === "Retrying") note(`the server tries again: ${event.error}`);
  });
  const states = new Map<string, TurnToolCall["state"]>();
  turn.on("toolCall", (call) => {
    if (states.get(call.id) !== call.state) showCall(call);
    states.set(call.id, call.state);
  });
  const outcome = await turn.outcome;
  if (outcome.status === "failed") complain(outcome.error);
  if (outcome.status === "cancelled") note("cancelled; a command that had begun may still run");
  if (outcome.status !== "completed") return;
  const { usage } = outcome.result;
  if (usage) note(`${usage.outputTokens} tokens written, ${usage.contextTokens} in the context`);
}

function showCall({ name, state, output, error, deniedBy }: TurnToolCall): void {
  const tool = `  ${reveal(name)}`;
  if (state === "running") screen.line(`${tool} runs`, "yellow");
  if (state === "done") screen.line(`${tool} is done:\n${quoted(String(output ?? ""))}`, "dim");
  if (state === "failed") screen.line(`${tool} has failed: ${error}`, "red");
  if (state === "denied" && deniedBy) screen.line(`${tool} was denied by the ${deniedBy}`, "red");
  if (state === "abandoned") screen.line(`${tool} was given up`, "red");
}

/** Shows the whole of what is to be run, with nothing hidden in it. Anything but a clear yes is a no. */
async function decide(call: ToolCall, lines: Lines, signal: AbortSignal): Promise<Answer> {
  if (signal.aborted) return "reject";
  const name = reveal(call.name);
  screen.line(`The agent wants to run ${name}:`, "yellow");
  const input = typeof call.input === "object" && call.input !== null ? call.input : { input: call.input };
  for (const [field, value] of Object.entries(input)) {
    const text = typeof value === "string" ? value : JSON.stringify(value, null, 2);
    screen.line(`  ${reveal(field)}:\n${quoted(reveal(text))}`, "bold");
  }
  const always = call.grant === undefined ? "" : `, always (${reveal(call.grant)}, in this session)`;
  screen.ask(`Run it? y(es), n(o)${always}: `, "yellow");
  const answer = (await lines.answer(signal))?.trim().toLowerCase();
  if (answer === "always") return "always";
  return answer === "y" || answer === "yes" ? "once" : "reject";
}

function note(text: string): void {
  screen.line(`(${text})`, "dim");
}

function complain(error: unknown): void {
  if (!isAgentwireError(error)) throw error;
  screen.line(error.message, "red");
}

try {
  const options = { help: { type: "boolean" } } as const;
  const { values, positionals } = parseArgs({ allowPositionals: true, options });
  if (values.help) screen.line(HELP);
  else if (positionals.length > 1) throw new Error("pass one address");
  else process.exitCode = await chat(positionals[0]);
} catch (error) {
  screen.line(wordsOf(error), "red");
  process.exitCode = 2;
}
