import { styleText } from "node:util";
import { CodeyClient } from "agentwire/codey";
import { type CodeyAnswer, codeyStep, codeyTool, MockCodeyServer } from "agentwire/testing";
import { label, type Stage } from "./stage.ts";

const QUESTION = "What can be thrown away in here?";

/**
 * One turn of an agent that asks before it runs anything: the user lets it look, and not delete. Returns what there
 * is to say of it in the summary.
 */
export async function approvals(stage: Stage, pace: number): Promise<string> {
  await using server = await MockCodeyServer.start({ answer: tidyUp(pace), closeReply: true });
  let speaks = false;
  const client = new CodeyClient({
    url: server.url,
    onToolApproval: ({ input }) => {
      const { command } = input as { readonly command: string }; // the mock's own
      const allowed = command.startsWith("ls ");
      speaks = false;
      stage.line();
      stage.line(styleText("yellow", `       may I run: ${command}`));
      stage.line(`${label("you")}${allowed ? "yes" : "no"}`);
      return allowed;
    },
  });
  try {
    stage.line(`${label("you")}${QUESTION}`);
    const turn = client.prompt(QUESTION);
    turn.on("event", (event) => {
      if (event.type !== "TextDelta") return;
      if (!speaks) stage.write(label("agent"));
      speaks = true;
      stage.write(event.content);
    });
    turn.on("toolCall", ({ state, output }) => {
      if (state === "done") stage.note(`it ran, and found: ${String(output).trim()}`);
    });
    const { toolCalls } = await turn.result;
    stage.line();
    stage.note("without anybody to ask, both would have been denied");
    const denied = toolCalls.filter(({ state }) => state === "denied").length;
    return `${toolCalls.length} tool calls: ${toolCalls.length - denied} approved, ${denied} denied`;
  } finally {
    await client.close();
  }
}

/** Looks, wants to delete, and goes by what it is told. */
function tidyUp(pace: number): CodeyAnswer {
  return async function* () {
    yield* inWords("I look into the build folder first.", pace);
    yield codeyStep.calls(codeyTool.shell("ls build", "old.js\n"));
    yield* inWords("I would delete it all.", pace);
    const [removed] = yield* codeyStep.calls(codeyTool.shell("rm -rf build", ""));
    yield* inWords(removed?.state === "denied" ? "As you like: nothing was deleted." : "It is gone.", pace);
  };
}

function* inWords(text: string, pace: number) {
  for (const word of text.split(/(?<= )/)) {
    yield word;
    yield codeyStep.delay(pace);
  }
}
