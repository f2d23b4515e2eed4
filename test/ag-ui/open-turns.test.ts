// Turns that are open in the middle of something while they wait.
import { agUiAgent } from "agentwire/ag-ui";
import { expect, test } from "vitest";
import { Rig } from "../chat/support/rig.ts";
import { approve, inputOf, interruptsOf, resumeOf, textOf } from "./support/client.ts";
import { collect, judge, ofType, told } from "./support/judge.ts";

const call = (id: string) => ({
  type: "approval" as const,
  id,
  call: { id, name: "rm", input: {}, raw: {} },
});

test("two requests at once are two interrupts, and an answer on its way is not asked again", async () => {
  const rig = new Rig();
  const agent = agUiAgent(rig.chat);
  const first = collect(agent.run(inputOf(["go"])));
  await rig.settle();
  rig.source.turn.says("a");
  const ids = ["1", "2"].map((id) => rig.source.agent.asks(call(id)));
  const before = await first;
  expect(interruptsOf(before).map(({ id }) => id)).toEqual(ids);
  const second = await collect(agent.run(inputOf(["go"], resumeOf(approve(ids[0] ?? "")))));
  expect(interruptsOf(second).map(({ id }) => id)).toEqual([ids[1]]);
  const third = collect(agent.run(inputOf(["go"], resumeOf(approve(ids[1] ?? "")))));
  await rig.settle();
  rig.source.turn.says("b");
  rig.source.turn.completes();
  const rest = await third;
  expect(rig.source.agent.decided.map((decided) => (decided as unknown[])[0])).toEqual(["1", "2"]);
  const starts = ofType([...before, ...rest], "TEXT_MESSAGE_START");
  expect(new Set(starts.map(({ messageId }) => messageId)).size).toBe(1);
  expect(textOf([...before, ...rest])).toBe("ab");
  for (const events of [before, second, rest]) await judge(events);
});

test("a run waits for a turn of another viewer, and a request of that turn is not its interrupt", async () => {
  const rig = new Rig();
  rig.chat.send("other");
  const run = collect(agUiAgent(rig.chat).run(inputOf(["mine"])));
  await rig.settle();
  rig.source.turn.says("for the other");
  rig.source.turn.completes();
  await rig.settle();
  rig.source.turn.says("for me");
  rig.source.turn.completes();
  const events = await run;
  expect(told(events)[0]).toBe("RUN_STARTED");
  expect(textOf(events)).toBe("for me");
});
