// An agent as a program, for tests of its process. Its first argument is a JSON object of switches.
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";

interface Switches {
  /** Printed before anything else. */
  readonly banner?: string;
  /** Printed to stderr. */
  readonly complains?: string;
  /** Ends at once, with this code. */
  readonly exit?: number;
  /** What happens at the end of stdin. */
  readonly stdinEnd?: "exits" | "ignores" | "leavesChild";
  /** Ignores SIGTERM. */
  readonly stubborn?: boolean;
  /** A prompt starts this many commands, each in a session of its own, and never ends. */
  readonly commands?: number;
  /** A cancel is ignored. */
  readonly deaf?: boolean;
  /** A prompt ends the program. */
  readonly dies?: "exit" | "kill";
}

const switches = JSON.parse(process.argv[2] ?? "{}") as Switches;
const { banner, complains, exit, stdinEnd = "exits", stubborn, commands = 0, deaf, dies } = switches;

if (banner !== undefined) process.stdout.write(`${banner}\n`);
if (complains !== undefined) process.stderr.write(`${complains}\n`);
if (exit !== undefined) process.exit(exit);
if (stubborn) process.on("SIGTERM", () => {});
const idle = setInterval(() => {}, 1_000);

const send = (message: object): void =>
  void process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
let prompt: unknown;

/** A command that no signal to this process or its group reaches. */
function command(): void {
  spawn("sleep", ["1000"], { detached: true, stdio: "ignore" }).unref();
}

createInterface({ input: process.stdin })
  .on("line", (line) => {
    const { id, method, params } = JSON.parse(line);
    const sessionId = "s1";
    const say = (text: string): void =>
      send({
        method: "session/update",
        params: {
          sessionId,
          update: { sessionUpdate: "agent_message_chunk", content: { type: "text", text } },
        },
      });
    switch (method) {
      case "initialize":
        send({ id, result: { protocolVersion: 1, agentInfo: { name: "program" }, agentCapabilities: {} } });
        return;
      case "session/new":
        send({ id, result: { sessionId } });
        return;
      case "session/cancel":
        if (!deaf) send({ id: prompt, result: { stopReason: "cancelled" } });
        return;
      case "session/prompt": {
        prompt = id;
        const text: string = params.prompt[0].text;
        if (text === "env") say(JSON.stringify(process.env));
        if (text === "cwd") say(process.cwd());
        if (text === "env" || text === "cwd") {
          send({ id, result: { stopReason: "end_turn" } });
          return;
        }
        for (let started = 0; started < commands; started++) command();
        say("working");
        if (dies === "exit") process.exit(3);
        if (dies === "kill") process.kill(process.pid, "SIGKILL");
        return;
      }
    }
  })
  .on("close", () => {
    if (stdinEnd === "leavesChild") command();
    if (stdinEnd !== "ignores") {
      clearInterval(idle);
      process.exit(0);
    }
  });
