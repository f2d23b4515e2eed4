import { createServer } from "node:net";
import { CodebuffClient, isAgentwireError } from "agentwire";
import {
  acpStep,
  cassStep,
  codeyStep,
  codeyTool,
  FakeCodebuffCli,
  ManualClock,
  MockAcpAgent,
  MockCass,
  MockCassServer,
  MockCodebuff,
  MockCodebuffServer,
  MockCodey,
  MockCodeyServer,
  Recorder,
  Replayer,
  step,
  type ToolCallRequest,
} from "agentwire/testing";
import { describe, expect, test } from "vitest";
import { RawCass } from "./mock-cass-raw-client.ts";
import { RawClient } from "./mock-codebuff-raw-client.ts";

/** What a program in JavaScript may write, past what the compiler refuses. */
function misspelt<Fields extends object>(fields: object): Fields {
  return fields as Fields;
}

/** The error of a call that is refused, at once or by its promise. */
async function refusalOf(call: () => unknown): Promise<Error> {
  try {
    await call();
  } catch (error) {
    expect(isAgentwireError(error, "invalid-input")).toBe(true);
    expect(error).toBeInstanceOf(TypeError);
    return error as Error;
  }
  throw new Error("It was not refused");
}

const LINES = ['{"ms":0,"conn":1,"ev":"open"}'];
const cass = () => new MockCass();

