// What docs/testing.md shows. Each function holds one region and gives it what it takes for granted.
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { CodebuffClient } from "agentwire/codebuff";
import {
  acpStep,
  acpTool,
  agentStep,
  cassStep,
  FakeCodebuffCli,
  ManualClock,
  MockAcpAgent,
  MockAgent,
  MockCassServer,
  MockCodebuffServer,
  type MockCodeyServer,
  Recorder,
  Replayer,
  step,
  toFile,
} from "agentwire/testing";

export async function agent(): Promise<MockAgent> {
  // #region testing-agent
  const agent = new MockAgent();
  agent.script(function* ({ text }) {
    yield `You want to ${text}. `;
    const tool = { name: "delete_file", input: { path: "a.txt" }, approval: true, output: "deleted" };
    const { state } = yield* agentStep.tool(tool);
    yield agentStep.wait("tick"); // until the test calls agent.release("tick")
    yield state === "denied" ? "As you like." : "Done.";
  });
  const client = agent.client(); // in place of your app: a chat takes the agent itself
  const turn = client.prompt("tidy up");
  client.on("approval", ({ id }) => client.decide(id, { decision: "reject", reason: "too risky" }));
  await agent.waitFor(({ decisions }) => decisions.length === 1);
  agent.release("tick");
  console.log((await turn.result).text); // You want to tidy up. As you like.
  console.log(agent.decisions[0]?.reason); // too risky
  // #endregion
  return agent;
}

export function acpAgent(): MockAcpAgent {
  // #region testing-acp
  const agent = new MockAcpAgent({
    profile: "gemini",
    *answer({ text }) {
      yield acpStep.thought(`the user said: ${text}`);
      yield "Let me look. ";
      const [ls] = yield* acpStep.calls(acpTool.shell("ls", "a.txt\n"));
      yield ls?.state === "rejected" ? "As you like." : "One file.";
    },
  });
  // #endregion
  return agent;
}

export async function script(): Promise<MockCodebuffServer> {
  // #region testing-script
  const server = await MockCodebuffServer.start({
    profile: "codebuff",
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

export async function codeyDecision(server: MockCodeyServer): Promise<void> {
  // #region testing-codey-decision
  const { callId, approved, connection } = await server.nextDecision(); // your app is at work
  console.log(callId, approved); // toolu_1 true
  connection.drop(); // and what does it do now?
  await server.waitFor(({ connections }) => connections.length === 2); // it has come back
  server.set({ frozen: "midSession" }); // switches can be thrown at any time
  console.log(server.violations, server.sessions);
  // #endregion
}

export async function cass(): Promise<MockCassServer> {
  // #region testing-cass
  const server = await MockCassServer.start({
    *answer({ message }) {
      yield "Let me check. <gesture:point>";
      yield cassStep.tools({ name: "recall_journal", input: { days: 7 } });
      yield `You said "${message}". <emote:happy:0.8>`;
      yield cassStep.usage({ input_tokens: 900, output_tokens: 40 });
    },
  });
  const { userId, accessToken, refreshToken } = server.addUser();
  console.log(server.url, server.httpUrl); // ws://127.0.0.1:PORT/ws, http://127.0.0.1:PORT/
  // #endregion
  console.log(userId, accessToken, refreshToken);
  return server;
}

export async function fakeCli(): Promise<void> {
  // #region testing-cli
  const cli = await FakeCodebuffCli.start({
    events: [
      { type: "start", messageHistoryLength: 0 },
      { type: "text", text: "Hello" },
      { type: "finish", totalCost: 3 },
    ],
  });
  const child = spawn(cli.command, [...cli.args, "--stream-json", "--", "say hello"], {
    env: { ...process.env, ...cli.env },
    stdio: ["ignore", "pipe", "inherit"],
  }); // in place of your app
  for await (const line of createInterface({ input: child.stdout })) console.log(line);
  const { argv, prompt, end } = await cli.nextRun("ended");
  console.log(argv, prompt, end?.code); // [ '--stream-json', '--', 'say hello' ] say hello 0
  await cli.stop();
  // #endregion
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
  await client.close({ force: true }); // the clock stands still
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
