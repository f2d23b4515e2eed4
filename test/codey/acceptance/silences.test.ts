import { codeyStep } from "agentwire/testing";
import { expect } from "vitest";
import { asked, collect, eventsOf, frame, link, sent, shown } from "../../helpers/codey.ts";
import { onBoth, type SceneOptions } from "./both.ts";
import { lettersOf, read } from "./calls.ts";

const manual: SceneOptions = { client: { onToolApproval: "manual" } };

// Where the document is silent: both answers have to be survived.

for (const cancelReply of ["none", "toolErrors", "finished", "both"] as const) {
  for (const cancelReplyTiming of ["beforePong", "afterPong"] as const) {
    onBoth(
      `1.2 reply to Cancel & D2 & switch cancelReply=${cancelReply} & switch cancelReplyTiming=${cancelReplyTiming}: it ends the turn as cancelled, and leaves nothing for the next`,
      {
        ...manual,
        mock: { cancelReply, cancelReplyTiming },
        warns: cancelReplyTiming === "afterPong" ? ["stray-message"] : [],
      },
      async ({ client, server }) => {
        server.answer = ({ content }) => (content === "go" ? ["one", codeyStep.calls(read())] : ["yes"]);
        const turn = client.prompt("go");
        await asked(turn);
        const late = collect(client, "late");
        const stray = collect(client, "stray");
        const outcome = await turn.cancel();
        await client.ping();
        const replies = [
          ...(cancelReply === "both" || cancelReply === "toolErrors" ? ["ToolError"] : []),
          ...(cancelReply === "both" || cancelReply === "finished" ? ["Finished"] : []),
        ];
        const [where, nowhere] = cancelReplyTiming === "beforePong" ? [late, stray] : [stray, late];
        expect(where.map(({ type }) => type)).toEqual(replies);
        expect(nowhere).toEqual([]);
        if (outcome.status !== "cancelled") throw new Error(outcome.status);
        const isEnd = cancelReplyTiming === "beforePong" && replies.includes("Finished");
        expect(outcome.partial.text).toBe("one");
        expect(outcome.partial.endedBy).toEqual(
          isEnd ? expect.objectContaining({ type: "Finished" }) : undefined,
        );
        // The round whose calls were cancelled has run to its end, and is in the count.
        expect(outcome.partial.usage?.outputTokens).toBe(isEnd ? 10 : undefined);
        expect(sent(server).slice(1, 4)).toEqual(["Cancel", "ToolDecision toolu_1 false", "Ping"]);
        expect(turn.toolCalls).toMatchObject([{ state: "abandoned" }]);
        const next = client.prompt("next");
        const events = eventsOf(next);
        expect((await next.result).text).toBe("yes");
        expect(events.map(({ type }) => type)).toEqual(["TextDelta", "Finished"]);
      },
    );
  }
}

onBoth(
  "1.2 several approvals: also foreground ones that the server does not ask about one by one",
  manual,
  async ({ client, server }) => {
    server.answer = () => ["one", codeyStep.hang()];
    const turn = client.prompt("go");
    const events = eventsOf(turn);
    await shown(turn, "one");
    const connection = link(server);
    for (const raw of [frame.request("x", "y"), frame.awaiting("y"), frame.awaiting("x")])
      connection.send(raw);
    await asked(turn, (id) => id === "x");
    expect(turn.pending.map(({ id }) => id)).toEqual(["y", "x"]);
    connection.send(frame.completed("x", "1"));
    connection.send(frame.completed("y", "2"));
    connection.send(frame.finished());
    const { toolCalls } = await turn.result;
    expect(toolCalls).toMatchObject([
      { id: "x", state: "done" },
      { id: "y", state: "done" },
    ]);
    expect(lettersOf(events)).toBe("AACC");
  },
);