const MISSPELT: readonly { readonly title: string; readonly call: () => unknown; readonly says: string }[] = [
  {
    title: "MockCodebuffServer.start({ prot })",
    call: () => MockCodebuffServer.start(misspelt({ prot: 8123 })),
    says: "option `prot` does not exist. Did you mean `port`?",
  },
  {
    title: "MockCodeyServer.start({ prot })",
    call: () => MockCodeyServer.start(misspelt({ prot: 8123 })),
    says: "option `prot` does not exist. Did you mean `port`?",
  },
  {
    title: "MockCassServer.start({ prot })",
    call: () => MockCassServer.start(misspelt({ prot: 8123 })),
    says: "option `prot` does not exist. Did you mean `port`?",
  },
  {
    title: "new MockCodebuff({ scheduleing })",
    call: () => new MockCodebuff(misspelt({ scheduleing: "fifo" })),
    says: "option `scheduleing` does not exist. Did you mean `scheduling`?",
  },
  {
    title: "new MockCodebuff({ port }), which has no port",
    call: () => new MockCodebuff(misspelt({ port: 8123 })),
    says: "option `port` does not exist. These exist: profile, clock, answer, ",
  },
  {
    title: "a switch of the heartbeat",
    call: () => new MockCodebuff(misspelt({ heartbeat: { timout: 1 } })),
    says: "option `heartbeat.timout` does not exist. Did you mean `timeout`?",
  },
  {
    title: "an oddity",
    call: () => new MockCodebuff(misspelt({ oddities: { duplicateAck: true } })),
    says: "option `oddities.duplicateAck` does not exist. Did you mean `duplicateAcks`?",
  },
  {
    title: "new MockCodey({ cancelReplies })",
    call: () => new MockCodey(misspelt({ cancelReplis: "both" })),
    says: "option `cancelReplis` does not exist. Did you mean `cancelReply`?",
  },
  {
    title: "a switch set on the Codey mock",
    call: () => new MockCodey().set(misspelt({ frosen: "off" })),
    says: "switch `frosen` does not exist. Did you mean `frozen`?",
  },
  {
    title: "new MockCass({ pingDelay })",
    call: () => new MockCass(misspelt({ pingDelay: 1 })),
    says: "option `pingDelay` does not exist. Did you mean `pongDelay`?",
  },
  {
    title: "a route of restStatus",
    call: () => new MockCass(misspelt({ restStatus: { "POST /auth/refesh": 503 } })),
    says: "option `restStatus.POST /auth/refesh` does not exist. Did you mean `POST /auth/refresh`?",
  },
  {
    title: "a switch set on the Cass mock",
    call: () => cass().set(misspelt({ deth: "off" })),
    says: "switch `deth` does not exist. Did you mean `death`?",
  },
  {
    title: "a field of a user",
    call: () => cass().addUser(misspelt({ userID: "u" })),
    says: "field `userID` does not exist. Did you mean `userId`?",
  },
  {
    title: "an option of a token",
    call: () => cass().issueToken("u", misspelt({ lifeTime: 1 })),
    says: "option `lifeTime` does not exist. Did you mean `lifetime`?",
  },
  {
    title: "a field of a conversation",
    call: () => cass().addConversation(misspelt({ titel: "t" })),
    says: "field `titel` does not exist. Did you mean `title`?",
  },
  {
    title: "new MockAcpAgent({ secondPromt })",
    call: () => new MockAcpAgent(misspelt({ secondPromt: "queue" })),
    says: "option `secondPromt` does not exist. Did you mean `secondPrompt`?",
  },
  {
    title: "a switch set on the ACP mock",
    call: () => new MockAcpAgent().set(misspelt({ canel: "ends" })),
    says: "switch `canel` does not exist. Did you mean `cancel`?",
  },
  {
    title: "a field of acpStep.calls()",
    call: () => acpStep.calls(misspelt({ title: "t", diff: { pth: "a" } })),
    says: "field of the step `diff.pth` does not exist. Did you mean `path`?",
  },
  {
    title: "a profile",
    call: () => new MockCodebuff(misspelt({ profile: "proxi" })),
    says: "profile `proxi` does not exist. Did you mean `proxy`?",
  },
  {
    title: "a field of step.respond()",
    call: () => step.respond(misspelt({ sesionState: {} })),
    says: "field of the step `sesionState` does not exist. Did you mean `sessionState`?",
  },
  {
    title: "a field of step.toolCall()",
    call: () => step.toolCall(misspelt<ToolCallRequest>({ toolName: "t", inputs: {} })),
    says: "field of the step `inputs` does not exist. Did you mean `input`?",
  },
  {
    title: "a field of cassStep.tools()",
    call: () => cassStep.tools(misspelt({ name: "t", sucess: false })),
    says: "field of the step `sucess` does not exist. Did you mean `success`?",
  },
  {
    title: "a field of codeyStep.calls()",
    call: () => codeyStep.calls(codeyTool.shell("ls", "", misspelt({ filters: "allow" }))),
    says: "field of the step `filters` does not exist. Did you mean `filter`?",
  },
  {
    title: "an option of a ManualClock",
    call: () => new ManualClock(misspelt({ epoh: 0 })),
    says: "option `epoh` does not exist. Did you mean `epoch`?",
  },
  {
    title: "an option of a Recorder",
    call: () => new Recorder(misspelt({ output: () => {}, secret: [] })),
    says: "option `secret` does not exist. Did you mean `secrets`?",
  },
  {
    title: "an option of a Replayer",
    call: () => Replayer.start({ lines: LINES }, misspelt({ timming: "recorded" })),
    says: "option `timming` does not exist. Did you mean `timing`?",
  },
  {
    title: "a switch of FakeCodebuffCli",
    call: () => FakeCodebuffCli.start(misspelt({ ecoPrompt: true })),
    says: 'there is no switch "ecoPrompt" (Did you mean `echoPrompt`?)',
  },
  {
    title: "a name without a similar valid name",
    call: () => new MockCodey(misspelt({ ["x".repeat(10_000)]: 1 })),
    says: `option \`${"x".repeat(100)}\` does not exist. These exist: `,
  },
];

