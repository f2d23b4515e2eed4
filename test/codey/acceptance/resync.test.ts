import { codeyStep } from "agentwire/testing";
import { expect } from "vitest";
import { asked, collect, failureOf, frame, link, sent, shown, works } from "../../helpers/codey.ts";
import { onBoth, type SceneOptions } from "./both.ts";
import { read } from "./calls.ts";

const manual: SceneOptions = { client: { onToolApproval: "manual" } };

/** A script that never ends, but for a prompt that says something else than `go`. */
const endless: SceneOptions = {
  mock: { answer: ({ content }) => (content === "go" ? ["one", codeyStep.hang()] : ["yes"]) },
};

onBoth(
  "5.3 resync: behind an Error the server is told to stop, and the next turn waits for the Pong",
  { mock: { answer: ({ content }) => (content === "go" ? ["half", codeyStep.error("no")] : ["yes"]) } },
  async ({ client, server }) => {
    const turn = client.prompt("go");
    const next = client.prompt("next");
    expect(await failureOf(turn)).toMatchObject({ code: "turn-failed", partial: { text: "half" } });
    expect((await next.result).text).toBe("yes");
    expect(sent(server)).toEqual(["SendMessage go", "Cancel", "Ping", "SendMessage next"]);
  },
);

onBoth(
  "5.3 resync: a server that goes on behind its Error gives the next turn nothing of it",
  {
    mock: {
      errorEndsTurn: false,
      answer: ({ content }) =>
        content === "go" ? ["half", codeyStep.error("no"), "more", codeyStep.thinking("and more")] : ["yes"],
    },
  },
  async ({ client }) => {
    const turn = client.prompt("go");
    const late = collect(client, "late");
    expect(await failureOf(turn)).toMatchObject({ code: "turn-failed" });
    expect(turn.text).toBe("half");
    expect((await client.prompt("next").result).text).toBe("yes");
    expect(late.map(({ type }) => type).slice(0, 2)).toEqual(["TextDelta", "ThinkingDelta"]);
  },
);

onBoth(
  "5.3 resync: an approval that was open when the Error came is denied, or the server would list it for ever",
  manual,
  async ({ client, server }) => {
    server.answer = ({ content }) => (content === "go" ? [codeyStep.calls(read())] : ["yes"]);
    const turn = client.prompt("go");
    await asked(turn);
    link(server).send(frame.error("no"));
    expect(await failureOf(turn)).toMatchObject({ code: "turn-failed" });
    expect(await works(client)).toBe("yes");
    expect(sent(server).slice(1, 4)).toEqual(["Cancel", "ToolDecision toolu_1 false", "Ping"]);
  },
);

onBoth(
  "5.3 fatal: the turn fails, what waits is given back, and the client is closed",
  { mock: { errorFatal: true, answer: () => ["half", codeyStep.error("gone")] } },
  async ({ client, server }) => {
    const turn = client.prompt("go");
    const next = client.prompt("next");
    expect(await failureOf(turn)).toMatchObject({ code: "turn-failed", fatal: true, serverMessage: "gone" });
    expect(await failureOf(next)).toMatchObject({ delivery: "not-sent", input: "next" });
    expect(client.status).toBe("closed");
    expect(sent(server)).toEqual(["SendMessage go"]);
  },
);

onBoth(
  "5.3 late replies: what comes behind the Pong while nothing runs is stray, and no turn's",
  {
    ...endless,
    mock: { ...endless.mock, cancelReply: "both", cancelReplyTiming: "afterPong" },
    warns: ["stray-message"],
  },
  async ({ client }) => {
    const turn = client.prompt("go");
    await shown(turn, "one");
    const stray = collect(client, "stray");
    await turn.cancel();
    await client.ping();
    expect(stray.map(({ type }) => type)).toEqual(["Finished"]);
    expect(await works(client)).toBe("yes");
  },
);
