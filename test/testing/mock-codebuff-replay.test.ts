import { readFileSync } from "node:fs";
import {
  type Answer,
  ManualClock,
  type MockCodebuffOptions,
  MockCodebuffServer,
  type PromptMessage,
  step,
} from "agentwire/testing";
import { describe, expect, test } from "vitest";
import { RawClient } from "./mock-codebuff-raw-client.ts";

/** One line of a capture: `test/fixtures/codebuff-proxy`. */
interface Line {
  readonly ms: number;
  readonly conn: number;
  readonly ev?: "open" | "close" | "ws-ping";
  readonly dir?: "c2s" | "s2c";
  readonly raw?: string;
  readonly code?: number;
  readonly reason?: string;
}

/** What the model behind the captured proxy said to these prompts. */
const CAPTURED_MODEL: { readonly [prompt: string]: Answer } = {
  "ok please": () => ["Hello", ", ", "world é😀"],
  ok: () => ["Hello", ", ", "world é😀"],
  "dict please": () => ["def f", "():\n", "    pass\n"],
  empty: () => [],
  raise: () => [step.failBeforeStream("upstream exploded")],
  midraise: () => ["Hello", ", ", step.failMidStream("stream broke")],
  "slow 3": () => ["s0 ", step.delay(1000), "s1 ", step.delay(1000), "s2 ", step.delay(1000)],
  hello: () => [
    step.sseChunk("Hello"),
    step.sseChunk(", "),
    step.sseChunk("world"),
    step.sseStop(),
    step.sseDone(),
  ],
};

function textOf(messages: readonly PromptMessage[]): string {
  const parts = messages.flatMap(({ content }) => (Array.isArray(content) ? content : [{ text: content }]));
  return parts.map(({ text = "" }) => text).join("\n");
}

/** Another model said what its prompt told it to: `S:{"id":"a","n":3,"delay":50}` is three chunks, 50 ms apart. */
const countingModel: Answer = function* ({ messages }) {
  const { id, n, delay = 0 } = JSON.parse(/S:(\{.*?\})/.exec(textOf(messages))?.[1] ?? "");
  for (let index = 0; index < n; index++) {
    yield `[${id}:${index}]`;
    if (delay > 0) yield step.delay(delay);
  }
};

const CAPTURES: readonly { readonly name: string; readonly options?: MockCodebuffOptions }[] = [
  { name: "01-identify" },
  { name: "03-subscribe-unsubscribe" },
  { name: "05-init" },
  { name: "06-prompt-ok" },
  { name: "07-prompt-ok-dict-chunks" },
  { name: "09-prompt-empty-stream" },
  { name: "11-prompt-error-call" },
  { name: "12-prompt-error-midstream" },
  { name: "16-invalid-json" },
  { name: "17-schema-invalid" },
  { name: "20-first-message-not-identify" },
  { name: "21-duplicate-session-id" },
  { name: "24-oversize" },
  { name: "26-concurrent-prompts-and-ping" },
  { name: "44-content-image-text-system" },
  { name: "48-init-while-prompt-runs" },
  { name: "53-second-frame-mid-prompt-keepalive-ping-timeout" },
  { name: "f2-prompt-openai-gpt4" },
  { name: "f5-init" },
  // The captured proxy ran with a shortened timeout.
  { name: "h1-heartbeat-timeout-idle", options: { heartbeat: { timeout: 20_000, sweep: 29_900 } } },
  { name: "h5-max-connections", options: { maxConnections: 1 } },
];

describe("every captured exchange with the real proxy is reproduced byte for byte", () => {
  test.each(CAPTURES)("$name", async ({ name, options }) => {
    const clock = new ManualClock();
    const answer: Answer = (prompt, context) =>
      (CAPTURED_MODEL[prompt.data.prompt ?? ""] ?? countingModel)(prompt, context);
    await using server = await MockCodebuffServer.start({ answer, clock, ...options });
    const clients = new Map<number, RawClient>();
    const clientOf = (line: Line): RawClient => {
      const client = clients.get(line.conn);
      if (!client) throw new Error(`Connection ${line.conn} is not open in ${name}`);
      return client;
    };
    let ms = 0;

    for (const line of readCapture(name)) {
      // Captures count from the opening of each connection, or from their beginning.
      if (line.ms > ms) await clock.advance(line.ms - ms);
      ms = line.ms;
      if (line.ev === "ws-ping") continue;
      if (line.ev === "open") clients.set(line.conn, await RawClient.connect(server.url));
      else if (line.dir === "c2s") clientOf(line).send(wholeFrame(line.raw ?? ""));
      else if (line.dir === "s2c") expect(await clientOf(line).next()).toBe(line.raw);
      else if (closedByClient(line)) await closeAs(line, clientOf(line));
      else expect(await clientOf(line).closed).toEqual({ code: line.code, reason: line.reason });
    }
    for (const client of clients.values()) await expect(client.next()).rejects.toThrow("ended");
  });
});

function readCapture(name: string): Line[] {
  const path = new URL(`../fixtures/codebuff-proxy/${name}.jsonl`, import.meta.url);
  const lines = readFileSync(path, "utf8").trimEnd().split("\n");
  return lines.map((line) => JSON.parse(line) as Line);
}

/** Captures elide the padding of huge frames: `{"pad":"xxx…[1048609 bytes]`. */
function wholeFrame(raw: string): string {
  const elided = /^(.*"pad":")x*…\[(\d+) bytes\]$/.exec(raw);
  const [, head, bytes] = elided ?? [];
  if (head === undefined) return raw;
  return `${head}${"x".repeat(Number(bytes) - head.length - 2)}"}`;
}

/** The capturing client said "bye", or nothing. */
function closedByClient(line: Line): boolean {
  return line.reason === "bye" || line.code === 1005;
}

async function closeAs(line: Line, client: RawClient): Promise<void> {
  if (line.code === 1005) client.socket.close();
  else client.socket.close(line.code, line.reason);
  expect(await client.closed).toEqual({ code: line.code, reason: line.reason });
}