describe("an unknown name is refused, with a suggestion", () => {
  test.each(MISSPELT)("$title", async ({ call, says }) => {
    expect((await refusalOf(call)).message).toContain(says);
  });

  test("in one turn's answer: all waits of the mock fail, and stop() fails", async () => {
    const server = await MockCassServer.start({
      answer: () => ({ switches: misspelt({ emptyTekst: true }), script: ["Hi"] }),
    });
    using client = await RawCass.connected(server);
    client.chat("hi");
    await client.closed;
    const says = "switch `emptyTekst` does not exist. Did you mean `emptyText`?";
    expect((await refusalOf(() => server.waitFor(() => false))).message).toContain(says);
    expect((await refusalOf(() => server.stop())).message).toContain(says);
  });

  test("in the result of perConnection", async () => {
    const server = await MockCassServer.start({ perConnection: () => misspelt({ conected: "none" }) });
    using _client = await RawCass.connected(server);
    const says = "switch `conected` does not exist. Did you mean `connected`?";
    expect((await refusalOf(() => server.stop())).message).toContain(says);
  });

  test("in a late step of a script: the client gets the prompt-error of a script that throws", async () => {
    const server = await MockCodebuffServer.start({
      *answer() {
        yield "Hi";
        yield step.promptError(misspelt({ mesage: "no" }));
      },
    });
    using client = await RawClient.identified(server.url);
    client.prompt(1, "p-1");
    const says = "field of the step `mesage` does not exist. Did you mean `message`?";
    expect((await client.untilTerminal("p-1")).at(-1)).toContain("Did you mean `message`?");
    expect((await refusalOf(() => server.stop())).message).toContain(says);
  });

  test("in a fault: how a frame is broken, and its pace", async () => {
    await using server = await MockCodebuffServer.start();
    using _client = await RawClient.identified(server.url);
    const { faults } = await server.nextConnection();
    const kind = await refusalOf(() => faults.malformed("bad-utf-8" as "bad-utf8"));
    expect(kind.message).toContain("Did you mean `bad-utf8`?");
    const pace = await refusalOf(() => faults.dripFeed(misspelt({ byte: 1 })));
    expect(pace.message).toContain("Did you mean `bytes`?");
  });
});

const SERVERS = [
  { name: "MockCodebuffServer", start: (port = 0) => MockCodebuffServer.start({ port }) },
  { name: "MockCodeyServer", start: (port = 0) => MockCodeyServer.start({ port }) },
  { name: "MockCassServer", start: (port = 0) => MockCassServer.start({ port }) },
  { name: "Replayer", start: (port = 0) => Replayer.start({ lines: LINES }, { port }) },
] as const;

/** A port that was free a moment ago. */
async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (typeof address !== "object" || address === null) throw new Error("No port");
  return address.port;
}

describe.each(SERVERS)("$name.start({ port })", ({ start }) => {
  test("listens on that port, and frees it on stop()", async () => {
    const port = await freePort();
    for (const _round of [1, 2]) {
      await using server = await start(port);
      expect(new URL(server.url).port).toBe(String(port));
    }
  });

  test("listens on a free port by default", async () => {
    await using one = await start();
    await using other = await start();
    expect(one.url).not.toBe(other.url);
  });

  test("refuses a port in use", async () => {
    await using server = await start();
    const port = Number(new URL(server.url).port);
    const { message } = await refusalOf(() => start(port));
    expect(message).toBe(
      `Port ${port} of 127.0.0.1 is in use. Stop the server that has it, or leave \`port\` out for one that is free.`,
    );
  });

  test.each([-1, 65_536, 1.5, Number.NaN])("refuses %s", async (port) => {
    expect((await refusalOf(() => start(port))).message).toContain("`port` is no port.");
  });
});

describe("a wrong script", () => {
  test.each([
    [
      "a step function that was not called",
      () => ["one", step.hang],
      "step 2 of the script is no step. Call it",
    ],
    ["a number", () => [3], "step 1 of the script is no step. Pass text"],
    ["a promise", async () => ["one"], "the answer is a promise, which is no list of steps"],
    ["nothing", () => undefined, "the answer is undefined, which is no list of steps"],
  ])("with %s fails its prompt and the mock", async (_, answer, says) => {
    // Plain JavaScript gives such scripts; types would refuse them.
    const server = await MockCodebuffServer.start({ answer: answer as never });
    const client = new CodebuffClient({ url: server.url });
    expect(await client.prompt("hello").outcome).toMatchObject({
      status: "failed",
      error: { message: expect.stringContaining(says) },
    });
    await client.close();
    await expect(server.stop()).rejects.toThrow(says);
  });
});
