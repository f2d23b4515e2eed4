// `agentwire tap`, and the recordings that it writes, played by `agentwire mock`.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { type AddressInfo, connect, createServer as createTcpServer, type Socket } from "node:net";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { CassClient } from "agentwire/cass";
import { CodebuffClient } from "agentwire/codebuff";
import { CodeyClient } from "agentwire/codey";
import {
  cassStep,
  codeyStep,
  codeyTool,
  MockCassServer,
  MockCodebuffServer,
  MockCodeyServer,
  parseRecording,
  step,
} from "agentwire/testing";
import { describe, expect, test } from "vitest";
import { WebSocket, WebSocketServer } from "ws";
import { lives } from "../../src/process/started.ts";
import { agentwire, emptyFolder, linesOf, talkingTo } from "./support/program.ts";
import { programFile } from "./support/program-file.ts";

/** The program as a command behind `--`. */
const AGENTWIRE = [process.execPath, programFile()];

interface Ready {
  readonly url: string;
  readonly out: string;
}

async function running(...args: readonly string[]) {
  const child = talkingTo(args);
  const [ready] = linesOf<Ready>(await child.until("\n"));
  if (ready?.url === undefined) throw new Error(`it is not ready: ${child.text}`);
  return { child, ...ready };
}

/** Has a client talk through a tap, and then with the mock that plays the recording. Returns what both heard. */
async function roundTrip(kind: string, to: string, talk: (url: string) => Promise<unknown>) {
  await using folder = await emptyFolder();
  const out = join(folder.path, "recording.jsonl");
  const tap = await running("tap", "--to", to, "--out", out);
  await using _tap = tap.child;
  const real = await talk(tap.url);
  await tap.child.until("closed by the");
  tap.child.terminate();
  expect(await tap.child.exitCode()).toBe(0);
  const mock = await running("mock", kind, "--script", out);
  await using _mock = mock.child;
  return { real, played: await talk(mock.url), recording: await readFile(out, "utf8") };
}

