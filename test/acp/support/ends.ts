import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { AcpClient, type AcpOptions } from "agentwire/acp";
import { acpStep, acpTool, MockAcpAgent, type MockAcpProcess, type MockAcpSwitches } from "agentwire/testing";

/** How an agent's process comes to its end. */
export const END_WAYS = [
  "close",
  "force",
  "crash",
  "crashBySignal",
  "killedFromOutside",
  "cancelTimeout",
  "parentExit",
  "parentSigterm",
] as const;

export type EndWay = (typeof END_WAYS)[number];

export const STDIN_ENDS = ["exits", "ignores", "finishesTurn", "leavesChild", "commandInOwnGroup"] as const;
export const SIGTERMS = ["ends", "leavesCommand", "ignored"] as const;

export interface EndRound {
  readonly way: EndWay;
  readonly stdinEnd: (typeof STDIN_ENDS)[number];
  readonly sigterm: (typeof SIGTERMS)[number];
}

/** What came of a round. */
export interface EndReport {
  /** Processes that lived before the end: the agent and what it has started. */
  readonly before: number;
  /** Those that live after it, by their ids. */
  readonly left: readonly string[];
  /** ms from the end's cause to its end. */
  readonly ms: number;
}

/** Marks the agent's environment, which everything that it starts inherits. */
const MARK = "ACP_END_ROUND";

/** ms in which a process dies that nobody waits for: the client's own process has ended. */
const DYING = 2_000;

let rounds = 0;

/** Starts an agent whose turn runs a command, ends it in one way, and looks for what is left of it. */
export async function playEnd({ way, stdinEnd, sigterm }: EndRound): Promise<EndReport> {
  const mark = `${process.pid}.${++rounds}`;
  const cancel: MockAcpSwitches = way === "cancelTimeout" ? { cancel: "ignored" } : {};
  await using agent = new MockAcpAgent({
    ...{ stdinEnd, sigterm, ...cancel },
    answer: ["working", acpStep.calls(acpTool.shell("sleep 600", "", { hangs: true, permission: false }))],
  });
  const { command, args, env } = await agent.program();
  const options = { command, args, env: { ...env, [MARK]: mark }, mode: false, cancelTimeout: 50 } as const;
  const isOwned = way === "parentExit" || way === "parentSigterm";
  const end = isOwned ? beginChild(options, way) : beginHere(options, way);
  try {
    await agent.nextPrompt();
    const inside = await agent.waitFor(({ links }) => isWorking(links[0]?.process, stdinEnd));
    const before = living(mark).length;
    const start = performance.now();
    await end.now(inside.pid, (what) => agent.links[0]?.die(what));
    const ms = Math.round(performance.now() - start);
    let left = living(mark);
    // Nobody could wait for their end.
    for (let waited = 0; isOwned && left.length > 0 && waited < DYING; waited += 20) {
      await setTimeout(20);
      left = living(mark);
    }
    return { before, left, ms };
  } finally {
    await end.over();
    for (const pid of living(mark)) process.kill(Number(pid), "SIGKILL");
  }
}

/** The agent's process, once its command and its child run. */
function isWorking(
  agent: MockAcpProcess | undefined,
  stdinEnd: EndRound["stdinEnd"],
): MockAcpProcess | undefined {
  const starts = stdinEnd === "leavesChild" || stdinEnd === "commandInOwnGroup" ? 1 : 0;
  return agent && agent.children.length >= starts ? agent : undefined;
}

type Die = (end: { readonly exit: number } | { readonly signal: "SIGKILL" }) => void;

interface Ending {
  /** Ends the agent. Resolves once the client says that it has ended. */
  now(pid: number, die: Die): Promise<unknown>;
  over(): Promise<unknown>;
}

function beginHere(options: AcpOptions, way: Exclude<EndWay, "parentExit" | "parentSigterm">): Ending {
  const client = new AcpClient(options);
  const turn = client.prompt("go");
  return {
    over: () => client.close({ force: true }),
    async now(pid, die) {
      switch (way) {
        case "close":
          return client.close();
        case "force":
          return client.close({ force: true });
        case "crash":
          die({ exit: 3 });
          return turn.outcome;
        case "crashBySignal":
          die({ signal: "SIGKILL" });
          return turn.outcome;
        case "killedFromOutside":
          process.kill(pid, "SIGKILL");
          return turn.outcome;
        case "cancelTimeout":
          return turn.cancel();
      }
    },
  };
}

/** A program that owns the client, and ends without closing it. */
function beginChild(options: AcpOptions, way: "parentExit" | "parentSigterm"): Ending {
  const script = `
    import { AcpClient } from ${JSON.stringify(join(import.meta.dirname, "../../../src/acp/index.ts"))};
    new AcpClient(${JSON.stringify(options)}).prompt("go");
    process.stdin.once("data", () => process.exit(0));
  `;
  const child: ChildProcess = spawn(
    process.execPath,
    ["--disable-warning=ExperimentalWarning", "--input-type=module-typescript", "-e", script],
    { stdio: ["pipe", "inherit", "inherit"] },
  );
  const ended = once(child, "exit");
  return {
    async now() {
      if (way === "parentExit") child.stdin?.write("end\n");
      else child.kill("SIGTERM");
      return ended;
    },
    async over() {
      child.kill("SIGKILL");
      await ended;
    },
  };
}

/** Processes with the mark that are no zombies: a zombie has no environment. */
function living(mark: string): readonly string[] {
  return readdirSync("/proc").filter((pid) => {
    if (!/^\d+$/.test(pid)) return false;
    try {
      return readFileSync(`/proc/${pid}/environ`, "latin1").split("\0").includes(`${MARK}=${mark}`);
    } catch {
      return false; // it has just ended, or is another user's
    }
  });
}
