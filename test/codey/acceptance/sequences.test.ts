import { codeyStep } from "agentwire/testing";
import { expect } from "vitest";
import { asked, eventsOf, failureOf, reached, sent, works } from "../../helpers/codey.ts";
import { onBoth, type Profile, type SceneOptions } from "./both.ts";
import { lettersOf, play, read } from "./calls.ts";

const approving: SceneOptions = { client: { onToolApproval: () => true } };
const denying: SceneOptions = { client: { onToolApproval: () => false } };
const background = true;
const boom = { error: "boom" };

/** The value of the profile. */
const by = <T>(profile: Profile, values: { readonly [name in Profile]: T }): T => values[profile];

onBoth(
  "4.2 foreground, client approves: the call runs to its output, with one start",
  approving,
  async (scene) => {
    const { said, heard, calls } = await play(scene, read());
    expect(said).toBe(by(scene.profile, { real: "AC", documented: "ASDDC" }));
    expect(heard).toBe(by(scene.profile, { real: "AsC", documented: "AsDDC" }));
    expect(calls).toMatchObject([{ state: "done", output: "alpha", startInferred: true }]);
    expect(sent(scene.server)).toEqual(["SendMessage go", "ToolDecision toolu_1 true"]);
  },
);

onBoth("4.2 foreground, client approves: a call that fails has the error", approving, async (scene) => {
  const { said, heard, calls } = await play(scene, read({ result: boom }));
  expect(said).toBe(by(scene.profile, { real: "AE", documented: "ASE" }));
  expect(heard).toBe("AsE");
  expect(calls).toMatchObject([{ state: "failed", error: "boom" }]);
});

onBoth("4.2 foreground, client denies: the call never starts", denying, async (scene) => {
  const { said, heard, calls } = await play(scene, read());
  expect(said).toBe("AE");
  expect(heard).toBe("AE");
  expect(calls).toMatchObject([{ state: "denied", deniedBy: "user", error: "Denied by user" }]);
  expect(sent(scene.server)).toEqual(["SendMessage go", "ToolDecision toolu_1 false"]);
});

onBoth("4.2 foreground, filter allows: nobody is asked", approving, async (scene) => {
  const { said, heard, calls } = await play(scene, read({ filter: "allow" }));
  expect(said).toBe(by(scene.profile, { real: "SC", documented: "SDDC" }));
  expect(heard).toBe(said);
  expect(calls).toMatchObject([{ state: "done", output: "alpha" }]);
  expect(calls[0]).not.toHaveProperty("startInferred");
  expect(sent(scene.server)).toEqual(["SendMessage go"]);
});

onBoth("4.2 foreground, filter allows: what fails has the error", async (scene) => {
  const { said, heard, calls } = await play(scene, read({ filter: "allow", result: boom }));
  expect([said, heard]).toEqual(["SE", "SE"]);
  expect(calls).toMatchObject([{ state: "failed", error: "boom" }]);
});

onBoth(
  "4.2 any, filter denies: the denial is the server's, and nobody is asked",
  approving,
  async (scene) => {
    const { heard, calls } = await play(
      scene,
      read({ filter: "deny" }),
      read({ filter: "deny", background }),
    );
    expect(heard).toBe("EE");
    const denied = { state: "denied", deniedBy: "server", error: "Denied by user" };
    expect(calls).toMatchObject([denied, denied]);
    expect(sent(scene.server)).toEqual(["SendMessage go"]);
  },
);

onBoth(
  "4.2 foreground, fails before approval: the call has failed, and nobody is asked",
  approving,
  async (scene) => {
    const { said, heard, calls } = await play(scene, read({ result: { invalid: "File not found: a.txt" } }));
    expect([said, heard]).toEqual(["E", "E"]);
    expect(calls).toMatchObject([{ state: "failed", error: "File not found: a.txt" }]);
    expect(sent(scene.server)).toEqual(["SendMessage go"]);
  },
);