describe("a recording of a tap is played by the mock", () => {
  test("of codebuff, with a tool that the server asks for", async () => {
    await using server = await MockCodebuffServer.start({
      profile: "codebuff",
      *answer() {
        yield "The weather: ";
        const output = yield* step.toolCall({ toolName: "get_weather", input: { city: "Oslo" } });
        yield JSON.stringify(output);
      },
    });
    const { real, played, recording } = await roundTrip("codebuff", server.url, async (url) => {
      const tools = { get_weather: () => [{ type: "json" as const, value: "rain" }] };
      const client = new CodebuffClient({ url, authToken: "s3cr3t-token", tools });
      const { text } = await client.prompt("weather?").result;
      await client.close();
      return text;
    });
    expect(real).toContain("rain");
    expect(played).toBe(real);
    expect(recording).toContain("[redacted]");
    expect(recording).not.toContain("s3cr3t-token");
  });

  test("of codey, with an approval and the link cut at its end", async () => {
    await using server = await MockCodeyServer.start({
      *answer() {
        const [ls] = yield* codeyStep.calls(codeyTool.shell("ls", "a.txt\n"));
        yield `It was ${ls?.state}.`;
        yield codeyStep.drop();
      },
    });
    const { real, played, recording } = await roundTrip("codey", server.url, async (url) => {
      const client = new CodeyClient({ url, onToolApproval: () => true });
      const turn = client.prompt("list");
      const outcome = await turn.outcome;
      await client.close({ force: true });
      return {
        text: turn.text,
        status: outcome.status,
        code: outcome.status === "failed" && outcome.error.code,
      };
    });
    expect(real).toMatchObject({ text: "It was completed.", status: "failed" });
    expect(played).toEqual(real);
    expect(parseRecording(recording).at(-1)).toMatchObject({ ev: "close", code: 1006, by: "server" });
  });

  test("of cass, with its token in a frame, and calls over HTTP that pass", async () => {
    await using server = await MockCassServer.start({
      *answer({ message }) {
        yield cassStep.tools("recall_journal");
        yield `You said "${message}". Grüße! <gesture:nod>`;
      },
    });
    const { accessToken: token } = server.addUser();
    const { real, played, recording } = await roundTrip("cass", server.url, async (url) => {
      const client = new CassClient({ url, token });
      const { text } = await client.prompt("ahoy").result;
      await client.close();
      return text;
    });
    expect(real).toBe('You said "ahoy". Grüße!');
    expect(played).toBe(real);
    expect(recording).not.toContain(token);
    const tap = await running("tap", "--to", server.url);
    await using _ = tap.child;
    const url = new URL("/conversations", tap.url.replace("ws:", "http:"));
    const { status } = await fetch(url, { headers: { authorization: `Bearer ${token}` } });
    expect(status).toBe(200);
    await tap.child.until("GET /conversations 200");
    expect(server.requests.at(-1)).toMatchObject({ status: 200, userId: expect.any(String) });
  });

  test("of an ACP agent on stdio, with a permission", async () => {
    await using folder = await emptyFolder();
    const script = join(folder.path, "steps.json");
    const out = join(folder.path, "recording.jsonl");
    await writeFile(
      script,
      JSON.stringify([
        "Look: ",
        { calls: [{ title: "ls", kind: "execute", command: "ls", output: "a.txt" }] },
        "done",
      ]),
    );
    const talk = (...agent: readonly string[]) =>
      agentwire([
        "chat",
        "acp",
        "-p",
        "list",
        "--allow",
        "*",
        "--output",
        "json",
        "--",
        ...AGENTWIRE,
        ...agent,
      ]);
    const tap = ["tap", "--out", out, "--", ...AGENTWIRE, "mock", "acp", "--script", script];
    const real = JSON.parse((await talk(...tap)).stdout);
    expect(real).toMatchObject({ status: "completed", text: expect.stringMatching(/^Look:\s+done$/) });
    const played = JSON.parse((await talk("mock", "acp", "--script", out)).stdout);
    expect(played).toEqual({ ...real, session: played.session });
    const lines = parseRecording(await readFile(out, "utf8"));
    expect(lines.some((line) => !line.ev && line.raw.includes("session/request_permission"))).toBe(true);
    expect(lines.at(-1)).toMatchObject({ ev: "close", by: "client" });
  });
});

/** A tap before a server of `ws`. */
async function tapped(options: ConstructorParameters<typeof WebSocketServer>[0] = {}) {
  const server = new WebSocketServer({ port: 0, host: "127.0.0.1", ...options });
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const tap = await running("tap", "--to", `ws://127.0.0.1:${port}/path`, "--json");
  return {
    ...tap,
    server,
    [Symbol.asyncDispose]: async () => {
      await tap.child[Symbol.asyncDispose]();
      for (const client of server.clients) client.terminate();
      server.close();
    },
  };
}

/** What a tap has recorded when it has ended: before that, its last lines may be on their way to the file. */
async function recordingOf({ child, out }: Awaited<ReturnType<typeof tapped>>): Promise<string> {
  child.interrupt();
  expect(await child.exitCode()).toBe(130);
  return readFile(out, "utf8");
}

