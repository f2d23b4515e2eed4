// What a user's test may write against `agentwire/testing`. It is compiled, never run.
import { CodebuffClient } from "agentwire/codebuff";
import {
  type Answer,
  acpStep,
  acpTool,
  FakeCodebuffCli,
  type FakeCodebuffRecord,
  type FakeCodebuffScenario,
  ManualClock,
  MockAcpAgent,
  type MockAcpAnswer,
  MockCodebuff,
  MockCodebuffServer,
  Recorder,
  Replayer,
  step,
} from "agentwire/testing";

const withTools: Answer = function* ({ promptId }) {
  yield "Hello ";
  const output = yield* step.toolCall({ toolName: "act", input: { promptId } });
  yield JSON.stringify(output);
  const files = yield* step.readFiles(["a.txt"]);
  yield files["a.txt"] ?? "nothing";
};

const patient: Answer = async function* (_prompt, { signal }) {
  if (!signal.aborted) yield step.delay(10);
};

const withCalls: MockAcpAnswer = function* ({ text }) {
  const [call] = yield* acpStep.calls(acpTool.shell(text));
  yield call?.output ?? "";
};

export async function testAgent(): Promise<ReadableStream<Uint8Array>> {
  await using agent = new MockAcpAgent({ profile: "gemini", answer: withCalls });
  const { command } = await agent.program();
  agent.answer = [command, acpStep.die({ exit: 1 })];
  return agent.connect().readable;
}

export async function test(): Promise<readonly string[]> {
  const server = await MockCodebuffServer.start({ profile: "codebuff", answer: withTools });
  const mock = new MockCodebuff({ clock: new ManualClock(), answer: patient });
  const lines: string[] = [];
  const recorder = new Recorder({ output: (line) => lines.push(line) });
  const client = new CodebuffClient({ url: server.url, createWebSocket: recorder.createWebSocket });
  server.answer = () => ["one", step.promptError({ message: "no" })];
  await client.close();
  await recorder.stop();
  const replayer = await Replayer.start({ lines });
  await Promise.all([replayer.stop(), mock.stop(), server.stop()]);
  return server.violations.map(({ kind }) => kind);
}

const scenario: FakeCodebuffScenario = {
  profile: "fork",
  events: { byPrompt: { hi: [{ type: "text", text: "hi" }, "chunk", { hold: "go" }] } },
  exit: { code: 1 },
};

export async function testCli(): Promise<FakeCodebuffRecord> {
  const cli = await FakeCodebuffCli.start(scenario);
  cli.set({ exit: undefined, flood: "endless" });
  cli.release("go");
  const record = await cli.nextRun("ended");
  await cli.stop();
  return record;
}
