import { codeyStep } from "agentwire/testing";
import { expect } from "vitest";
import { asked, sent, thrown } from "../../helpers/codey.ts";
import { onBoth, type Scene, type SceneOptions } from "./both.ts";
import { read } from "./calls.ts";

const manual: SceneOptions = { client: { onToolApproval: "manual" } };
const MIB = 1_048_576;

/** Calls with input that the server would drop or choke on: each throws, and nothing is sent. */
async function expectRefused(
  { client, server }: Scene,
  code: string,
  ...calls: readonly (() => unknown)[]
): Promise<void> {
  for (const call of calls) expect(thrown(call)).toMatchObject({ code });
  await client.ping();
  expect(sent(server)).toEqual(["Ping"]);
}

/** Input as it comes from callers without types. */
const untyped = (value: unknown): string => value as string;

onBoth("8 validation content & acceptance 16 & D12: it is a string that is not blank", async (scene) => {
  const { client } = scene;
  const bad = [undefined, null, 7, true, ["x"], {}, { content: 7 }, "", " \n\t", "\u3000", { content: " " }];
  await expectRefused(scene, "invalid-input", ...bad.map((input) => () => client.prompt(untyped(input))));
});

onBoth("8 validation frame size: a frame has 15 MiB at most, as UTF-8", async (scene) => {
  const { client } = scene;
  const tooMuch = ["x".repeat(15 * MIB), "é".repeat(7.5 * MIB)];
  await expectRefused(
    scene,
    "payload-too-large",
    ...tooMuch.map((content) => () => client.prompt(content)),
    () => client.conversation().prompt('"'.repeat(7.5 * MIB)),
  );
});

onBoth("8 validation frame size: a frame of just 15 MiB is sent", async ({ client, server }) => {
  const overhead = '{"type":"SendMessage","content":"","agent_id":null}'.length;
  server.answer = ({ content }) => [String(content.length)];
  const content = "x".repeat(15 * MIB - overhead);
  expect((await client.prompt(content).result).text).toBe(String(content.length));
});

onBoth(
  "8 validation lone surrogates: they are replaced, and whole pairs are not",
  async ({ client, server }) => {
    await client.prompt("a\ud800b\udc00c 😀").result;
    expect(server.sends.map(({ content }) => content)).toEqual(["a\ufffdb\ufffdc 😀"]);
  },
);

onBoth("8 validation agent_id: it is absent or an unsigned integer of 32 bits", async (scene) => {
  const { client, server } = scene;
  const bad = [-1, 1.5, "0", 4_294_967_296, Number.NaN, null];
  await expectRefused(
    scene,
    "invalid-input",
    ...bad.map((agentId) => () => client.prompt({ content: "x", agentId: agentId as number })),
  );
  await client.prompt({ content: "x", agentId: 4_294_967_295 }).result;
  await client.prompt({ content: "x", agentId: 0 }).result;
  await client.prompt({ content: "x" }).result;
  expect(server.sends.map(({ agentId }) => agentId)).toEqual([4_294_967_295, 0, null]);
});

onBoth("8 validation call_id: it is that of a call that waits", manual, async (scene) => {
  const { client } = scene;
  const bad = ["toolu_1", "", undefined, null, 7];
  await expectRefused(scene, "invalid-input", ...bad.map((id) => () => client.decide(untyped(id), true)));
});

onBoth(
  "8 validation approved: it is a decision and nothing that looks like one",
  manual,
  async ({ client, server }) => {
    server.answer = () => [codeyStep.calls(read())];
    const turn = client.prompt("go");
    const id = await asked(turn);
    for (const bad of ["true", "yes", 1, 0, null, undefined, {}, [], { approved: true }])
      expect(thrown(() => client.decide(id, bad as unknown as boolean))).toMatchObject({
        code: "invalid-input",
      });
    expect(turn.pending).toHaveLength(1);
    client.decide(id, { decision: "reject", reason: "not now" });
    expect((await turn.result).toolCalls).toMatchObject([{ state: "denied", reason: "not now" }]);
    expect(sent(server)).toEqual(["SendMessage go", "ToolDecision toolu_1 false"]);
  },
);

onBoth(
  "8 validation state: a prompt in a turn waits, and above the limit it is refused",
  { client: { maxQueuedTurns: 1, maxQueuedBytes: 200 } },
  async ({ client, server }) => {
    server.answer = () => ["one", codeyStep.hang()];
    const turn = client.prompt("go");
    const next = client.prompt("next");
    expect(thrown(() => client.prompt("third"))).toMatchObject({ code: "queue-full" });
    await client.ping();
    expect(sent(server)).toEqual(["SendMessage go", "Ping"]);
    void next.cancel();
    await turn.cancel();
  },
);
