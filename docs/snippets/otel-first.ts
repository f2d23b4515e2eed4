// #region otel-first
import { trace } from "@opentelemetry/api";
import { ConsoleSpanExporter, SimpleSpanProcessor, TracerProvider } from "@opentelemetry/sdk-trace";
import { createChat } from "agentwire/chat";
import { withTelemetry } from "agentwire/otel";
import { agentStep, MockAgent } from "agentwire/testing";

const exporter = new ConsoleSpanExporter(); // yours, in an app
trace.setGlobalTracerProvider(
  new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter })] }),
);

const agent = new MockAgent({
  *script() {
    yield "Let me look. ";
    yield* agentStep.tool({ name: "shell", input: { command: "ls" }, output: "a.txt", approval: true });
    yield "One file.";
  },
});
const chat = createChat(withTelemetry(agent)); // any source, such as codey({ url })
chat.subscribe(() => {
  for (const { id, type } of chat.getSnapshot().pending) if (type === "approval") chat.decide(id, "once");
});
chat.send("What is here?"); // prints the spans `execute_tool shell` and `invoke_agent mock`

// #endregion

export { chat };
