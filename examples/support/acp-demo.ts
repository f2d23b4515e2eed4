import { AcpClient } from "agentwire/acp";
import { acpStep, acpTool, MockAcpAgent } from "agentwire/testing";
import { label, type Stage } from "./stage.ts";

const FIRST = "Make room on the disk.";
const SECOND = "What did you find?";

/**
 * Starts an agent that speaks ACP, as a program: it plans, asks before each command, and goes on in its session. Returns what there is to say
 * of it in the summary.
 */
export async function anyAgent(stage: Stage, pace: number): Promise<string> {
  const inWords = (text: string) => text.split(/(?<= )/).flatMap((word) => [word, acpStep.delay(pace)]);
  await using agent = new MockAcpAgent({
    profile: "claude",
    *answer({ text }) {
      if (text === SECOND) {
        yield* inWords("An old build, and I left it where it is.");
        return;
      }
      yield acpStep.plan({ content: "Look", status: "in_progress" }, { content: "Delete" });
      yield* acpStep.calls(acpTool.shell("du -sh build", "2.1G\tbuild\n"));
      const [deleted] = yield* acpStep.calls(acpTool.shell("rm -rf build"));
      yield* inWords(deleted?.state === "rejected" ? "As you like: nothing was deleted." : "It is gone.");
    },
  });
  const { command, args, env } = await agent.program();
  let asked = 0;
  const client = new AcpClient({
    command,
    args,
    env,
    cwd: import.meta.dirname,
    onToolApproval: ({ input }) => {
      asked++;
      const wish = String((input as { readonly command?: string }).command);
      const isFine = wish.startsWith("du ");
      stage.line(`${label("agent")}may I run: ${wish}`);
      stage.line(`${label("you")}${isFine ? "yes" : "no"}`);
      return isFine;
    },
  });
  try {
    const chat = client.conversation();
    await say(FIRST, chat.prompt(FIRST), stage);
    stage.note(`its mode is \`${chat.session?.modes?.current}\`: its own first mode asks nobody`);
    await say(SECOND, chat.prompt(SECOND), stage);
  } finally {
    await client.close();
  }
  const pids = agent.links.flatMap(({ process }) => (process ? [process.pid] : []));
  await Promise.all(pids.map((pid) => agent.gone(pid)));
  return `${agent.prompts.length} prompts to an ACP agent, ${asked} permissions asked; ${pids.length} process, which is gone`;
}

/** A prompt, its plan, and its answer as it comes. */
async function say(text: string, turn: ReturnType<AcpClient["prompt"]>, stage: Stage): Promise<void> {
  stage.line(`${label("you")}${text}`);
  let speaks = false;
  turn.on("event", (event) => {
    if (event.type === "plan") stage.note(`plan: ${event.entries.map(({ content }) => content).join(", ")}`);
    if (event.type !== "text") return;
    if (!speaks) stage.write(label("agent"));
    speaks = true;
    stage.write(event.delta);
  });
  await turn.result;
  stage.line();
}
