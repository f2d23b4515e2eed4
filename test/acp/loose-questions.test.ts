// Questions of an agent that belong to no turn.
import { tmpdir } from "node:os";
import { join } from "node:path";
import { nodeTools } from "agentwire/codebuff-run/tools";
import { expect, test, vi } from "vitest";
import { world } from "./support/agent.ts";

const FORM = { mode: "form", message: "Which?", requestedSchema: { type: "object", properties: {} } };

test.each(["the agent ends", "the client closes"])(
  "a question without a turn is withdrawn when %s",
  async (how) => {
    const w = world({}, { onQuestion: "manual" });
    await w.client.conversation().open();
    void w.agent.ask("elicitation/create", { sessionId: "s1", ...FORM });
    void w.agent.ask("elicitation/create", { requestId: 1, ...FORM });
    await vi.waitFor(() => expect(w.client.pending).toHaveLength(2));
    if (how === "the agent ends") w.agent.end();
    else await w.client.close();
    await vi.waitFor(() => expect(w.client.pending).toEqual([]));
    await w.client.close();
  },
);

test.each([
  ["session/request_permission", { toolCall: { toolCallId: "x" }, options: [] }],
  ["fs/write_text_file", { path: join(tmpdir(), "never"), content: "x" }],
  ["terminal/create", { command: "true" }],
])("an approval of %s is withdrawn with its request", async (method, params) => {
  const cwd = tmpdir();
  const files = nodeTools({ root: cwd, terminal: true });
  const w = world(
    async ({ agent, sessionId }) => {
      void agent.ask(method, { sessionId, ...params });
      await vi.waitFor(() => expect(w.client.pending).toHaveLength(1));
      agent.send({ method: "$/cancel_request", params: { requestId: 0 } });
      await vi.waitFor(() => expect(w.client.pending).toEqual([]));
      return { stopReason: "end_turn" };
    },
    { onToolApproval: "manual", cwd, files },
  );
  expect(await w.client.prompt("go", { timeout: 3_000 }).outcome).toMatchObject({ status: "completed" });
  await w.client.close();
  await files.close();
});