onBoth("4.2 background, client approves: the call runs with one start", approving, async (scene) => {
  const { said, heard, calls } = await play(scene, read({ background }));
  expect(said).toBe(by(scene.profile, { real: "ASC", documented: "ASDDC" }));
  expect(heard).toBe(by(scene.profile, { real: "AsC", documented: "AsDDC" }));
  expect(calls).toMatchObject([{ state: "done", output: "alpha", background: true }]);
});

onBoth(
  "4.2 background, client approves: an error text may come as output, which says nothing of success",
  approving,
  async (scene) => {
    const { said, calls } = await play(scene, read({ background, result: boom }));
    expect(said).toBe(by(scene.profile, { real: "ASC", documented: "ASE" }));
    expect(calls).toMatchObject([
      by<object>(scene.profile, {
        real: { state: "done", output: "boom" },
        documented: { state: "failed", error: "boom" },
      }),
    ]);
  },
);

onBoth("4.2 background, client denies: the call never starts", denying, async (scene) => {
  const { said, heard, calls } = await play(scene, read({ background }));
  expect([said, heard]).toEqual(["AE", "AE"]);
  expect(calls).toMatchObject([{ state: "denied", deniedBy: "user" }]);
});

onBoth("4.2 background, filter allows: two starts are told as one", approving, async (scene) => {
  const { said, heard, calls } = await play(scene, read({ background, filter: "allow" }));
  expect(said).toBe(by(scene.profile, { real: "SSC", documented: "SDDC" }));
  expect(heard).toBe(by(scene.profile, { real: "SC", documented: "SDDC" }));
  expect(calls).toMatchObject([{ state: "done", output: "alpha" }]);
});

onBoth("4.2 background, fails before approval: the text of the error comes either way", async (scene) => {
  const { said, heard, calls } = await play(scene, read({ background, result: { invalid: "no" } }));
  expect(said).toBe(by(scene.profile, { real: "C", documented: "E" }));
  expect(heard).toBe(said);
  expect(calls).toMatchObject([
    by<object>(scene.profile, {
      real: { state: "done", output: "no" },
      documented: { state: "failed", error: "no" },
    }),
  ]);
});

onBoth(
  "4.2 cancelled at any point: what was asked, running or yet to come is abandoned, and nothing more is heard of it",
  { client: { onToolApproval: "manual" } },
  async ({ client, server }) => {
    server.answer = ({ content }) =>
      content === "go"
        ? [codeyStep.calls(read(), read({ filter: "allow", background, result: { hangs: true } }), read())]
        : ["yes"];
    const turn = client.prompt("go");
    const events = eventsOf(turn);
    await Promise.all([asked(turn), reached(turn, "toolu_2", "running")]);
    const before = lettersOf(events);
    const outcome = await turn.cancel();
    expect(outcome).toMatchObject({ status: "cancelled", by: "user" });
    expect(turn.toolCalls.map(({ state }) => state)).toEqual(["abandoned", "abandoned", "abandoned"]);
    expect(await works(client)).toBe("yes");
    expect(lettersOf(events)).toBe(before);
    expect(turn.toolCalls.map(({ state }) => state)).toEqual(["abandoned", "abandoned", "abandoned"]);
  },
);

onBoth(
  "4.2 cancelled at any point: a call that the server ends with an error behind the Cancel stays abandoned",
  { mock: { cancelReply: "toolErrors" }, client: { onToolApproval: "manual" } },
  async ({ client, server }) => {
    server.answer = () => [codeyStep.calls(read())];
    const turn = client.prompt("go");
    await asked(turn);
    await turn.cancel();
    expect(await failureOf(turn)).toMatchObject({ status: "cancelled" });
    expect(turn.toolCalls).toMatchObject([{ id: "toolu_1", state: "abandoned" }]);
    expect(turn.toolCalls[0]).not.toHaveProperty("error");
  },
);
