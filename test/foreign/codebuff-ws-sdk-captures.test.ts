import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { type PromptData, type ReceivedPrompt, type RecordedFrame, type Step, step } from "agentwire/testing";
import { describe, expect, test } from "vitest";
import type { Job } from "./codebuff-ws-sdk-run.ts";
import type { Said } from "./said.ts";
import { endings, mock, user, violations } from "./sdk-user.ts";

/** An action of the captured server. */
type Action =
  | { readonly type: "response-chunk"; readonly chunk: string | object }
  | { readonly type: "read-files"; readonly filePaths: readonly string[]; readonly requestId: string }
  | {
      readonly type: "tool-call-request";
      readonly requestId: string;
      readonly toolName: string;
      readonly input: Readonly<Record<string, unknown>>;
      readonly timeout?: number;
    }
  | { readonly type: "prompt-response"; readonly output: unknown }
  | { readonly type: "prompt-error"; readonly message: string; readonly error: string }
  | { readonly type: "subagent-response-chunk" | "message-cost-response" | "request-reconnect" };

/** One line of a capture: `test/fixtures/codebuff-ws-sdk`. */
type Line =
  | { readonly conn: number; readonly dir: "open"; readonly frame?: undefined }
  | {
      readonly conn: number;
      readonly dir: "close";
      readonly frame?: undefined;
      readonly code: number;
      readonly reason: string;
    }
  | { readonly conn: number; readonly dir: "c2s"; readonly frame: { readonly data: PromptData } }
  | { readonly conn: number; readonly dir: "s2c"; readonly frame: SentByServer };

type SentByServer = { readonly type: "ack" } | { readonly type: "action"; readonly data: Action };

const CAPTURES: readonly (Omit<Job & { program: "runs" }, "program"> & {
  readonly name: string;
  readonly leaves: { readonly [path: string]: string };
})[] = [
  {
    name: "basic",
    tools: ["get_weather"],
    runs: [
      { prompt: "hi", params: { a: 1 } },
      {
        prompt: "again",
        extraToolResults: [
          {
            type: "tool-result",
            toolName: "run_terminal_command",
            toolCallId: "x",
            output: [{ type: "json", value: { ok: true } }],
          },
        ],
      },
    ],
    leaves: { "a.txt": "HELLO\n", "n.txt": "new\n" },
  },
  { name: "prompt-error", runs: [{ prompt: "x" }], leaves: { "a.txt": "hello\n" } },
  { name: "request-reconnect", runs: [{ prompt: "x" }], leaves: { "a.txt": "hello\n" } },
];

describe("the original client sends the same frames as in the captures", () => {
  test.each(CAPTURES)("$name", async ({ name, leaves, ...job }) => {
    const lines = await readCapture(name);
    // What was captured is all that the server said.
    await using server = await mock({
      answer: (prompt) => scriptOf(lines, prompt),
      chunks: "text",
      usage: "none",
    });
    await using child = await user(server, { program: "runs", projectFiles: {}, ...job });

    const said = await child.end();
    expect(server.frames.map((frame) => asCaptured(frame, server.prompts, lines, child.project))).toEqual(
      lines.flatMap(({ dir, conn, frame }) => (frame ? [{ dir, conn, frame }] : [])),
    );
    const ends = lines.flatMap((line) =>
      line.dir === "close" ? [`${line.code} ${line.reason} (client)`] : [],
    );
    expect(await endings(server)).toEqual(ends);
    const chunks = serverActions(lines).flatMap((data) =>
      data.type === "response-chunk" ? [data.chunk] : [],
    );
    expect(said.flatMap(heard)).toEqual(chunks);
    for (const [path, content] of Object.entries(leaves))
      expect(await readFile(join(child.project, path), "utf8")).toBe(content);
    expect(await violations(server)).toEqual([]);
  });
});

async function readCapture(name: string): Promise<readonly Line[]> {
  const file = new URL(`../fixtures/codebuff-ws-sdk/${name}.frames.jsonl`, import.meta.url);
  const text = await readFile(file, "utf8");
  return text
    .trimEnd()
    .split("\n")
    .map((line): Line => JSON.parse(line, elide));
}

/** Captures leave out what kind of machine the client ran on, and what it was told in prose. */
function elide(key: string, value: unknown): unknown {
  if (key === "systemInfo") return undefined;
  return key === "description" ? "(elided)" : value;
}

function serverActions(lines: readonly Line[]): readonly Action[] {
  return lines.flatMap((line) =>
    line.dir === "s2c" && line.frame.type === "action" ? [line.frame.data] : [],
  );
}

/** The prompt that the captured connection begins with: it has one run. */
function promptOn(lines: readonly Line[], connection: number): PromptData {
  for (const line of lines) if (line.dir === "c2s" && line.conn === connection) return line.frame.data;
  throw new Error(`Nobody sent anything on connection ${connection} of the capture`);
}

/** What the captured server said on this connection. */
function scriptOf(lines: readonly Line[], { connection, promptId, data }: ReceivedPrompt): readonly Step[] {
  const captured = promptOn(lines, connection.id);
  return serverActions(lines.filter(({ conn }) => conn === connection.id)).map((action): Step => {
    switch (action.type) {
      case "response-chunk":
        return step.chunk(action.chunk);
      case "read-files":
        return step.readFiles(action.filePaths, { requestId: action.requestId });
      case "tool-call-request": {
        const { type: _type, ...fields } = action;
        return step.toolCall({ ...fields, userInputId: promptId });
      }
      case "prompt-response": {
        const { type: _type, ...fields } = action;
        return step.respond({ ...fields, promptId, sessionState: data.sessionState });
      }
      case "prompt-error":
        return step.promptError({ message: action.message, error: action.error });
      default:
        return step.action(JSON.parse(JSON.stringify(action).replaceAll(captured.promptId, promptId)));
    }
  });
}

/** The frame, had the client drawn the ids of the capture and worked in its folder. */
function asCaptured(
  { connection, direction, raw }: RecordedFrame,
  prompts: readonly ReceivedPrompt[],
  lines: readonly Line[],
  project: string,
): object {
  const ours = prompts.find((prompt) => prompt.connection === connection)?.data;
  const theirs = promptOn(lines, connection.id);
  const text = raw
    .replaceAll(ours?.promptId ?? "", theirs.promptId)
    .replaceAll(ours?.fingerprintId ?? "", theirs.fingerprintId)
    .replaceAll(project, "/project");
  const frame: unknown = JSON.parse(text, elide);
  return { dir: direction, conn: connection.id, frame };
}

/** What came in chunks. An error is the client's own event. */
function heard(said: Said): readonly (string | object)[] {
  if (said.said === "chunk") return [said.chunk];
  return said.said === "event" && said.event.type !== "error" ? [said.event] : [];
}
