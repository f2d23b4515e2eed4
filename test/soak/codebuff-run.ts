import { setTimeout } from "node:timers/promises";
import { CodebuffRun } from "../../src/codebuff-run/index.ts";
import {
  type BackendAnswer,
  type BackendReply,
  type BackendRequest,
  MockCodebuffBackend,
} from "../../src/testing/index.ts";
import {
  type ClientOrder,
  callNamed,
  type Driver,
  type FrameMeaning,
  member,
  type Scene,
  type Server,
  type SoakClient,
  type WireFrame,
} from "./driver.ts";
import { type TurnPlan, turnNamedIn } from "./plan.ts";

const TOOL = "work";
const DONE = "has been done";

/** The link was cut behind a request that the client then sends again; a server that is started anew knows no earlier run. */
const EXCUSED = ["finished-twice", "run-not-running", "unknown-run"];

/** A request as frames. What one means does not stand in its own words: a step repeats the prompt of its turn. */
const meanings = new WeakMap<WireFrame, FrameMeaning>();

export const codebuffRunDriver: Driver = {
  excused: new Set(EXCUSED),
  isPooled: true,
  serve,
  client,
  textOf,
  callOf: ({ input }) => callNamed(member(input, "name")),
  meaningOf: (frame) => meanings.get(frame) ?? {},
};

/** What the requests of a chapter have said, to all of its servers: a conversation goes on with the next one. */
const saidIn = new WeakMap<Scene["book"], Set<string>>();

async function serve({ book, chapter, planOf }: Scene): Promise<Server> {
  const mock = await MockCodebuffBackend.start({
    sse: chapter.variant % 2 === 0 ? { crlf: true } : {},
    answer: ({ request: { messages } }) => {
      const at = messages.findLastIndex(
        ({ role, text }) => role === "user" && turnNamedIn(text) !== undefined,
      );
      const plan = planOf(turnNamedIn(messages[at]?.text ?? ""));
      return plan ? answerTo(plan, messages.slice(at + 1)) : "";
    },
  });
  const said = saidIn.get(book) ?? new Set();
  saidIn.set(book, said);
  return {
    port: Number(new URL(mock.url).port),
    /** Read once, when the server has ended. */
    get frames() {
      return framesOf(mock.requests({ endpoint: "chat" }), said);
    },
    violations: mock.violations,
    restart: () => void mock.fault("chat", { status: 503, times: 1 }),
    stop: () => mock.stop(),
  };
}

/**
 * The first step of a turn calls its tools, the second one says the rest. An answer that broke off is asked for again: the model goes on
 * behind what it has said.
 */
function answerTo(
  plan: TurnPlan,
  since: readonly { readonly role: string; readonly text: string }[],
): BackendReply {
  const { chunks, calls, ending, number } = plan;
  const said = since.map(({ role, text }) => (role === "assistant" ? text : "")).join("");
  const isCalling = calls.length > 0 && !since.some(({ role }) => role === "tool");
  const text = paced(behind(said.length, isCalling ? chunks.slice(0, 1) : chunks));
  if (isCalling)
    return {
      text,
      toolCalls: calls.map((_, call) => ({
        name: TOOL,
        arguments: { name: `${number}.${call}` },
        id: `call_${number}_${call}`,
      })),
    };
  if (ending === "error") return { refused: { status: 400, message: `as planned for ${number}` } };
  if (ending === "hang" || ending === "silent") return { text: [...text, forever] };
  if (ending === "drop") return { text: [...text, () => Promise.reject(new Error("as planned"))] };
  return { text };
}

/** What comes after so many characters. */
function behind(characters: number, chunks: TurnPlan["chunks"]): TurnPlan["chunks"] {
  let left = characters;
  return chunks.flatMap(({ text, pause }) => {
    const rest = text.slice(left);
    left = Math.max(0, left - text.length);
    return rest === "" ? [] : [{ text: rest, pause }];
  });
}

function paced(chunks: TurnPlan["chunks"]): Exclude<NonNullable<BackendAnswer["text"]>, string> {
  return chunks.flatMap(({ text, pause }) => (pause > 0 ? [() => setTimeout(pause), text] : [text]));
}

function forever({ signal }: { readonly signal: AbortSignal }): Promise<void> {
  return new Promise((_, reject) => {
    signal.addEventListener("abort", () => reject(new Error("nobody waits")), { once: true });
  });
}

