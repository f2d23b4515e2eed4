// What docs/testing.md shows. Each function holds one region and gives it what it takes for granted.
import { CodebuffClient } from "agentwire/codebuff";
import { ManualClock, MockCodebuffServer, Recorder, Replayer, step, toFile } from "agentwire/testing";

export async function script(): Promise<MockCodebuffServer> {
  // #region testing-script
  const server = await MockCodebuffServer.start({
    profile: "codebuff",
    auth: (token) => (token ? "off" : "action-error"), // the mock asks for no token unless you say so
    *answer() {
      const files = yield* step.readFiles(["package.json"]);
      const [output] = yield* step.toolCall({ toolName: "get_weather", input: { city: "Oslo" } });
      yield `I read ${files["package.json"]?.length} characters, and the tool said ${JSON.stringify(output)}.`;
      yield step.cost(3);
    },
  });
  // #endregion
  return server;
}

export async function manualClock(): Promise<void> {
  // #region testing-clock
  const clock = new ManualClock();
  const server = await MockCodebuffServer.start({ answer: () => ["one", step.hang()] });
  const client = new CodebuffClient({ url: server.url, clock, settleWindow: 0 });
  const seen = new Promise((resolve) => client.on("event", resolve));
  const turn = client.prompt("hello", { idleTimeout: 5_000 });
  await seen;
  await clock.advance(5_000);
  console.log(await turn.outcome); // failed, turn-timeout
  await client.close({ force: true }); // without: waits for the server, on a clock that stands still
  await server.stop();
  // #endregion
}

export async function record(url: string): Promise<void> {
  // #region testing-record
  const recorder = new Recorder({ output: toFile("session.jsonl") });
  const client = new CodebuffClient({ url, createWebSocket: recorder.createWebSocket });
  // any other app: WebSocket: recorder.wrap(WebSocket)
  await client.prompt("hello").result; // in place of your app
  await client.close();
  await recorder.stop();
  // #endregion
}

export async function replay(): Promise<void> {
  // #region testing-replay
  const replayer = await Replayer.start({ file: "session.jsonl" }, { timing: "immediate" }); // or "recorded"
  const client = new CodebuffClient({ url: replayer.url });
  const { text } = await client.prompt("hello").result;
  console.log(text); // as it was recorded
  await client.close();
  await replayer.stop();
  // #endregion
}
