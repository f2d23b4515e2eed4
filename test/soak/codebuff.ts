import { CodebuffClient } from "../../src/codebuff/index.ts";
import { MockCodebuffServer, type Step, step } from "../../src/testing/index.ts";
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

const TOOL = "work";

/** The link was cut in the middle of a prompt or a frame; or what was said on an older link arrives behind a newer one. */
const EXCUSED = ["left-mid-prompt", "malformed-frame", "txid-restarted"];

/** A frame that answers a request of the server; the client may always send it. */
const ANSWERS: ReadonlySet<unknown> = new Set(["tool-call-response", "read-files-response", "mcp-tool-data"]);

/** Codebuff in one of its two profiles. */
export function codebuffDriver(profile: "proxy" | "codebuff"): Driver {
  return {
    excused: new Set(EXCUSED),
    serve: (scene) => serve(profile, scene),
    client: (order) => client(profile, order),
    textOf,
    callOf: (call) => callNamed(member(call.input, "name")),
    meaningOf,
  };
}

async function serve(profile: "proxy" | "codebuff", { book, chapter, planOf }: Scene): Promise<Server> {
  const sse = profile === "proxy" && chapter.variant % 2 === 0;
  const mock = await MockCodebuffServer.start({
    profile,
    ...(sse ? { chunks: "openai-sse" } : {}),
    // In chapters of a few seconds an id must not be taken for longer than they last.
    idRelease: { idle: 0, midPrompt: 300 },
    *answer({ data }) {
      const plan = planOf(turnNamedIn(spokenIn(data)));
      if (!plan) return;
      yield* spoken(plan, 0, 1);
      if (profile === "codebuff") {
        for (const call of plan.calls.keys()) {
          const name = `${plan.number}.${call}`;
          const [part] = yield* step.toolCall({
            toolName: TOOL,
            input: { name },
            requestId: name,
            timeout: 60_000,
          });
          const did = part?.type === "json" ? member(part.value, "did") : undefined;
          if (did !== undefined && did !== name)
            book.note("wrong-output", `call ${name} was answered with ${String(did)}`, plan.number);
        }
      }
      yield* spoken(plan, 1);
      yield* ended(plan);
    },
  });
  return {
    port: Number(new URL(mock.url).port),
    frames: mock.frames,
    violations: mock.violations,
    restart: () => mock.shutdown(),
    stop: () => mock.stop(),
  };
}

function* spoken({ chunks }: TurnPlan, from: number, to?: number): Generator<Step, void> {
  for (const { text, pause } of chunks.slice(from, to)) {
    if (pause > 0) yield step.delay(pause);
    yield text;
  }
}

function* ended({ ending, number }: TurnPlan): Generator<Step, void> {
  if (ending === "error") yield step.failMidStream(`as planned for ${number}`);
  else if (ending === "hang") yield step.hang();
  else if (ending === "silent") yield step.silent();
  else if (ending === "drop") yield step.drop();
}

function client(profile: "proxy" | "codebuff", order: ClientOrder): SoakClient {
  const { port, plan, clock, signal, patience, ask, ran } = order;
  const made = new CodebuffClient({
    url: `ws://127.0.0.1:${port}/ws`,
    profile: plan.variant % 3 === 0 ? "auto" : profile,
    clock,
    signal,
    connectTimeout: 400 * patience,
    settleWindow: plan.variant % 5,
    ackTimeout: 400 * patience,
    idleTimeout: 500 * patience,
    stallTimeout: 700 * patience,
    drainTimeout: 300 * patience,
    keepalive: { interval: 120, timeout: 150 * patience },
    reconnect: { minDelay: 5, maxDelay: 60 },
    toolPolicy: [{ tool: TOOL, then: "ask" }],
    onToolApproval: ask ?? "manual",
    authToken: "soak-token",
    tools: {
      [TOOL]: ({ input }) => {
        const call = callNamed(input["name"]);
        if (call) ran(call.turn, call.call);
        return [{ type: "json", value: { did: input["name"] } }];
      },
    },
  });
  return made as SoakClient;
}

function textOf(event: unknown): string {
  const text = member(event, "type") === "response-chunk" ? member(event, "text") : "";
  return typeof text === "string" ? text : "";
}

function meaningOf({ direction, raw }: WireFrame): FrameMeaning {
  const message = parsed(raw);
  const data = member(message, "data");
  const type = member(data, "type");
  if (direction === "s2c") {
    const isEnd = type === "prompt-response" || type === "prompt-error";
    if (isEnd) return { line: "ends" };
    const asked = type === "tool-call-request" ? callNamed(member(data, "requestId")) : undefined;
    return asked ? { asked } : {};
  }
  if (type === "prompt") return { prompt: turnNamedIn(spokenIn(data)), line: "begins" };
  if (type === "tool-call-response") {
    const call = callNamed(member(data, "requestId"));
    const [part]: unknown[] = Array.isArray(member(data, "output"))
      ? (member(data, "output") as unknown[])
      : [];
    const approved = member(member(part, "value"), "did") !== undefined;
    return { isAnswer: true, ...(call ? { decision: { ...call, approved } } : {}) };
  }
  return { isAnswer: ANSWERS.has(type) };
}

/** What the user says in a prompt: the newest message, where there are several. */
function spokenIn(data: unknown): string {
  const prompt = member(data, "prompt");
  if (typeof prompt === "string") return prompt;
  const content = member(data, "content");
  return JSON.stringify(Array.isArray(content) ? content.at(-1) : content) ?? "";
}
