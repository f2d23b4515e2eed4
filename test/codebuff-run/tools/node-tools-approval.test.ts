import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { AnyAgentClient, ApprovalOptions, SettledRequest, ToolCall } from "agentwire";
import { createChat } from "agentwire/chat";
import { toUniversal as ofCodebuff } from "agentwire/codebuff";
import { toUniversal as ofRun } from "agentwire/codebuff-run";
import { step } from "agentwire/testing";
import { type AgentSource, checkTranscript, type UniversalEvent } from "agentwire/universal";
import { describe, expect, test } from "vitest";
import { deferred } from "../../../src/core/deferred.ts";
import { original } from "../../helpers/codebuff-requests.ts";
import { calling, type FolderWorld, folderWorld, replace, runWith } from "./tools-world.ts";

// What a call would change is told before the user decides, with both clients.

interface Asking extends AsyncDisposable {
  readonly client: AnyAgentClient;
  readonly source: AgentSource<AnyAgentClient>;
  /** Cuts the link. A run has none, and is closed. */
  cut(): void;
}

/** One agent that replaces `one` by `1` in a.txt, and whoever is asked about that. */
const WORLDS: readonly [string, (folder: FolderWorld, options: ApprovalOptions) => Promise<Asking>][] = [
  [
    "a run",
    async (folder, options) => {
      const at = await runWith(folder, calling(replace("a.txt", "one", "1")), options);
      const client = at.client as AnyAgentClient;
      return {
        ...at,
        client,
        source: sourceOf(client, ofRun),
        cut: () => void at.client.close({ force: true }),
      };
    },
  ],
  [
    "a client of the original server",
    async ({ tools }, options) => {
      const pair = await original({ tools: tools.handlers, ...options }, function* () {
        const content = "@@ -1,1 +1,1 @@\n-one\n+1\n";
        yield step.toolCall({ toolName: "str_replace", input: { type: "patch", path: "a.txt", content } });
      });
      const client = pair.client as AnyAgentClient;
      return {
        ...pair,
        client,
        source: sourceOf(client, ofCodebuff),
        cut: () => pair.server.connections[0]?.drop(),
      };
    },
  ],
];

const sourceOf = (
  client: AnyAgentClient,
  toUniversal: (of: never, options?: object) => ReturnType<AgentSource["toUniversal"]>,
): AgentSource<AnyAgentClient> => ({
  name: "here",
  client: () => client,
  toUniversal: (of, options) => toUniversal(of as never, options),
});

const PREVIEW = [
  { path: "a.txt", diff: "@@ -1,1 +1,1 @@\n-one\n+1\n", by: "tool", old_text: "one\n", new_text: "1\n" },
];

describe.each(WORLDS)("the preview of an edit in %s", (_, world) => {
  test("is in the tool call, the `approval` event, the message part and the chat's pending request", async () => {
    await using folder = await folderWorld({ "a.txt": "one\n" });
    const calls: ToolCall[] = [];
    await using at = await world(folder, { onToolApproval: "manual" });
    at.client.on("approval", (asked) => calls.push(asked));
    expect(at.client.capabilities.preview).toBe(true);
    await using chat = createChat(at.source);
    const waiting: unknown[] = [];
    const answered = new Promise<void>((resolve) => {
      chat.subscribe(() => {
        const { pending, messages } = chat.getSnapshot();
        const [waits] = pending;
        if (waits?.type === "approval") {
          waiting.push(waits.preview);
          chat.decide(waits.id, "once");
        }
        if (messages.at(-1)?.endedAt !== undefined) resolve();
      });
    });
    chat.send("go");
    await answered;
    expect([waiting, calls.map(({ preview }) => preview)]).toEqual([[PREVIEW], [PREVIEW]]);
    const parts = chat.getSnapshot().messages.at(-1)?.parts.toArray();
    expect(parts?.find(({ type }) => type === "tool")).toMatchObject({ state: "done", preview: PREVIEW });
    expect(await folder.text("a.txt")).toBe("1\n");
  });

  test("makes an approved edit fail if the file has changed since", async () => {
    await using folder = await folderWorld({ "a.txt": "one\n" });
    await using at = await world(folder, {
      onToolApproval: async () => {
        await writeFile(join(folder.root, "a.txt"), "one\nmore\n");
        return true;
      },
    });
    const turn = at.client.prompt("go");
    await turn.outcome;
    expect(turn.toolCalls.map(({ output }) => output)).toMatchObject([
      [{ value: { errorMessage: expect.stringContaining("changed since") } }],
    ]);
    expect(await folder.text("a.txt")).toBe("one\nmore\n");
  });

  test.each(["cancel", "cut", "close"] as const)(
    "that never arrives is settled once by a %s, and nobody is asked",
    async (how) => {
      await using folder = await folderWorld({ "a.txt": "one\n" });
      const begun = deferred<AbortSignal>();
      const tools = {
        ...folder.tools,
        handlers: Object.fromEntries(
          Object.entries(folder.tools.handlers).map(([name, handler]) => [
            name,
            Object.assign((...given: Parameters<typeof handler>) => handler(...given), {
              preview: (_: unknown, { signal }: { readonly signal: AbortSignal }) => {
                begun.resolve(signal);
                return new Promise<undefined>(() => {});
              },
            }),
          ]),
        ),
      };
      await using at = await world({ ...folder, tools }, { onToolApproval: "manual" });
      const asked: unknown[] = [];
      const settled: SettledRequest[] = [];
      at.client.on("approval", (request) => asked.push(request));
      at.client.on("settled", (request) => settled.push(request));
      const turn = at.client.prompt("go");
      const events: UniversalEvent[] = [];
      at.source.toUniversal(turn).on("event", (event) => events.push(event));
      const signal = await begun.promise;
      expect([at.client.pending, signal.aborted]).toEqual([[], false]);
      if (how === "cancel") void turn.cancel();
      else if (how === "cut") at.cut();
      else void at.client.close({ force: true });
      await turn.outcome;
      expect([asked, settled.length, signal.aborted, at.client.pending]).toEqual([[], 1, true, []]);
      expect(settled).toMatchObject([{ type: "approval", ruling: { decision: "reject" } }]);
      expect(checkTranscript(events, { live: true })).toEqual([]);
      const words = events.flatMap(({ type }) => (/^permission|^turn/.test(type) ? [type] : []));
      // A cancelled turn has ended for its stream, and a request that nobody saw is not told behind that.
      const told = how === "cancel" ? [] : ["permission.requested", "permission.resolved"];
      expect(words).toEqual(["turn.started", ...told, "turn.ended"]);
      expect(await folder.text("a.txt")).toBe("one\n");
    },
  );
});