/** Each request of a model, and what it says of turns and calls for the first time: a request is sent again if its link is lost. */
function framesOf(requests: readonly BackendRequest[], said: Set<string>): readonly WireFrame[] {
  const isNew = (key: string): boolean => !said.has(key) && said.add(key).has(key);
  return requests.flatMap(({ id, text, body, runId, response }) => {
    const frames: WireFrame[] = [];
    const add = (direction: WireFrame["direction"], raw: string, meaning: FrameMeaning): void => {
      const frame = { direction, raw, connection: { id } };
      meanings.set(frame, meaning);
      frames.push(frame);
    };
    const messages = messagesIn(body);
    const turn = messages.map(turnOf).findLast((number) => number !== undefined);
    const isPrompt = turn !== undefined && isNew(`prompt ${runId} ${turn}`);
    add("c2s", text, isPrompt ? { prompt: turn } : {});
    for (const { call, approved } of decisionsIn(messages))
      if (isNew(`decision ${call.turn}.${call.call}`)) add("c2s", "", { decision: { ...call, approved } });
    const answer = response?.frames.join("") ?? "";
    add("s2c", answer, {});
    for (const [name] of answer.matchAll(/\d+\.\d+(?=\\"\})/g)) {
      const asked = callNamed(name);
      if (asked && isNew(`asked ${name}`)) add("s2c", "", { asked });
    }
    return frames;
  });
}

function messagesIn(body: unknown): readonly unknown[] {
  const messages = member(body, "messages");
  return Array.isArray(messages) ? messages : [];
}

/** The turn that a message of the user begins. */
function turnOf(message: unknown): number | undefined {
  return member(message, "role") === "user" ? turnNamedIn(JSON.stringify(message)) : undefined;
}

/** What the messages say of calls: only a tool that has run says that it is done. */
function* decisionsIn(messages: readonly unknown[]) {
  const names = new Map<unknown, ReturnType<typeof callNamed>>();
  for (const message of messages) {
    const calls = member(message, "tool_calls");
    for (const call of Array.isArray(calls) ? calls : [])
      names.set(member(call, "id"), callNamed(member(member(call, "function"), "arguments")));
    if (member(message, "role") !== "tool") continue;
    const call = names.get(member(message, "tool_call_id"));
    if (call) yield { call, approved: JSON.stringify(member(message, "content")).includes(DONE) };
  }
}

function client({ port, plan, clock, signal, patience, ask, ran }: ClientOrder): SoakClient {
  const made = new CodebuffRun({
    apiKey: "test-key",
    baseUrl: `http://127.0.0.1:${port}`,
    // Each call has a link of its own: the proxy counts what is left open, and a kept connection would be.
    headers: { connection: "close" },
    agent: { id: "helper", displayName: "Helper", model: "openai/gpt-5-mini", toolNames: [TOOL] },
    clock: patience === 1 ? hurried(clock) : clock,
    signal,
    streamTimeout: 500 * patience,
    silentTimeout: 900 * patience,
    stepReporting: plan.variant % 3 === 0 ? "batch" : "post",
    maxRuns: plan.variant % 5 === 0 ? 1 : 8,
    toolPolicy: [{ tool: TOOL, then: "ask" }],
    onToolApproval: ask ?? "manual",
    tools: {
      [TOOL]: {
        description: "Works.",
        parameters: { type: "object", properties: { name: { type: "string" } } },
        execute: ({ input }) => {
          const call = callNamed(member(input, "name"));
          if (call) ran(call.turn, call.call);
          return [{ type: "json", value: DONE }];
        },
      },
    },
  });
  return made as unknown as SoakClient;
}

/** How much faster long times pass: the client's own limits of a call are half a minute, and cannot be set. */
const HURRY = 10;

/** A clock by which times of a second and more pass faster. */
function hurried(clock: ClientOrder["clock"]): ClientOrder["clock"] {
  return {
    now: () => clock.now(),
    wallTime: () => clock.wallTime(),
    random: () => clock.random(),
    setTimeout: (callback, delay, options) =>
      clock.setTimeout(callback, delay >= 1_000 ? delay / HURRY : delay, options),
  };
}

function textOf(event: unknown): string {
  const chunk = member(event, "type") === "chunk" ? member(event, "chunk") : "";
  return typeof chunk === "string" ? chunk : "";
}
