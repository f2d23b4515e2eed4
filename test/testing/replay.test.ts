import { describe, expect, test } from "vitest";
import { RawClient } from "./mock-codebuff-raw-client.ts";
import { c2s, close, open, replayOf, s2c } from "./replay-support.ts";

describe("a replay replaces ids that the client chose differently", () => {
  const prompt = (txid: number, promptId: string) =>
    `{"type":"action","txid":${txid},"data":{"type":"prompt","promptId":"${promptId}"}}`;
  const identify = (id: string) => `{"type":"identify","txid":3,"clientSessionId":"${id}"}`;

  test.each([
    ["a txid", '{"type": "ack", "txid": 1, "success": true}', '{"type": "ack", "txid": 77, "success": true}'],
    ["a prompt's id", '{"data":{"promptId":"p-1","a":1}}', '{"data":{"promptId":"our \\"id\\"","a":1}}'],
    [
      "a prompt's id under the name `userInputId`",
      '{"data" : {"userInputId" : "p-1"}}',
      '{"data" : {"userInputId" : "our \\"id\\""}}',
    ],
    [
      "an id derived from a prompt's id",
      '{"data":{"userInputId":"p-1-file-picker-9"}}',
      '{"data":{"userInputId":"our \\"id\\"-file-picker-9"}}',
    ],
    ["an id with an escape", '{"data":{"promptId":"\\u0070-1"}}', '{"data":{"promptId":"our \\"id\\""}}'],
    [
      "a frame that is not valid JSON",
      '{"balance":Infinity,"data":{"promptId":"p-1","x":NaN',
      '{"balance":Infinity,"data":{"promptId":"our \\"id\\"","x":NaN',
    ],
  ])("%s", async (_, recorded, expected) => {
    await using replayer = await replayOf([[open, c2s(prompt(1, "p-1")), s2c(recorded)]]);
    using client = await RawClient.connect(replayer.url);
    client.send(prompt(77, 'our \\"id\\"'));
    expect(await client.next()).toBe(expected);
  });

  test.each([
    ["an unknown id", '{"data":{"promptId":"p-9"},"txid":9}'],
    ["an id that only starts with a known id", '{"data":{"promptId":"p-10"}}'],
    ["the same text under another member name", '{"data":{"chunk":"p-1","n":1}}'],
    ["a deeper member, which is content", '{"data":{"sessionState":{"promptId":"p-1","txid":1}}}'],
    ["the content of a string", '{"data":{"chunk":"{\\"promptId\\":\\"p-1\\"}"}}'],
    ["a value without a name", '{"data":["promptId","p-1"]}'],
    ["text that is not JSON", "promptId: p-1, txid: 1"],
    ["spaces and escapes", '{ "data" :\t{ "x" : "\\u00e9\\/" , "txid" : 1.0e3 } }'],
  ])("but changes nothing else: %s", async (_, recorded) => {
    await using replayer = await replayOf([[open, c2s(prompt(1, "p-1")), s2c(recorded)]]);
    using client = await RawClient.connect(replayer.url);
    client.send(prompt(77, "ours"));
    expect(await client.next()).toBe(recorded);
  });

  test("several at a time, each with its own id", async () => {
    const both = '{"data":{"promptId":"b"}},{"data":{"promptId":"a"}}';
    await using replayer = await replayOf([[open, c2s(prompt(1, "a")), c2s(prompt(2, "b")), s2c(both)]]);
    using client = await RawClient.connect(replayer.url);
    client.send(prompt(11, "b"));
    client.send(prompt(12, "a"));
    expect(await client.next()).toBe('{"data":{"promptId":"a"}},{"data":{"promptId":"b"}}');
  });

  test("the outermost one, if two members have the same name", async () => {
    const twice = (outer: number, inner: number) => `{"txid":${outer},"data":{"txid":${inner}}}`;
    await using replayer = await replayOf([[open, c2s(twice(1, 2)), s2c('{"txid":1}')]]);
    using client = await RawClient.connect(replayer.url);
    client.send(twice(7, 8));
    expect(await client.next()).toBe('{"txid":7}');
  });

  test("the session id, also in the refusal that names it", async () => {
    const refused = (id: string) =>
      `{"type": "ack", "success": false, "error": "Session ID ${id} is already in use"}`;
    await using replayer = await replayOf([[open, c2s(identify("dup")), s2c(refused("dup"))]]);
    using client = await RawClient.connect(replayer.url);
    client.send(identify("mine"));
    expect(await client.next()).toBe(refused("mine"));
  });

  test("those of another protocol, by the option `ids`", async () => {
    const chat = (id: string) => `{"type":"chat","conversation_id":"${id}"}`;
    await using replayer = await replayOf([[open, c2s(chat("x")), s2c(chat("x"))]], {
      ids: ["conversation_id"],
    });
    using client = await RawClient.connect(replayer.url);
    client.send(chat("y"));
    expect(await client.next()).toBe(chat("y"));
  });
});

