import { codeyStep } from "agentwire/testing";
import { expect } from "vitest";
import { asked, collect, eventsOf, failureOf, once, works } from "../../helpers/codey.ts";
import { tapped } from "../../helpers/codey-sockets.ts";
import { onBoth } from "./both.ts";
import { read } from "./calls.ts";

const manual = { onToolApproval: "manual" } as const;

for (const stalePendingAfterCancel of [true, false]) {
  onBoth(
    `switch stalePendingAfterCancel=${stalePendingAfterCancel}: behind the denial of the cancel nothing is pending`,
    { mock: { stalePendingAfterCancel }, client: manual },
    async ({ client, server }) => {
      server.answer = () => [codeyStep.calls(read(), read({ background: true, callId: "b" }))];
      const turn = client.prompt("go");
      await Promise.all([asked(turn, (id) => id !== "b"), asked(turn, (id) => id === "b")]);
      expect((await client.getState()).pending_approvals).toHaveLength(2);
      await turn.cancel();
      expect((await client.getState()).pending_approvals).toEqual([]);
    },
  );
}

for (const stateDetail of ["stub", "full"] as const) {
  onBoth(
    `switch stateDetail=${stateDetail}: a State with an open approval is read`,
    { mock: { stateDetail }, client: manual },
    async ({ client, server }) => {
      server.answer = () => [codeyStep.calls(read())];
      const turn = client.prompt("go");
      await asked(turn);
      const [pending] = (await client.getState()).pending_approvals;
      expect(pending).toEqual({
        agent_id: 0,
        call_id: "toolu_1",
        ...(stateDetail === "full"
          ? { name: "mcp_read_file", params: { path: "a.txt" } }
          : { name: "", params: null }),
      });
      await turn.cancel();
    },
  );
}

for (const history of ["empty", "filled", "mixedTimestamps"] as const) {
  onBoth(
    `switch history=${history}: a History is read, with and without timestamps`,
    { mock: { history } },
    async ({ client }) => {
      await client.prompt("hello").result;
      const timestamp = "2026-01-01T00:00:00.000Z";
      expect((await client.getHistory()).messages).toEqual(
        history === "empty"
          ? []
          : [
              { role: "user", content: "hello", timestamp },
              {
                role: "assistant",
                content: "Hello! You said: hello",
                timestamp: history === "filled" ? timestamp : null,
              },
            ],
      );
    },
  );
}

for (const errorFatal of [false, "scripted", true] as const) {
  for (const fatal of [false, true]) {
    const ends = errorFatal === "scripted" ? fatal : errorFatal;
    onBoth(
      `switch errorFatal=${errorFatal}: an Error meant ${fatal ? "" : "not "}to be fatal ${ends ? "closes the client" : "ends its turn alone"}`,
      { mock: { errorFatal } },
      async ({ client, server }) => {
        server.answer = ({ content }) =>
          content === "go" ? ["half", codeyStep.error("no", fatal)] : ["yes"];
        expect(await failureOf(client.prompt("go"))).toMatchObject({ code: "turn-failed", fatal: ends });
        expect(client.status).toBe(ends ? "closed" : "ready");
        if (!ends) expect(await works(client)).toBe("yes");
      },
    );
  }
}

for (const errorEndsTurn of [true, false]) {
  onBoth(
    `switch errorEndsTurn=${errorEndsTurn} & 1.2 Error that does not end the turn & 6.1 turn, Error: the turn fails at its Error, and the next one is clean`,
    { mock: { errorEndsTurn }, client: manual },
    async ({ client, server }) => {
      server.answer = ({ content }) =>
        content === "go" ? ["half", codeyStep.error("no"), "more", codeyStep.calls(read())] : ["yes"];
      const turn = client.prompt("go");
      const late = collect(client, "late");
      expect(await failureOf(turn)).toMatchObject({ code: "turn-failed", partial: { text: "half" } });
      const next = client.prompt("next");
      const events = eventsOf(next);
      expect((await next.result).text).toBe("yes");
      expect(events.map(({ type }) => type)).toEqual(["TextDelta", "Finished"]);
      expect(late.some(({ type }) => type === "TextDelta")).toBe(!errorEndsTurn);
      expect(turn.pending).toEqual([]);
    },
  );
}

for (const retrying of ["flood", "counted"] as const) {
  onBoth(
    `switch retrying=${retrying} & D14: ${retrying === "flood" ? "the guard stops it" : "the attempts pass through"}`,
    { mock: { retrying } },
    async ({ client, server }) => {
      server.answer = ({ content }) => (content === "go" ? [codeyStep.retrying("no key"), "fine"] : ["yes"]);
      const turn = client.prompt("go");
      const events = eventsOf(turn);
      const outcome = await turn.outcome;
      const attempts = events.filter(({ type }) => type === "Retrying");
      if (retrying === "flood") {
        expect(outcome).toMatchObject({ status: "failed", error: { kind: "misconfigured" } });
        expect(attempts).toHaveLength(5);
      } else {
        expect(outcome).toMatchObject({ status: "completed", result: { text: "fine" } });
        expect(attempts).toMatchObject([{ attempt: 1 }, { attempt: 2 }, { attempt: 3 }]);
      }
      expect(await works(client)).toBe("yes");
    },
  );
}

const tap = tapped();

for (const invalidInput of ["drop", "error"] as const) {
  onBoth(
    `switch invalidInput=${invalidInput}: what the server says to somebody else's bad message fails no turn`,
    {
      mock: { invalidInput },
      client: { createWebSocket: tap.createWebSocket },
      mistakes: ["invalid-json"],
      warns: ["server-error"],
    },
    async ({ client }) => {
      const errors = collect(client, "serverError");
      tap.say("this is no message");
      await client.ping();
      expect(errors.map(({ fatal }) => fatal)).toEqual(invalidInput === "error" ? [false] : []);
      await works(client);
    },
  );
}

for (const midTurnSend of ["restart", "queue"] as const) {
  onBoth(
    `switch midTurnSend=${midTurnSend} & 1.2 mid-turn SendMessage & 6.1 turn, Finished & D13: it is never met, for a second prompt waits here`,
    { mock: { midTurnSend } },
    async ({ client, server }) => {
      server.answer = ({ content }) => ["to ", content];
      const turns = ["a", "b", "c"].map((content) => client.prompt(content));
      const results = await Promise.all(turns.map(({ result }) => result));
      expect(results.map(({ text }) => text)).toEqual(["to a", "to b", "to c"]);
      expect(server.sends.map(({ outcome }) => outcome)).toEqual(["started", "started", "started"]);
    },
  );
}

for (const subAgent of [false, true]) {
  onBoth(
    `switch subAgent=${subAgent} & 1.2 multi-agent, versions: the turn ends with its root agent, and has only that one's text`,
    { mock: { subAgent } },
    async ({ client, server }) => {
      server.answer = () => ["one", codeyStep.thinking("hm"), " two"];
      const finished = once(client, "event", ({ type }) => type === "Finished");
      const turn = client.prompt("go");
      const events = eventsOf(turn);
      expect(await finished).toMatchObject({ agent_id: subAgent ? 1 : 0 });
      const { text, thinking, usage } = await turn.result;
      expect([text, thinking, usage?.outputTokens]).toEqual(["one two", "hm", 10]);
      expect(events.some((event) => event.agent_id === 1)).toBe(subAgent);
    },
  );
}
