// Questions of an agent that belong to no turn.
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

test("an approval of a request that the agent withdraws is withdrawn", async () => {
  const w = world(
    async ({ agent, sessionId }) => {
      void agent.ask("session/request_permission", { sessionId, toolCall: { toolCallId: "x" }, options: [] });
      await vi.waitFor(() => expect(w.client.pending).toHaveLength(1));
      agent.send({ method: "$/cancel_request", params: { requestId: 0 } });
      await vi.waitFor(() => expect(w.client.pending).toEqual([]));
      return { stopReason: "end_turn" };
    },
    { onToolApproval: "manual" },
  );
  expect(await w.client.prompt("go", { timeout: 3_000 }).outcome).toMatchObject({ status: "completed" });
  await w.client.close();
});
