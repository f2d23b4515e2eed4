import { CodeyClient } from "../../src/codey/index.ts";
import { type CodeyStep, codeyStep, codeyTool, MockCodeyServer } from "../../src/testing/index.ts";
import {
  type ClientOrder,
  callNamed,
  type Driver,
  type FrameMeaning,
  member,
  parsed,
  type Scene,
  type Server,
  type SoakClient,
  type WireFrame,
} from "./driver.ts";
import { type TurnPlan, turnNamedIn } from "./plan.ts";

/** The link was cut in the middle of a frame; a client that closes cannot deny a question that is still on its way to it. */
const EXCUSED = ["malformed-frame", "approval-not-denied"];

export const codeyDriver: Driver = {
  excused: new Set(EXCUSED),
  serve,
  client,
  textOf,
  callOf: ({ input }) => callNamed(member(input, "command")),
  meaningOf,
};

async function serve({ chapter, planOf }: Scene): Promise<Server> {
  const mock = await MockCodeyServer.start({
    profile: chapter.variant % 3 === 0 ? "documented" : "real",
    *answer({ content }) {
      const plan = planOf(turnNamedIn(content));
      if (!plan) return;
      yield* spoken(plan, 0, 1);
      yield codeyStep.thinking(`not of the text, ${plan.number}`);
      if (plan.calls.length > 0) {
        yield codeyStep.calls(
          ...plan.calls.map(({ background }, call) => {
            const callId = `${plan.number}.${call}`;
            return codeyTool.shell(`work ${callId}`, `done ${callId}`, { callId, background });
          }),
        );
      }
      yield* spoken(plan, 1);
      yield* ended(plan);
    },
  });
  return {
    port: Number(new URL(mock.url).port),
    frames: mock.frames,
    violations: mock.violations,
    restart: () => mock.closeAll(1012),
    stop: () => mock.stop(),
  };
}

function* spoken({ chunks }: TurnPlan, from: number, to?: number): Generator<CodeyStep, void> {
  for (const { text, pause } of chunks.slice(from, to)) {
    if (pause > 0) yield codeyStep.delay(pause);
    yield text;
  }
}

function* ended({ ending, number }: TurnPlan): Generator<CodeyStep, void> {
  if (ending === "error") yield codeyStep.error(`as planned for ${number}`);
  else if (ending === "hang" || ending === "silent") yield codeyStep.hang();
  else if (ending === "drop") yield codeyStep.drop();
}

function client({ port, plan, clock, signal, patience, ask }: ClientOrder): SoakClient {
  const made = new CodeyClient({
    url: `ws://127.0.0.1:${port}`,
    clock,
    signal,
    connectTimeout: 400 * patience,
    cancelTimeout: 300 * patience,
    requestTimeout: 300 * patience,
    idleTimeout: 500 * patience,
    keepalive: { interval: 100, timeout: 150 * patience },
    reconnect: plan.variant % 4 === 0 ? false : { maxAttempts: 20, minDelay: 5, maxDelay: 60 },
    onToolApproval: ask ?? "manual",
  });
  return made as SoakClient;
}

function textOf(event: unknown): string {
  const text = member(event, "type") === "TextDelta" ? member(event, "content") : "";
  return typeof text === "string" ? text : "";
}

function meaningOf({ direction, raw }: WireFrame): FrameMeaning {
  const message = parsed(raw);
  const type = member(message, "type");
  const call = callNamed(member(message, "call_id"));
  if (direction === "s2c") return type === "ToolAwaitingApproval" && call ? { asked: call } : {};
  if (type === "SendMessage") return { prompt: turnNamedIn(String(member(message, "content"))) };
  if (type === "ToolDecision" && call)
    return { decision: { ...call, approved: member(message, "approved") === true } };
  return {};
}
