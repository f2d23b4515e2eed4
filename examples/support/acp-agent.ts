import { type AcpOptions, acp } from "agentwire/acp";
import { acpStep, acpTool, MockAcpAgent, type MockAcpAnswer } from "agentwire/testing";

/** The names of the usual agents. */
export const AGENTS: readonly string[] = Object.keys(acp.presets);

/** The options of an agent, and what has to be stopped behind it. */
export interface OpenAgent {
  readonly options: AcpOptions;
  stop(): Promise<void>;
}

/**
 * The agent of that name, or a mock in a process of its own, which runs nothing. A usual agent gets the variables that its preset lists.
 * @throws UnsupportedError if a usual agent is not installed
 */
export async function openAcpAgent(name: string | undefined, cwd: string, pace = 20): Promise<OpenAgent> {
  if (name === undefined) {
    const agent = new MockAcpAgent({ answer: inWords(pace) });
    return { options: { ...(await agent.program()), cwd }, stop: () => agent.stop() };
  }
  const preset = new Map(Object.entries(acp.presets)).get(name);
  const options = preset ? preset({ cwd, keepEnv: preset.facts.variables }) : { command: name, cwd };
  return { options, stop: async () => {} };
}

/** Plans, wants to run a command, and says what came of it. */
export function inWords(pace: number): MockAcpAnswer {
  return async function* ({ text }) {
    const say = (words: string) => words.split(/(?<= )/).flatMap((word) => [word, acpStep.delay(pace)]);
    yield* say(`You said: ${text}. Let me look. `);
    const plan = (status: string) => acpStep.plan({ content: "Count the pages", status });
    yield plan("in_progress");
    const [found] = yield* acpStep.calls(acpTool.shell("ls docs", "notes.md\ntasks.md\n"));
    yield plan("completed");
    yield* say(found?.state === "rejected" ? "As you like: I looked at nothing." : "There are two pages.");
    yield acpStep.usage({ inputTokens: 900, outputTokens: 40, totalTokens: 940 });
  };
}
