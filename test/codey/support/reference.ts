import { CodeyClient, type CodeyClientEvents, type CodeyClientOptions } from "agentwire/codey";
import { codeyTool, ManualClock, type MockCodeyOptions, MockCodeyServer } from "agentwire/testing";

/** A mock server and a client of it, on a clock that the test drives; both are closed at the end of the scope. */
export async function pair(mock: MockCodeyOptions = {}, options: Partial<CodeyClientOptions> = {}) {
  const server = await MockCodeyServer.start(mock);
  const clock = new ManualClock();
  const client = new CodeyClient({ url: server.url, clock, ...options });
  return {
    server,
    client,
    clock,
    async [Symbol.asyncDispose]() {
      await server.stop(); // first: the real server does not answer a Close
      await client.close();
    },
  };
}

/** Resolves when `client` next emits `name`, with the first argument of the event. */
export function once<Name extends keyof CodeyClientEvents & string>(
  client: CodeyClient,
  name: Name,
): Promise<CodeyClientEvents[Name][0]> {
  return new Promise((resolve) => {
    const off = client.on(name, (...values) => {
      off();
      resolve(values[0]);
    });
  });
}

/** Resolves when the turn next wants a decision, with the call. */
export function asked(turn: ReturnType<CodeyClient["prompt"]>) {
  return new Promise<{ readonly id: string; readonly name: string }>((resolve) => {
    turn.on("approval", resolve);
  });
}

/** The types of the client's messages, in order. */
export const sent = (server: MockCodeyServer): string[] => server.received.map(({ message }) => message.type);

export const ls = codeyTool.shell("ls", "a.txt\n");
