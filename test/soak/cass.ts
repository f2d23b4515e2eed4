import { CassClient } from "../../src/cass/index.ts";
import { type CassStep, cassStep, MockCassServer } from "../../src/testing/index.ts";
import {
  type ClientOrder,
  type Driver,
  type FrameMeaning,
  member,
  parsed,
  type Scene,
  type Server,
  type SoakClient,
  type WireFrame,
} from "./driver.ts";
import { answerOf, type TurnPlan, turnNamedIn } from "./plan.ts";

/** Of cut links, of limits that are shorter than any user's, and of a proxy with a port of its own. */
const EXCUSED = ["malformed-frame", "ping-too-soon", "reconnect-storm", "token-to-other-origin"];

/** The same on every server that is started anew. */
const USER = "soak-user";

export const cassDriver: Driver = {
  excused: new Set(EXCUSED),
  serve,
  client,
  textOf,
  callOf: () => undefined,
  meaningOf,
};

async function serve({ planOf }: Scene): Promise<Server> {
  const mock = await MockCassServer.start({
    profile: "v2",
    audio: "none",
    answer({ message }) {
      const plan = planOf(turnNamedIn(message));
      return plan ? spoken(plan) : [];
    },
  });
  mock.addUser({ userId: USER });
  return {
    port: Number(new URL(mock.url).port),
    frames: mock.frames,
    violations: mock.violations,
    restart: () => mock.restart(),
    stop: () => mock.stop(),
    token: mock.issueToken(USER),
  };
}

function* spoken(plan: TurnPlan): Generator<CassStep, void> {
  for (const { pause } of plan.chunks) if (pause > 0) yield cassStep.delay(pause);
  for (const call of plan.calls.keys()) yield cassStep.tools(`recall_${call}`);
  if (plan.ending === "error") yield cassStep.fail(`as planned for ${plan.number}`);
  else if (plan.ending === "hang") yield cassStep.hang();
  else if (plan.ending === "silent") yield { kind: "die", by: "zombie" };
  else if (plan.ending === "drop") yield { kind: "die", by: "drop" };
  yield answerOf(plan);
}

function client({ port, restPort, token, plan, clock, signal, patience }: ClientOrder): SoakClient {
  const made = new CassClient({
    url: `ws://127.0.0.1:${port}/ws`,
    httpUrl: `http://127.0.0.1:${restPort}/`,
    token,
    auth: plan.variant % 2 === 0 ? "query" : "message",
    cancel: plan.variant % 3 === 0 ? "reconnect" : "wait",
    recover: true,
    recoverTimeout: 1_200 * patience,
    clock,
    signal,
    connectTimeout: 400 * patience,
    idleTimeout: 500 * patience,
    requestTimeout: 400 * patience,
    keepalive: { interval: 120, timeout: 150 * patience },
    reconnect: { minDelay: 5, maxDelay: 60 },
  });
  return made as SoakClient;
}

function textOf(event: unknown): string {
  const text = member(event, "type") === "response" ? member(event, "text") : "";
  return typeof text === "string" ? text : "";
}

function meaningOf({ direction, raw }: WireFrame): FrameMeaning {
  const message = parsed(raw);
  const type = member(message, "type");
  if (direction === "s2c") return type === "response" || type === "error" ? { line: "ends" } : {};
  if (type === "chat") return { prompt: turnNamedIn(String(member(message, "message"))), line: "begins" };
  return {};
}
