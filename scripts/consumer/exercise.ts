/**
 * A user's program against the installed package: one turn with the shipped mock server, through every
 * entry, and one run of each shipped program. `npm run check -- package` runs it as an ES module and as CommonJS; it prints what is wrong.
 */
import { execFile } from "node:child_process";
import { createRequire } from "node:module";
import { promisify } from "node:util";
import * as root from "agentwire";
import * as codebuff from "agentwire/codebuff";
import { contentPartSchema } from "agentwire/schemas";
import { FakeCodebuffCli, MockAcpAgent, MockCodebuffServer } from "agentwire/testing";

function thrownBy(call: () => unknown): unknown {
  try {
    call();
  } catch (error) {
    return error;
  }
  return undefined;
}

async function exercise(): Promise<string[]> {
  const complaints: string[] = [];
  const expect = (holds: boolean, complaint: string) => {
    if (!holds) complaints.push(complaint);
  };
  expect(
    root.CodebuffClient === codebuff.CodebuffClient,
    "agentwire and agentwire/codebuff hold two copies of CodebuffClient",
  );

  expect(contentPartSchema.safeParse({ type: "text", text: "" }).success, "a schema refuses a part");

  const server = await MockCodebuffServer.start();
  const client = new codebuff.CodebuffClient({ url: server.url });
  try {
    const mistake = thrownBy(() => client.prompt(" "));
    expect(
      mistake instanceof root.InvalidInputError && mistake instanceof root.AgentwireError,
      `an error of agentwire/codebuff is no instance of agentwire's class: ${String(mistake)}`,
    );
    // In one process, a dependency may load the other format: that is a second copy, with classes of its own.
    const commonJs: typeof root = createRequire(`${process.cwd()}/`)("agentwire");
    for (const copy of [root, commonJs]) {
      expect(
        copy.isAgentwireError(mistake, "invalid-input"),
        "isAgentwireError does not know an error of another copy",
      );
    }

    const turn = client.prompt("hello");
    let streamed = "";
    for await (const text of turn.textStream) streamed += text;
    const { text } = await turn.result;
    expect(streamed !== "", "a turn with the mock server streamed no text");
    expect(
      streamed === text,
      `streamed ${JSON.stringify(streamed)}, but the result is ${JSON.stringify(text)}`,
    );
  } finally {
    await client.close();
    await server.stop();
  }

  const cli = await FakeCodebuffCli.start({ echoPrompt: true });
  try {
    const argv = [...cli.args, "--stream-json", "--", "-x"];
    const { stdout } = await promisify(execFile)(cli.command, argv, { env: { ...process.env, ...cli.env } });
    expect(stdout.includes('"text":"-x"'), `the fake CLI printed ${JSON.stringify(stdout)}`);
  } finally {
    await cli.stop();
  }

  const agent = new MockAcpAgent();
  try {
    const { command, args, env } = await agent.program();
    const running = promisify(execFile)(command, [...args], { env });
    const params = { protocolVersion: 1 };
    running.child.stdin?.end(`${JSON.stringify({ jsonrpc: "2.0", id: 0, method: "initialize", params })}\n`);
    const { stdout } = await running;
    expect(stdout.includes('"agentCapabilities"'), `the ACP agent printed ${JSON.stringify(stdout)}`);
  } finally {
    await agent.stop();
  }
  return complaints;
}

exercise().then(
  (complaints) => console.log(JSON.stringify(complaints)),
  (error: unknown) => {
    console.error(error);
    process.exitCode = 1;
  },
);
