import { type Chat, createChat } from "agentwire/chat";
import { type TelemetryOptions, withTelemetry } from "agentwire/otel";
import { MockAgent, type MockAgentOptions, type MockAgentScript } from "agentwire/testing";
import { until } from "../../../examples/support/until.ts";
import { sdk } from "./sdk.ts";

/** A chat over a traced agent, and the SDK that it tells. */
export function traced(
  script: MockAgentScript,
  { content, ...options }: MockAgentOptions & Pick<TelemetryOptions, "content"> = {},
) {
  const agent = new MockAgent({ script, ...options });
  const { tracer, meter, ...told } = sdk();
  const source = withTelemetry(agent, { tracer, meter, ...(content ? { content } : {}) });
  return { agent, source, chat: createChat(source), ...told };
}

/** Sends a prompt, and resolves when nothing runs or waits. */
export async function ask(chat: Chat, prompt = "go"): Promise<void> {
  chat.send(prompt);
  await until(chat, ({ busy, queue }) => !busy && queue.length === 0);
}

/** Decides on the next approval, and resolves when nothing runs or waits. */
export async function askAndDecide(
  chat: Chat,
  decision: "once" | "always" | "reject",
  prompt?: string,
): Promise<void> {
  const asked = ask(chat, prompt);
  await until(chat, ({ pending }) => pending.length > 0);
  for (const { id, type } of chat.getSnapshot().pending) if (type === "approval") chat.decide(id, decision);
  await asked;
}
