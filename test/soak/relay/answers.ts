// What the agents of the servers answer. The key of a prompt decides, so that the judge knows the answer too.
import { agentStep, type MockAgentStep } from "agentwire/testing/agent";
import { Dice } from "../dice.ts";

export interface AnswerPlan {
  /** What the agent says, without its sub-agents. */
  readonly text: string;
  /** Whether it ends with an error. */
  readonly fails: boolean;
  readonly steps: readonly MockAgentStep[];
}

const WORDS = ["naïve ", "漢字 ", "👩‍🚀 ", "plain ", "\\n\n", "data: ", "{} ", "кот "];

/** ms between two events of an answer. */
export const PACE = 8;

export function promptText(key: string): string {
  return `Please answer «${key}»`;
}

/** The last key in a text: before it may be a recap of earlier prompts. */
export function keyIn(text: string): string | undefined {
  return [...text.matchAll(/«([^»]+)»/g)].at(-1)?.[1];
}

export function answerPlan(key: string): AnswerPlan {
  const dice = new Dice("relay answer", key);
  const steps: MockAgentStep[] = [];
  let text = "";
  const say = (): void => {
    const words = Array.from({ length: dice.int(1, 12) }, () => WORDS[dice.int(0, WORDS.length - 1)] ?? "");
    const said = `[${key}.${steps.length}] ${words.join("")}`;
    text += said;
    steps.push(said);
  };
  say();
  for (let part = dice.int(0, 3); part > 0; part--) {
    switch (dice.pick({ tool: 3, approval: 2, question: 1, subagent: 1, reasoning: 1, delay: 3 })) {
      case "tool":
        steps.push(agentStep.tool({ name: "ls", input: { path: "." }, streams: ["a\n", "b\n"] }));
        break;
      case "approval":
        steps.push(agentStep.tool({ name: "rm", input: { path: key }, approval: true, output: "gone" }));
        break;
      case "question":
        steps.push(agentStep.question({ questions: ["Which one?"] }));
        break;
      case "subagent":
        steps.push(
          agentStep.subagent({
            type: "picker",
            steps: ["Looking. ", agentStep.tool({ name: "cat", error: "no" })],
          }),
        );
        break;
      case "reasoning":
        steps.push(agentStep.reasoning("Thinking of it"));
        break;
      case "delay":
        steps.push(agentStep.delay(dice.int(20, 500)));
        break;
    }
    say();
  }
  const fails = dice.chance(0.05);
  if (fails) steps.push(agentStep.fail("planned"));
  return { text, fails, steps };
}