describe("the client's side of a replay", () => {
  test("does not need messages selected by `unsent`: their replies come after `goOn()`", async () => {
    const lines = [open, c2s("garbage"), s2c("refused"), c2s("ping"), s2c("pong")];
    await using replayer = await replayOf([lines], { unsent: (raw) => raw === "garbage" });
    using client = await RawClient.connect(replayer.url);
    client.send("ping");
    await replayer.waitFor(({ connections: [played] }) => played?.received.length === 1);
    expect(replayer.connections[0]?.over).toBe(false);
    replayer.goOn();
    expect(await client.take(2)).toEqual(["refused", "pong"]);
  });

  test("may send messages selected by `ignore`, which are recorded but answer nothing", async () => {
    await using replayer = await replayOf([[open, c2s("a"), s2c("A"), c2s("b"), s2c("B")]], {
      ignore: (raw) => raw === "ping",
    });
    using client = await RawClient.connect(replayer.url);
    for (const raw of ["ping", "ping"]) client.send(raw);
    await replayer.waitFor(({ connections: [played] }) => played?.received.length === 2);
    expect(replayer.connections[0]?.over).toBe(false);
    for (const raw of ["a", "b"]) client.send(raw);
    await client.take(2);
    expect(client.received).toEqual(["A", "B"]);
    expect(replayer.connections[0]?.received).toEqual(["ping", "ping", "a", "b"]);
    expect(replayer.connections[0]?.over).toBe(true);
  });

  test("gets the next recorded connection for each of its own, and no messages for an extra one", async () => {
    const connections = ["one", "two", "three"].map((raw) => [open, s2c(raw)]);
    await using replayer = await replayOf(connections, { connections: [3, 1, 1] });
    for (const said of ["three", "one", "one"]) {
      using client = await RawClient.connect(replayer.url);
      expect(await client.next()).toBe(said);
    }
    using client = await RawClient.connect(replayer.url);
    client.send("hello?");
    await replayer.waitFor(({ connections }) => connections[3]?.received.length === 1);
    expect(client.received).toEqual([]);
  });

  test("receives binary messages with the recorded bytes", async () => {
    const said = [s2c("é", { binary: "utf8" }), s2c("/w==", { binary: "base64" }), s2c("text")];
    const lines = [open, c2s("go"), ...said];
    await using replayer = await replayOf([lines]);
    using client = await RawClient.connect(replayer.url);
    const heard: [string, boolean][] = [];
    const three = new Promise<void>((resolve) => {
      client.socket.on("message", (data: Buffer, binary: boolean) => {
        if (heard.push([data.toString("hex"), binary]) === 3) resolve();
      });
    });
    client.send("go");
    await three;
    expect(heard).toEqual([
      ["c3a9", true],
      ["ff", true],
      ["74657874", false],
    ]);
  });
});

describe("the end of a replay", () => {
  test.each([
    [close(1012, { reason: "restart" }), { code: 1012, reason: "restart" }],
    [close(1000, { reason: "Connection cleanup" }), { code: 1000, reason: "Connection cleanup" }],
    [close(1000, { by: "server" }), { code: 1000, reason: "" }],
    [close(1005, { by: "server" }), { code: 1005, reason: "" }],
    [close(1006, { by: "server" }), { code: 1006, reason: "" }],
    [close(1006), { code: 1006, reason: "" }],
    [close(4001), { code: 4001, reason: "" }],
  ])("%j is a server's close: the client sees %j", async (line, seen) => {
    await using replayer = await replayOf([[open, line]]);
    using client = await RawClient.connect(replayer.url);
    expect(await client.closed).toEqual(seen);
    expect(replayer.connections[0]?.over).toBe(true);
  });

  test.each([
    close(1005),
    close(1000),
    close(1000, { reason: "bye" }),
    close(1000, { reason: "Closed manually." }),
    close(1000, { reason: "Connection cleanup", by: "client" }),
    close(1006, { by: "client" }),
  ])("%j is a client's close: the connection stays open until the client closes", async (line) => {
    await using replayer = await replayOf([[open, line]]);
    using client = await RawClient.connect(replayer.url);
    await replayer.waitFor(({ connections: [played] }) => played?.over);
    await client.close(4000, "gone");
    expect(await client.closed).toEqual({ code: 4000, reason: "gone" });
    await replayer.waitFor(({ connections: [played] }) => played?.closed?.code === 4000);
  });

  test("is a client's or server's close as `closedByClient` decides", async () => {
    const closedByClient = ({ reason }: { readonly reason: string }) => reason !== "bye";
    await using replayer = await replayOf([[open, close(1000, { reason: "bye" })]], { closedByClient });
    using client = await RawClient.connect(replayer.url);
    expect(await client.closed).toEqual({ code: 1000, reason: "bye" });
  });

  test("rejects pending waits and cuts the connections if the replayer stops", async () => {
    const replayer = await replayOf([[open]]);
    using client = await RawClient.connect(replayer.url);
    const never = replayer.waitFor(() => false);
    await Promise.all([replayer.stop(), replayer.stop()]);
    await expect(never).rejects.toThrow("The replayer has stopped");
    await expect(replayer.waitFor(() => undefined)).rejects.toThrow("The replayer has stopped");
    expect((await client.closed).code).toBe(1006);
  });
});