describe("a tap before a server passes on", () => {
  test("path, query, headers, subprotocol, both kinds of messages, pings, and the Close with its code", async () => {
    await using tap = await tapped({ handleProtocols: () => "two" });
    const socket = new WebSocket(`${tap.url}?a=1&token=s3cr3t`, ["one", "two"], {
      headers: { "x-own": "yes", authorization: "Bearer in-a-header" },
    });
    const [[peer, request]] = (await Promise.all([once(tap.server, "connection"), once(socket, "open")])) as [
      [WebSocket, { url: string; headers: Record<string, string> }],
      unknown,
    ];
    expect(request.url).toBe("/path?a=1&token=s3cr3t");
    expect(request.headers).toMatchObject({ "x-own": "yes", host: peerHost(tap.server) });
    expect(socket.protocol).toBe("two");
    const got = once(peer, "message");
    socket.send("ahoy");
    expect(String((await got)[0])).toBe("ahoy");
    const bytes = once(socket, "message");
    peer.send(Buffer.from([0xff, 0, 1]));
    expect(await bytes).toEqual([Buffer.from([0xff, 0, 1]), true]);
    const quoted = once(socket, "message");
    peer.send("you are in-a-header");
    await quoted;
    const ping = once(peer, "ping");
    socket.ping("x");
    await Promise.all([ping, once(socket, "pong")]);
    const closed = once(socket, "close");
    peer.close(4321, "enough");
    expect((await closed).map(String)).toEqual(["4321", "enough"]);
    await tap.child.until('"ev":"close"');
    const recording = await recordingOf(tap);
    expect(parseRecording(recording)).toMatchObject([
      { ev: "open", conn: 1 },
      { dir: "c2s", raw: "ahoy" },
      { dir: "s2c", raw: Buffer.from([0xff, 0, 1]).toString("base64"), binary: "base64" },
      { dir: "s2c", raw: "you are [redacted]" },
      { ev: "close", code: 4321, reason: "enough", by: "server" },
    ]);
    expect(recording + tap.child.text).not.toContain("s3cr3t");
  });

  test("big messages in fragments, in both directions", async () => {
    await using tap = await tapped();
    const socket = new WebSocket(tap.url);
    const [[peer]] = (await Promise.all([once(tap.server, "connection"), once(socket, "open")])) as [
      [WebSocket],
      unknown,
    ];
    const big = "äb".repeat(400_000);
    const got = once(peer, "message");
    socket.send(big.slice(0, 5), { fin: false });
    socket.send(big.slice(5), { fin: true });
    expect(String((await got)[0])).toBe(big);
    const back = once(socket, "message");
    peer.send(big);
    expect(String((await back)[0])).toBe(big);
    socket.close();
    await tap.child.until('"ev":"close"');
    const raws = parseRecording(await recordingOf(tap)).flatMap((line) => (line.ev ? [] : [line.raw]));
    expect(raws).toEqual([big, big]);
  });

  test("the pace of a client that does not read", async () => {
    await using tap = await tapped();
    const client = connect(Number(new URL(tap.url).port), "127.0.0.1");
    client.write(`GET / HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n${KEY}\r\n\r\n`);
    const [peer] = (await once(tap.server, "connection")) as [WebSocket];
    client.pause();
    const piece = "x".repeat(1_000_000);
    const takesAll = async (): Promise<string> => {
      for (let sent = 0; sent < 60; sent++) await new Promise((resolve) => peer.send(piece, resolve));
      return "all was taken";
    };
    let timer: NodeJS.Timeout | undefined;
    const waits = new Promise((resolve) => {
      timer = setTimeout(resolve, 2_000, "it has to wait");
    });
    expect(await Promise.race([takesAll(), waits])).toBe("it has to wait");
    clearTimeout(timer);
    client.destroy();
    await tap.child.until('"ev":"close"');
  });

  test("a link that is cut, from either side", async () => {
    await using tap = await tapped();
    for (const side of ["client", "server"] as const) {
      const socket = new WebSocket(tap.url);
      const [[peer]] = (await Promise.all([once(tap.server, "connection"), once(socket, "open")])) as [
        [WebSocket],
        unknown,
      ];
      const closed = Promise.all([once(peer, "close"), once(socket, "close")]);
      (side === "client" ? socket : peer).terminate();
      expect((await closed).map(([code]) => code)).toEqual([1006, 1006]);
      expect(await tap.child.until('"ev":"close"').then(() => tap.child.until("\n"))).toContain(
        `"code":1006,"reason":"","by":"${side}"`,
      );
    }
  });

  test("the refusal of an upgrade, with its body", async () => {
    await using tap = await tapped({
      verifyClient: (_, answer) => answer(false, 401, "no", { "x-why": "no token" }),
    });
    const socket = new WebSocket(tap.url);
    const [, response] = await once(socket, "unexpected-response");
    expect(response).toMatchObject({ statusCode: 401, headers: { "x-why": "no token" } });
    await tap.child.until('"ev":"refused","path":"/path","status":401');
    response.destroy();
  });
});

