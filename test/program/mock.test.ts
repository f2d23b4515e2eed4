// `agentwire mock`.

import { readFile, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { CassClient } from "agentwire/cass";
import { CodebuffClient } from "agentwire/codebuff";
import { CodeyClient } from "agentwire/codey";
import { parseRecording } from "agentwire/testing";
import { describe, expect, test } from "vitest";
import { agentwire, emptyFolder, linesOf, talkingTo } from "./support/program.ts";
import { programFile } from "./support/program-file.ts";

interface Ready {
  readonly ready: true;
  readonly mock: string;
  readonly url: string;
  readonly token?: string;
  readonly apiKey?: string;
}

/** A mock that is ready. */
async function mock(...args: readonly string[]) {
  const child = talkingTo(["mock", ...args]);
  const [ready] = linesOf<Ready>(await child.until("\n"));
  if (!ready?.ready) throw new Error(`it is not ready: ${child.text}`);
  return { child, ...ready };
}

describe("a mock answers, prints what happens, and ends with 0 at SIGTERM", () => {
  test("codebuff", async () => {
    const { child, url } = await mock("codebuff", "--json");
    await using _ = child;
    const client = new CodebuffClient({ url, authToken: "s3cr3t-key" });
    expect((await client.prompt("ahoy").result).text).toBe("Hello! You said: ahoy");
    await client.close();
    await child.until('"by":"client"');
    expect(child.text).toContain("[redacted]");
    expect(child.text + child.stderr).not.toContain("s3cr3t-key");
    child.terminate();
    expect(await child.exitCode()).toBe(0);
  });

  test("cass, with the token that it prints, and over HTTP", async () => {
    const { child, url, token = "" } = await mock("cass", "--json");
    await using _ = child;
    const client = new CassClient({ url, token });
    expect((await client.prompt("ahoy").result).text).toContain("Hello!");
    await client.close();
    await child.until('"ev":"close"');
    const httpUrl = url.replace("ws:", "http:").replace("/ws", "/");
    await fetch(`${httpUrl}conversations`, { headers: { authorization: `Bearer ${token}` } });
    await child.until('"ev":"http"');
    child.terminate();
    expect(await child.exitCode()).toBe(0);
    expect(parseRecording(child.text).length).toBeGreaterThan(4); // its lines are a recording
    expect(child.text.split("\n").slice(1).join("\n")).not.toContain(token);
  });

  test("backend, for a run", async () => {
    const {
      child,
      url,
      apiKey = "",
    } = await mock("backend", "--switch", "balance=0", "--switch", "sse.crlf=true");
    await using _ = child;
    const { code, stderr } = await agentwire(["chat", "run", "--url", url, "-p", "hello"], {
      env: { CODEBUFF_API_KEY: apiKey },
    });
    expect(code).toBe(1);
    expect(stderr).not.toBe("");
    await child.until(" 404\n");
    child.interrupt();
    expect(await child.exitCode()).toBe(130);
  });

  test("acp, on stdio, with its lines on stderr", async () => {
    const { code, stdout, stderr } = await agentwire(["mock", "acp", "--json"], {
      input: '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":1}}\n',
    });
    expect(code).toBe(0);
    expect(linesOf<{ readonly id: number }>(stdout).map(({ id }) => id)).toEqual([1]);
    const told = linesOf<Record<string, unknown>>(stderr);
    expect(told[0]).toMatchObject({ ready: true, mock: "acp" });
    expect(told.map(({ ev, dir }) => ev ?? dir)).toEqual(["ready", "open", "c2s", "s2c", "close"]);
  });
});

test("acp ends as its switches say", async () => {
  const initialize = '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":1}}\n';
  const dies = ["mock", "acp", "--switch", 'dieAt={"after":1,"exit":4}'];
  expect((await agentwire(dies, { input: initialize })).code).toBe(4);
  await using child = talkingTo([
    "mock",
    "acp",
    "--switch",
    "stdinEnd=ignores",
    "--switch",
    "sigterm=ignored",
  ]);
  child.type(initialize);
  await child.until("\n");
  child.endOfInput();
  child.terminate();
  child.interrupt();
  expect(await child.exitCode()).toBe(130);
});

describe("--script", () => {
  test("with steps as JSON says what each prompt gets", async () => {
    await using folder = await emptyFolder();
    const file = join(folder.path, "steps.json");
    await writeFile(file, JSON.stringify(["One ", { delay: 1 }, { thinking: "hm" }, "two"]));
    const { child, url } = await mock("codey", "--script", file);
    await using _ = child;
    const client = new CodeyClient({ url });
    expect((await client.prompt("x").result).text).toBe("One two");
    expect((await client.prompt("x").result).text).toBe("One two");
    await client.close();
    expect(child.text).toMatch(/^#1 open\n#1 < \{/m);
  });

  test("with options as JSON, of the backend", async () => {
    await using folder = await emptyFolder();
    const file = join(folder.path, "backend.json");
    await writeFile(file, JSON.stringify({ answer: [{ text: ["Ahoy"] }], openAiCompatible: true }));
    const { child, url, apiKey = "" } = await mock("backend", "--script", file);
    await using _ = child;
    const call = ["chat", "run", "--url", `${url}/v1`, "--model", "m", "-p", "hello"];
    const { stdout, stderr } = await agentwire(call, { env: { OPENAI_API_KEY: apiKey } });
    expect({ stdout, stderr }).toEqual({ stdout: "Ahoy\n", stderr: "" });
  });

  test("with a module answers by its function, and a mistake in a step ends the mock", async () => {
    await using folder = await emptyFolder();
    const file = join(folder.path, "answer.mjs");
    await writeFile(
      file,
      "export default ({ message }) => [message === 'bad' ? { nope: 1 } : 'I heard ' + message]",
    );
    const { child, url, token = "" } = await mock("cass", "--script", file);
    await using _ = child;
    const client = new CassClient({ url, token });
    expect((await client.prompt("ahoy").result).text).toBe("I heard ahoy");
    client.prompt("bad").result.catch(() => {});
    expect(await child.exitCode()).toBe(2);
    expect(child.stderr).toContain("step 1 of the script is no step");
    await client.close({ force: true });
  });

  test("with a module of CommonJS or TypeScript", async () => {
    await using folder = await emptyFolder();
    for (const [name, text] of [
      ["a.cjs", "module.exports = { profile: 'documented', answer: () => ['Ahoy'] };"],
      ["a.mts", "export default (_: object): string[] => ['Ahoy'];"],
    ] as const) {
      const file = join(folder.path, name);
      await writeFile(file, text);
      const { child, url } = await mock("codey", "--script", file);
      await using _ = child;
      const client = new CodeyClient({ url });
      expect((await client.prompt("x").result).text).toBe("Ahoy");
      await client.close();
    }
  });

  test("with steps for an ACP agent", async () => {
    await using folder = await emptyFolder();
    const file = join(folder.path, "steps.json");
    await writeFile(
      file,
      JSON.stringify(["Ahoy ", { plan: [{ content: "a", status: "pending" }] }, "there"]),
    );
    const { stdout, stderr } = await agentwire(
      ["chat", "acp", "-p", "hi", "--", process.execPath, programFile(), "mock", "acp", "--script", file],
      {},
    );
    expect({ stdout, stderr }).toMatchObject({ stdout: "Ahoy there\n" });
  });
});

test("--record writes what a client can replay", async () => {
  await using folder = await emptyFolder();
  const file = join(folder.path, "recording.jsonl");
  const recorder = await mock("codey", "--record", file);
  const talk = async (url: string) => {
    const client = new CodeyClient({ url });
    const { text } = await client.prompt("ahoy").result;
    await client.close();
    return text;
  };
  {
    await using child = recorder.child;
    expect(await talk(recorder.url)).toBe("Hello! You said: ahoy");
    await child.until("closed by the client");
    child.terminate();
    expect(await child.exitCode()).toBe(0);
  }
  expect(parseRecording(await readFile(file, "utf8")).at(-1)).toMatchObject({ ev: "close", by: "client" });
  const { child, url } = await mock("codey", "--script", file);
  await using _ = child;
  expect(await talk(url)).toBe("Hello! You said: ahoy");
  await child.until("#1 closed");
});

test("acp plays a recording with the ids of its own client, and ends as the agent did", async () => {
  await using folder = await emptyFolder();
  const file = join(folder.path, "recording.jsonl");
  const line = (dir: string, message: object) => ({
    dir,
    raw: JSON.stringify({ jsonrpc: "2.0", ...message }),
  });
  const lines = [
    { ev: "open" },
    line("c2s", { id: 0, method: "initialize" }),
    line("s2c", { id: 0, result: { protocolVersion: 1 } }),
    line("s2c", { id: 0, method: "fs/read_text_file", params: {} }),
    line("c2s", { id: 0, result: { content: "" } }),
    { dir: "s2c", raw: "no json" },
    { ev: "close", code: 1000, reason: "exit 3", by: "server" },
  ];
  await writeFile(file, lines.map((each) => `${JSON.stringify({ ms: 0, conn: 1, ...each })}\n`).join(""));
  await using child = talkingTo(["mock", "acp", "--script", file]);
  child.type('{"jsonrpc":"2.0","id":"a","method":"initialize"}');
  await child.until("read_text_file");
  child.type('{"jsonrpc":"2.0","id":0,"result":{}}');
  expect(await child.exitCode()).toBe(3);
  expect(child.text).toBe(
    '{"jsonrpc":"2.0","id":"a","result":{"protocolVersion":1}}\n{"jsonrpc":"2.0","id":0,"method":"fs/read_text_file","params":{}}\nno json\n',
  );
});

describe("what cannot work", () => {
  test("a port that is taken", async () => {
    const other = createServer().listen(0, "127.0.0.1");
    await new Promise((resolve) => other.once("listening", resolve));
    const { port } = other.address() as AddressInfo;
    for (const kind of ["codebuff", "codey", "cass", "backend"]) {
      const { code, stdout, stderr } = await agentwire(["mock", kind, "--port", String(port)]);
      expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
      expect(stderr).toContain(`Port ${port} is taken.\nPass another one`);
    }
    other.close();
  });

  test.each([
    [["mock"], "needs <codebuff|codey|cass|backend|acp>"],
    [["mock", "codbuff"], "Did you mean `codebuff`?"],
    [
      ["mock", "codey", "--switch", "frozn=off"],
      "Did you mean `frozen`? The switches: profile, startedAfterApproval",
    ],
    [["mock", "codey", "--switch", "zzzzzz=off"], "The switches: profile, startedAfterApproval"],
    [["mock", "codey", "--switch", "frozen=maybe"], "Pass one of: off, noUpgrade, noConnected, midSession"],
    [["mock", "codey", "--switch", "frozen"], "has no value"],
    [["mock", "codey", "--switch", "frozen.x=1"], "has no parts"],
    [["mock", "codebuff", "--switch", "unreadFrame=1012"], "Pass one of: queue, 1011"],
    [["mock", "codebuff", "--switch", "oddities.stal=1"], "Did you mean `stall`?"],
    [["mock", "cass", "--switch", "memoryCount=many"], "Pass one of: <number>"],
    [["mock", "acp", "--switch", "stray=of"], "Pass one of: off, beforeInit"],
    [["mock", "acp", "--port", "0"], "acp speaks over stdio"],
    [["mock", "codey", "--script", "/nonexistent/a.jsonl"], "cannot be read: ENOENT"],
    [["mock", "codey", "--script", "package.json", "--record", "/nonexistent/a"], "does not exist"],
    [["mock", "codey", "--record", "/nonexistent/a"], "cannot be written: ENOENT"],
    [
      ["mock", "codey", "--script", "vitest.config.nope.ts"],
      "vitest.config.nope.ts cannot be loaded: Cannot find module",
    ],
    [["mock", "codey", "--script", "tsconfig.neutral.json"], "cannot be played"],
    [["mock", "codey", "--script", "README.md"], "cannot be played: line 1 of the recording is not JSON"],
    [["mock", "acp", "--script", "README.md"], "cannot be played: line 1 of the recording is not JSON"],
    [["mock", "backend", "--script", "README.md"], "backend plays no recording"],
    [["mock", "codey", "--script", "README.md", "--switch", "frozen=off"], "--switch does nothing"],
    [["mock", "codey", "--token", "x"], "can read the arguments of a process"],
  ])("%j", async (args, words) => {
    const { code, stdout, stderr } = await agentwire(args);
    expect(stderr).toContain(words);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
  });
});

test("a reader that leaves does not end it", async () => {
  const { child, url } = await mock("codey");
  await using _ = child;
  child.stopReading();
  for (let turn = 0; turn < 2; turn++) {
    const client = new CodeyClient({ url });
    expect((await client.prompt("ahoy").result).text).toContain("ahoy");
    await client.close();
  }
  child.interrupt();
  expect(await child.exitCode()).toBe(130);
});
