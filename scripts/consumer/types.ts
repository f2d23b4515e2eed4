/**
 * What users write against the public types. `npm run check -- declarations` compiles it against the packed
 * package; it is never run. Every `@ts-expect-error` proves that a type is more than `any`.
 */
import {
  type AgentClient,
  type AgentwireError,
  ConnectionLostError,
  InvalidInputError,
  isAgentwireError,
  type Turn,
  type TurnResult,
} from "agentwire";
import {
  CodebuffClient,
  type CodebuffClientEvents,
  type CodebuffClientOptions,
  type CodebuffEvent,
  type CodebuffPromptInput,
  type CodebuffPromptOptions,
  type CodebuffResult,
  CodebuffTurnError,
} from "agentwire/codebuff";

const controller = new AbortController();
const options: CodebuffClientOptions = {
  url: () => new URL("ws://127.0.0.1:8000/ws"),
  signal: controller.signal,
  logger: console,
  reconnect: { maxAttempts: 3 },
};
// The platform's own class fits where a class can be given.
const clients: readonly CodebuffClient[] = [
  new CodebuffClient(options),
  new CodebuffClient({ ...options, WebSocket }),
  new CodebuffClient({ ...options, createWebSocket: (url) => new WebSocket(url) }),
];

/** A UI that does not care which protocol it shows. */
async function show<Event, Result extends TurnResult>(turn: Turn<Event, Result>): Promise<string> {
  let shown = "";
  for await (const text of turn.textStream) shown += text;
  const outcome = await turn.outcome;
  switch (outcome.status) {
    case "completed":
      return outcome.result.text;
    case "cancelled":
      return `${shown} (${outcome.by})`;
    case "failed":
      return `${outcome.partial.text} ${outcome.error.code}`;
  }
}

function describe(event: CodebuffEvent): string {
  switch (event.type) {
    case "response-chunk":
      return event.text;
    case "prompt-response":
      return event.promptId;
    case "tool-call-request":
      return event.toolName;
    case "message-cost-response":
      return `${event.credits} credits`;
    default:
      return event.userInputId;
  }
}

function advise(error: unknown): string {
  if (error instanceof CodebuffTurnError) return `${error.promptId}: ${error.serverMessage}`;
  if (error instanceof ConnectionLostError) return error.delivery ?? "before anything was sent";
  if (error instanceof InvalidInputError) return error.hint;
  if (isAgentwireError(error, "handshake-refused")) return error.reason;
  if (isAgentwireError(error)) return error.retryable ? "try again" : error.code;
  throw error;
}

export async function main(client: CodebuffClient): Promise<readonly string[]> {
  const said: string[] = [];
  try {
    await client.connect({ signal: controller.signal });
    const stop = client.on("status", (status) => said.push(typeof status));
    const turn = client.prompt("What is in this repository?", { timeout: 60_000, signal: controller.signal });
    for await (const event of turn) said.push(describe(event));
    const result: CodebuffResult = await turn.result;
    said.push(result.text, await show(turn));
    const conversation = client.conversation();
    said.push(await show(conversation.prompt("And then?")));
    stop();
  } catch (error) {
    said.push(advise(error));
  } finally {
    await client.close({ drainTimeout: 1_000 });
    await client[Symbol.asyncDispose]();
  }
  return said;
}

export const disposable: AsyncDisposable | undefined = clients[0];
export const failure = (error: AgentwireError): string => `${error.name}: ${error.message}`;
/** Every client fits the type that a UI is written against. */
export const general = (
  client: CodebuffClient,
): AgentClient<
  CodebuffEvent,
  CodebuffResult,
  CodebuffPromptOptions,
  CodebuffPromptInput,
  CodebuffClientEvents
> => client;

// @ts-expect-error A client needs a URL.
new CodebuffClient({});
// @ts-expect-error An option that does not exist is a mistake.
new CodebuffClient({ ...options, retries: 3 });
// @ts-expect-error There is no such event.
clients[0]?.on("chunk", () => {});
// @ts-expect-error A result is not the text itself.
export const text: string | undefined = clients[0]?.prompt("hello").result;