const KEY = "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==";

const peerHost = (server: WebSocketServer): string => `127.0.0.1:${(server.address() as AddressInfo).port}`;

test("a server that nobody runs is a 502 for the client, told as ECONNREFUSED", async () => {
  await using tap = (await running("tap", "--to", "ws://127.0.0.1:1/x")).child;
  const { url } = JSON.parse(tap.text.split("\n")[0] ?? "");
  const socket = new WebSocket(url);
  const [, response] = await once(socket, "unexpected-response");
  expect(response.statusCode).toBe(502);
  await tap.until("refused a connection to /x: 502 ECONNREFUSED");
  response.destroy();
  tap.interrupt();
  expect(await tap.exitCode()).toBe(130);
});

describe("a tap before an agent", () => {
  const node = (code: string): readonly string[] => [process.execPath, "-e", code];

  test("passes bytes, stderr and the exit code on, and records nothing that the environment hides", async () => {
    await using folder = await emptyFolder();
    const out = join(folder.path, "a.jsonl");
    const agent = node(
      "process.stdin.on('data', (d) => process.stdout.write(d)).on('end', () => { console.error('to stderr'); console.log(process.env.SOME_API_KEY); process.exitCode = 7; });",
    );
    const input = '{"a": "é"}\r\n\n{"b": 1}\nlast';
    const { code, stdout, stderr } = await agentwire(["tap", "--out", out, "--", ...agent], {
      input,
      env: { SOME_API_KEY: "s3cr3t-of-env" },
    });
    expect({ code, stdout }).toEqual({ code: 7, stdout: `${input}s3cr3t-of-env\n` });
    expect(stderr).toContain("to stderr\n");
    expect(stderr).toContain(`agentwire tap: recording to ${out}\n`);
    expect(stderr).toContain("3 lines to the agent, 3 from it, exit code 7\n");
    const recording = await readFile(out, "utf8");
    expect(recording).not.toContain("s3cr3t-of-env");
    const lines = parseRecording(recording);
    const sent = lines.flatMap((line) => (!line.ev && line.dir === "c2s" ? [line.raw] : []));
    expect(sent).toEqual(['{"a": "é"}', '{"b": 1}', "last"]);
    expect(lines.at(-1)).toMatchObject({ ev: "close", reason: "exit 7", by: "client" });
  });

  test("keeps the pace of both sides: neither a reader nor an agent that stands still fills its memory", async () => {
    await using folder = await emptyFolder();
    // Writes 60 MB, and tells whether a piece of it was not taken.
    const writer = `let left = 60;
      process.on("SIGTERM", () => process.exit(0));
      setInterval(() => {}, 1000);
      const next = () => {
        if (left-- === 0) return console.error("all was taken");
        const timer = setTimeout(() => console.error("it has to wait"), 1000);
        process.stdout.write("x".repeat(999_999) + "\\n", () => { clearTimeout(timer); next(); });
      };
      next();`;
    const [command = "", ...args] = node(writer);
    const feeder = spawn(command, args, { stdio: ["ignore", "pipe", "pipe"] });
    const tap = spawn(process.execPath, [programFile(), "tap", "--", command, ...args], {
      env: { PATH: process.env["PATH"], AGENTWIRE_HOME: folder.path },
      stdio: [feeder.stdout, "pipe", "pipe"],
    });
    feeder.stdout.destroy(); // the end of this process
    for (const { stderr } of [feeder, tap]) {
      let said = "";
      for await (const text of (stderr as Readable).setEncoding("utf8")) {
        said += text;
        if (/taken|wait/.test(said)) break;
      }
      expect(said).toContain("it has to wait");
    }
    feeder.kill("SIGKILL");
    tap.stdout?.resume();
    tap.kill();
    await once(tap, "close");
  });

  test("passes SIGTERM on, and leaves no child", async () => {
    const sleeper = `const { spawn } = require("node:child_process");
      const child = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"], { stdio: "ignore" });
      process.on("SIGTERM", () => { console.log("told"); process.exit(9); });
      console.log(child.pid);`;
    await using tap = talkingTo(["tap", "--", ...node(sleeper)]);
    const pid = Number(await tap.until("\n"));
    expect(lives(pid)).toBe(true);
    tap.terminate();
    expect(await tap.exitCode()).toBe(9);
    expect(tap.text).toContain("told\n");
    expect(lives(pid)).toBe(false);
  });

  test("tells by which signal the agent ended", async () => {
    const { code } = await agentwire(["tap", "--", ...node('process.kill(process.pid, "SIGKILL")')]);
    expect(code).toBe(137);
  });

  test("ends the agent when its reader has left", async () => {
    await using tap = talkingTo([
      "tap",
      "--",
      ...node("setInterval(() => console.log('x'.repeat(1000)), 5)"),
    ]);
    await tap.until("\n");
    tap.stopReading();
    expect(await tap.exitCode()).toBe(143);
  });
});

