import { codeyStep, codeyTool } from "agentwire/testing";
import { expect } from "vitest";
import { collect, failureOf, once, reached, works } from "../../helpers/codey.ts";
import { onBoth } from "./both.ts";
import { play, read } from "./calls.ts";

const onToolApproval = (): boolean => true;
const approving = { onToolApproval };
const background = true;

for (const startedAfterApproval of [false, true]) {
  onBoth(
    `switch startedAfterApproval=${startedAfterApproval} & D3: the start is told once, when the call is approved`,
    { mock: { startedAfterApproval, toolDeltas: "none" }, client: approving },
    async (scene) => {
      const { said, heard, calls } = await play(scene, read());
      expect(calls).toMatchObject([{ state: "done", startInferred: true }]);
      expect([said, heard]).toEqual([startedAfterApproval ? "ASC" : "AC", "AsC"]);
    },
  );
}

for (const duplicateBackgroundStarted of [true, false]) {
  onBoth(
    `switch duplicateBackgroundStarted=${duplicateBackgroundStarted} & D4: the start is told once`,
    { mock: { duplicateBackgroundStarted, toolDeltas: "none" } },
    async (scene) => {
      const { said, heard } = await play(scene, read({ background, filter: "allow" }));
      expect([said, heard]).toEqual([duplicateBackgroundStarted ? "SSC" : "SC", "SC"]);
    },
  );
}

for (const toolDeltas of ["none", "some"] as const) {
  onBoth(
    `switch toolDeltas=${toolDeltas} & D5: the output grows with its pieces, and is the whole one at the end`,
    { mock: { toolDeltas }, client: approving },
    async (scene) => {
      const outputs: unknown[] = [];
      scene.client.on("event", (_, turn) => outputs.push(turn.toolCalls[0]?.output));
      const { calls } = await play(scene, read({ deltas: ["al", "XX"] }));
      expect(calls).toMatchObject([{ state: "done", output: "alpha" }]);
      expect([...new Set(outputs)]).toEqual([
        undefined,
        ...(toolDeltas === "some" ? ["al", "alXX"] : []),
        "alpha",
      ]);
    },
  );
}

for (const backgroundFailure of ["completed", "error"] as const) {
  onBoth(
    `switch backgroundFailure=${backgroundFailure}: the text of the error is there, as output or as error`,
    { mock: { backgroundFailure }, client: approving },
    async (scene) => {
      const { calls } = await play(scene, read({ background, result: { error: "boom" } }));
      expect(calls).toMatchObject([
        backgroundFailure === "completed"
          ? { state: "done", output: "boom" }
          : { state: "failed", error: "boom" },
      ]);
    },
  );
}

for (const backgroundOrder of ["seeded", "calls", "reversed"] as const) {
  onBoth(
    `switch backgroundOrder=${backgroundOrder}: each call gets its own decision and its own output`,
    { mock: { backgroundOrder, seed: 7 }, client: { onToolApproval: ({ id }) => id !== "b" } },
    async (scene) => {
      const ids = ["a", "b", "c", "d"];
      const { calls } = await play(
        scene,
        ...ids.map((callId) => read({ callId, background: callId !== "c", result: callId })),
      );
      expect(calls.map(({ id, state, output }) => [id, state, output])).toEqual(
        ids.map((id) => (id === "b" ? [id, "denied", undefined] : [id, "done", id])),
      );
      expect(scene.server.decisions.map(({ outcome }) => outcome)).toEqual(ids.map(() => "taken"));
    },
  );
}

for (const shellFilter of ["dead", "works"] as const) {
  onBoth(
    `switch shellFilter=${shellFilter}: a call that gets through the server's rules meets those of the client`,
    { mock: { shellFilter }, client: { toolPolicy: [{ tool: "mcp_shell", then: "deny" }] } },
    async (scene) => {
      const { said, calls } = await play(
        scene,
        codeyTool.shell("ls", "a.txt", { filter: "allow" }),
        codeyTool.shell("rm", "gone", { filter: "deny" }),
      );
      expect(said.replace(/D/g, "")).toBe(shellFilter === "dead" ? "AEAE" : "SCE");
      expect(calls.map(({ deniedBy }) => deniedBy)).toEqual(
        shellFilter === "dead" ? ["policy", "policy"] : [undefined, "server"],
      );
    },
  );
}

for (const unknownTool of ["silence", "toolError", "processDeath"] as const) {
  onBoth(
    `switch unknownTool=${unknownTool}: the turn comes to an end, by an error or with its link`,
    { mock: { unknownTool } },
    async ({ client, server, clock }) => {
      server.answer = () => [codeyStep.calls({ name: "mcp_no_such_tool", params: {} }), "after"];
      const gone = once(client, "disconnected");
      const turn = client.prompt("go");
      if (unknownTool === "toolError") {
        expect(await turn.result).toMatchObject({
          text: "after",
          toolCalls: [{ state: "failed", error: "Unknown tool: mcp_no_such_tool" }],
        });
        return;
      }
      await reached(turn, "toolu_1", "requested");
      if (unknownTool === "silence") await clock.advance(20_000);
      expect(await gone).toMatchObject({ code: "connection-lost", closeCode: 1006 });
      expect(await failureOf(turn)).toMatchObject({ code: "connection-lost", sideEffectsPossible: true });
    },
  );
}

for (const lateBackground of [false, true]) {
  onBoth(
    `switch lateBackground=${lateBackground}: what comes behind the Finished is no turn's, and the next one works`,
    { mock: { lateBackground }, client: approving, warns: ["stray-message"] },
    async ({ client, server }) => {
      server.answer = ({ content }) =>
        content === "go" ? [codeyStep.calls(read({ background })), "after"] : ["yes"];
      const stray = collect(client, "stray");
      const { toolCalls } = await client.prompt("go").result;
      await client.ping();
      expect(toolCalls).toMatchObject([{ state: lateBackground ? "abandoned" : "done" }]);
      expect(stray.map(({ type }) => type).filter((type) => type !== "ToolDelta")).toEqual(
        lateBackground ? ["ToolCompleted"] : [],
      );
      expect(await works(client)).toBe("yes");
    },
  );
}
