import { styleText } from "node:util";
import { CodebuffCli } from "agentwire/codebuff-cli";
import { FakeCodebuffCli, type FakeCodebuffScript } from "agentwire/testing";
import { label, type Stage } from "./stage.ts";

const FIRST = "Which tests are slow?";
const SECOND = "Then rewrite them all.";
/** What the user does not want to hear more of. */
const TOO_MUCH = "I delete ";

/**
 * Runs a program with a prompt, goes on with its session, and cancels that. Returns what there is to say of it in the
 * summary.
 */
export async function program(stage: Stage, pace: number): Promise<string> {
  await using cli = await FakeCodebuffCli.start({
    events: { byPrompt: { [FIRST]: look(pace), [SECOND]: rewrite(pace) } },
    sessionKey: "session_id",
  });
  const { command, args } = cli;
  const env = { ...cli.env, CODEBUFF_API_KEY: "" }; // it needs no key, and gets none
  const client = new CodebuffCli({ command, args, env, homeDir: import.meta.dirname });
  try {
    const chat = client.conversation();
    const first = say(FIRST, chat.prompt(FIRST), stage);
    const { cost } = await first.result;
    stage.line();
    stage.note(`${cost?.amount} ${cost?.unit}; the next prompt goes on with its session`);

    cli.set({ grandchild: true }); // this time it starts something itself
    const second = say(SECOND, chat.prompt(SECOND), stage);
    second.on("event", () => {
      if (second.text.endsWith(TOO_MUCH)) void second.cancel();
    });
    const { status } = await second.outcome;
    stage.line(styleText("red", "..."));
    await cli.nextRun(); // the first one
    const { pid, grandchildren, options } = await cli.nextRun();
    const left = [pid, ...grandchildren];
    await Promise.all(left.map((id) => cli.gone(id)));
    stage.note(`${status}: the program and what it had started are gone, ${left.length} processes`);
    const goneOn = options["--continue"] === undefined ? 0 : 1;
    return `${cli.runs().length} runs of a program, ${goneOn} gone on with, ${left.length} processes ended by a cancel`;
  } finally {
    await client.close();
  }
}

/** A prompt, and its answer as it comes. */
function say(text: string, turn: ReturnType<CodebuffCli["prompt"]>, stage: Stage): typeof turn {
  stage.line(`${label("you")}${text}`);
  let speaks = false;
  turn.on("toolCall", ({ name, state }) => {
    if (state === "running") stage.note(`uses ${name}`);
  });
  turn.on("event", (event) => {
    if (event.type !== "chunk") return;
    if (!speaks) stage.write(label("agent"));
    speaks = true;
    stage.write(event.delta);
  });
  return turn;
}

function look(pace: number): FakeCodebuffScript {
  const call = { toolCallId: "t1", toolName: "run_terminal_command" };
  return [
    { type: "start", messageHistoryLength: 0 },
    { type: "tool_call", ...call, input: { command: "npm test" } },
    { delayMs: pace * 10 },
    { type: "tool_result", ...call, output: [{ type: "json", value: { exitCode: 0 } }] },
    ...inWords("Two of them sleep for a second each.", pace),
    { type: "finish", totalCost: 3 },
  ];
}

function rewrite(pace: number): FakeCodebuffScript {
  return [
    { type: "start", messageHistoryLength: 2 },
    ...inWords(`As you like. First ${TOO_MUCH}`, pace),
    { hold: "nobody lets it go on" },
  ];
}

function inWords(text: string, pace: number): FakeCodebuffScript {
  return text.split(/(?<= )/).flatMap((word) => [{ delayMs: pace }, word]);
}