describe("what cannot work", () => {
  test("a port that is taken", async () => {
    const other = createServer().listen(0, "127.0.0.1");
    await once(other, "listening");
    const { port } = other.address() as AddressInfo;
    const { code, stdout, stderr } = await agentwire([
      "tap",
      "--to",
      "ws://127.0.0.1:1",
      "--listen",
      `${port}`,
    ]);
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toContain(`Port ${port} is taken.`);
    other.close();
  });

  test.each([
    [["tap"], "Pass --to ws://..., or a command behind --"],
    [["tap", "--to", "ws://127.0.0.1:1", "--", "x"], "Pass --to ws://..., or a command behind --"],
    [["tap", "--to", "http://127.0.0.1:1"], "Pass the address of a WebSocket"],
    [["tap", "--to", "localhost"], "Pass the address of a WebSocket"],
    [["tap", "--to", "ws://ada:s3cr3t@127.0.0.1:1"], "has a secret in its address"],
    [["tap", "--to", "ws://127.0.0.1:1", "--listen", "x"], "Pass a number"],
    [["tap", "--listen", "1", "--", "x"], "--listen is for --to"],
    [["tap", "--out", "/nonexistent/a", "--", "node"], "cannot be written: ENOENT"],
    [["tap", "--", "no-such-program-here"], "no-such-program-here cannot be started: ENOENT"],
    [["tap", "--oout", "x", "--", "node"], "Did you mean `--out`?"],
  ])("%j", async (args, words) => {
    const { code, stdout, stderr } = await agentwire(args);
    expect(stderr).toContain(words);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
  });
});

test("bytes that are no frames pass, and the recording says what it lacks", async () => {
  const server = createTcpServer((socket: Socket) => {
    socket.once("data", () => {
      socket.write("HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n");
      socket.write(Buffer.from([0xf3, 0x01, 0x78]));
    });
    socket.on("error", () => {});
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const tap = await running("tap", "--to", `ws://127.0.0.1:${port}`);
  await using _ = tap.child;
  const client = connect(Number(new URL(tap.url).port), "127.0.0.1");
  client.write(`GET / HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n${KEY}\r\n\r\n`);
  let bytes = Buffer.alloc(0);
  for await (const piece of client) {
    bytes = Buffer.concat([bytes, piece as Buffer]);
    if (bytes.at(-1) === 0x78) break;
  }
  await tap.child.until("the rest of the server's frames is not recorded: a frame is compressed");
  server.close();
  tap.child.terminate();
  expect(await tap.child.exitCode()).toBe(1);
  expect(tap.child.stderr).toContain("The recording is incomplete");
});
