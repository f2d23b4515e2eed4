import { codeyStep } from "agentwire/testing";
import { expect } from "vitest";
import {
  asked,
  collect,
  eventsOf,
  failureOf,
  frame,
  heard,
  link,
  once,
  sent,
  shown,
  works,
} from "../../helpers/codey.ts";
import { onBoth, type SceneOptions } from "./both.ts";
import { lettersOf, read } from "./calls.ts";

const manual: SceneOptions = { client: { onToolApproval: "manual" } };

// Where the document is silent: both answers have to be survived.

for (const cancelReply of ["none", "toolErrors", "finished", "both"] as const) {
  for (const cancelReplyTiming of ["beforePong", "afterPong"] as const) {
    onBoth(
      `1.2 reply to Cancel: ${cancelReply} ${cancelReplyTiming} ends the turn as cancelled, and leaves nothing for the next`,
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
        expect(outcome).toMatchObject({ status: "cancelled", partial: { text: "one" } });
        expect(turn.toolCalls).toMatchObject([{ state: "abandoned" }]);
        expect(await works(client)).toBe("yes");
      },
    );
  }
}

onBoth(
  "1.2 Error that does not end the turn: what follows it, its Finished too, is in no turn",
  { mock: { errorEndsTurn: false } },
  async ({ client, server }) => {
    server.answer = ({ content }) => (content === "go" ? ["half", codeyStep.error("no"), "more"] : ["yes"]);
    const turn = client.prompt("go");
    const next = client.prompt("next");
    const events = eventsOf(next);
    expect(await failureOf(turn)).toMatchObject({ code: "turn-failed", partial: { text: "half" } });
    expect((await next.result).text).toBe("yes");
    expect(events.map(({ type }) => type)).toEqual(["TextDelta", "Finished"]);
  },
);

onBoth(
  "1.2 bad client message: an Error while idle is told, and no turn fails of it",
  { warns: ["server-error"] },
  async ({ client, server }) => {
    const told = once(client, "serverError");
    link(server).send(frame.error("Invalid message: not an object"));
    expect(await told).toMatchObject({ fatal: false });
    await works(client);
  },
);

onBoth(
  "1.2 mid-turn SendMessage: there is none, so neither a queue nor a restart is met",
  async ({ client, server }) => {
    for (const midTurnSend of ["restart", "queue"] as const) {
      server.set({ midTurnSend });
      const [one, two] = [client.prompt("one"), client.prompt("two")];
      expect((await one.result).text).toBe("Hello! You said: one");
      expect((await two.result).text).toBe("Hello! You said: two");
    }
    expect(server.sends.every(({ outcome }) => outcome === "started")).toBe(true);
  },
);

onBoth(
  "1.2 several approvals: any number open at once, answered in any order",
  manual,
  async ({ client, server }) => {
    const ids = ["a", "b", "c", "d"];
    server.answer = () => [
      codeyStep.calls(...ids.map((callId) => read({ callId, background: callId !== "a" }))),
    ];
    const turn = client.prompt("go");
    await Promise.all(ids.map((callId) => asked(turn, (id) => id === callId)));
    for (const id of ["c", "a", "d", "b"]) client.decide(id, id !== "d");
    const { toolCalls } = await turn.result;
    expect(toolCalls.map(({ id, state }) => [id, state])).toEqual([
      ["a", "done"],
      ["b", "done"],
      ["c", "done"],
      ["d", "denied"],
    ]);
    expect(sent(server).slice(1)).toEqual([
      "ToolDecision c true",
      "ToolDecision a true",
      "ToolDecision d false",
      "ToolDecision b true",
    ]);
  },
);

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

onBoth(
  "1.2 multi-agent, versions: another agent's Finished does not end the turn, and new fields change nothing",
  { mock: { subAgent: true, extraFields: "injected" } },
  async ({ client, server }) => {
    server.answer = () => ["one", " two"];
    const greeting = heard(client, "Pong");
    await client.ping();
    expect(JSON.parse(await greeting)).not.toEqual({ type: "Pong" });
    const { text, usage } = await client.prompt("go").result;
    expect(text).toBe("one two");
    expect(usage).toMatchObject({ outputTokens: 10 });
  },
);
