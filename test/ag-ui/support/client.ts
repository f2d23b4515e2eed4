import type { RunAgentInput } from "@ag-ui/core";
import { type AgUiAgent, type AgUiEvent, type AgUiRunOptions, agUiAgent } from "agentwire/ag-ui";
import { type Chat, type ChatOptions, createChat } from "agentwire/chat";
import { MockAgent, type MockAgentOptions } from "agentwire/testing/agent";
import { expect } from "vitest";
import { collect, judge, ofType } from "./judge.ts";

export type Resume = NonNullable<RunAgentInput["resume"]>;

let runs = 0;

/** The input of a run: the texts are messages of the user with the ids m1, m2, ... */
export function inputOf(texts: readonly string[], more: Partial<RunAgentInput> = {}): RunAgentInput {
  return {
    threadId: "thread",
    runId: `run-${++runs}`,
    messages: texts.map((content, at) => ({ id: `m${at + 1}`, role: "user", content })),
    tools: [],
    context: [],
    ...more,
  };
}

export const resumeOf = (...resume: Resume): Partial<RunAgentInput> => ({ resume });

export const approve = (interruptId: string, approved = true): Resume[number] => ({
  interruptId,
  status: "resolved",
  payload: { approved },
});

/** A chat over a mock, and its agent. The other side's own code accepts what each run gives. */
export class Bench implements AsyncDisposable {
  readonly mock: MockAgent;
  readonly chat: Chat;
  readonly agent: AgUiAgent;

  constructor(options: MockAgentOptions = {}, chatOptions: ChatOptions = {}) {
    this.mock = new MockAgent(options);
    this.chat = createChat(this.mock, chatOptions);
    this.agent = agUiAgent(this.chat);
  }

  async run(input: RunAgentInput, options?: AgUiRunOptions): Promise<AgUiEvent[]> {
    const events = await collect(this.agent.run(input, options));
    await judge(events);
    return events;
  }

  get isBusy(): boolean {
    return this.chat.getSnapshot().busy;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.chat.close();
  }
}

/** The ids of the interrupts with which a run has ended. */
export function interruptsOf(events: readonly AgUiEvent[]) {
  const [last] = ofType(events, "RUN_FINISHED");
  expect(last?.outcome?.type).toBe("interrupt");
  return last?.outcome?.type === "interrupt" ? last.outcome.interrupts : [];
}

/** All text of the answer. */
export function textOf(events: readonly AgUiEvent[]): string {
  return ofType(events, "TEXT_MESSAGE_CONTENT")
    .map(({ delta }) => delta)
    .join("");
}
