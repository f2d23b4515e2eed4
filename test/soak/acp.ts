import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { Duplex } from "node:stream";
import { AcpClient, type AcpOptions } from "../../src/acp/index.ts";
import {
  acpStep,
  acpTool,
  MockAcpAgent,
  type MockAcpLine,
  type MockAcpLink,
  type MockAcpProgram,
  type MockAcpStep,
} from "../../src/testing/index.ts";
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

/**
 * The link was cut in the middle of a line or a turn; a client that closes by force answers nothing any more; an agent that is started anew
 * has forgotten its sessions.
 */
const EXCUSED = ["invalid-line", "left-mid-turn", "request-unanswered", "unknown-session"];

/** Of the lines that matter. A decision is an answer that names its question by an id alone. */
const meanings = new WeakMap<WireFrame, FrameMeaning>();

export const acpDriver: Driver = {
  excused: new Set(EXCUSED),
  serve,
  client,
  textOf,
  callOf: (call) => callNamed(call.id) ?? callNamed(JSON.stringify(call.input)),
  meaningOf: (frame) => meanings.get(frame) ?? {},
};

/** One chapter in three starts a process for each connection; the others have a link of bytes, which can be cut. */
async function serve({ chapter, planOf }: Scene): Promise<Server> {
  const mock = new MockAcpAgent({
    profile: chapter.variant % 2 === 0 ? "documented" : "claude",
    answer: ({ text }) => {
      const plan = planOf(turnNamedIn(text));
      return plan ? [...stepsOf(plan)] : [];
    },
  });
  const port = await listen(mock);
  const program = chapter.variant % 3 === 0 ? await mock.program() : undefined;
  return {
    port: port.number,
    ...(program ? { program } : {}),
    get frames() {
      return framesOf(mock);
    },
    violations: mock.violations,
    restart: () => {
      for (const link of mock.links) if (link.ended === undefined) link.die({ signal: "SIGKILL" });
    },
    left: () =>
      mock.links.flatMap(({ process, ended }) =>
        process && ended === undefined ? [`the process ${process.pid}`] : [],
      ),
    stop: async () => {
      await mock.stop();
      await port.stop();
    },
  };
}

/** A port behind which the agent's streams are. */
async function listen(mock: MockAcpAgent) {
  const sockets = new Set<Socket>();
  const server = createServer({ noDelay: true }, (socket) => {
    sockets.add(socket.on("close", () => sockets.delete(socket)));
    const { readable, writable } = mock.connect();
    const web = Duplex.toWeb(socket);
    const gone = (): void => void socket.destroy();
    void readable.pipeTo(web.writable).catch(gone);
    void web.readable.pipeTo(writable).catch(gone);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    number: (server.address() as AddressInfo).port,
    async stop() {
      const closed = once(server, "close");
      server.close();
      for (const socket of sockets) socket.destroy(); // a half-open link tells nothing of the other end
      await closed;
    },
  };
}

function* stepsOf(plan: TurnPlan): Generator<MockAcpStep> {
  yield* spoken(plan, 0, 1);
  if (plan.calls.length > 0) {
    yield acpStep.calls(
      ...plan.calls.map((_, call) => {
        const name = `${plan.number}.${call}`;
        return acpTool.shell(`work ${name}`, `done ${name}`, {
          toolCallId: `run__${name}`,
          permission: true,
        });
      }),
    );
  }
  yield* spoken(plan, 1);
  if (plan.ending === "error") yield acpStep.error(-32603, "Internal error", { details: "as planned" });
  else if (plan.ending === "hang" || plan.ending === "silent") yield acpStep.hang();
  else if (plan.ending === "drop") yield acpStep.die({ signal: "SIGKILL" });
}

function* spoken({ chunks }: TurnPlan, from: number, to?: number): Generator<MockAcpStep> {
  for (const { text, pause } of chunks.slice(from, to)) {
    if (pause > 0) yield acpStep.delay(pause);
    yield text;
  }
}

function framesOf({ lines, requests }: MockAcpAgent): readonly WireFrame[] {
  const asked = requests
    .filter(({ method }) => method === "session/request_permission")
    .flatMap(({ link, params, reply }) => {
      const call = callNamed(member(member(params, "toolCall"), "toolCallId"));
      if (!call) return [];
      const frames = [note(link, "s2c", params, { asked: call })];
      const approved = approval(params, reply);
      if (approved !== undefined) frames.push(note(link, "c2s", reply, { decision: { ...call, approved } }));
      return frames;
    });
  return [...lines.map(frameOf), ...asked];
}

function note(
  { id }: MockAcpLink,
  direction: WireFrame["direction"],
  said: unknown,
  meaning: FrameMeaning,
): WireFrame {
  const frame = { direction, raw: JSON.stringify(said), connection: { id } };
  meanings.set(frame, meaning);
  return frame;
}

function frameOf({ link, direction, raw }: MockAcpLine): WireFrame {
  const frame = { direction: direction === "in" ? "c2s" : "s2c", raw, connection: link } as const;
  const message = direction === "in" ? parsed(raw) : undefined;
  if (member(message, "method") === "session/prompt")
    meanings.set(frame, { prompt: turnNamedIn(JSON.stringify(member(message, "params"))) });
  return frame;
}

/** What the client has chosen; undefined where it has cancelled the question with its turn. */
function approval(params: unknown, reply: unknown): boolean | undefined {
  const chosen = member(member(member(reply, "result"), "outcome"), "optionId");
  const options = member(params, "options");
  const option = Array.isArray(options)
    ? options.find((each) => member(each, "optionId") === chosen)
    : undefined;
  return chosen === undefined ? undefined : String(member(option, "kind")).startsWith("allow");
}

function client({ port, plan, clock, signal, patience, ask, program }: ClientOrder): SoakClient {
  const made = new AcpClient({
    ...(program ? started(program) : { createStream: () => Duplex.toWeb(connect(port, "127.0.0.1")) }),
    clock,
    signal,
    maxTurns: plan.variant % 5 === 0 ? 1 : 4,
    // A process takes long to start beside others.
    connectTimeout: (program ? 5_000 : 1_000) * patience,
    idleTimeout: 500 * patience,
    cancelTimeout: 300 * patience,
    onToolApproval: ask ?? "manual",
  });
  return made as unknown as SoakClient;
}

function started({ command, args, env }: MockAcpProgram): AcpOptions {
  return { command, args, env };
}

function textOf(event: unknown): string {
  const text = member(event, "type") === "text" ? member(event, "delta") : "";
  return typeof text === "string" ? text : "";
}
