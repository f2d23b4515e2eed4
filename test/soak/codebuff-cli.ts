import { tmpdir } from "node:os";
import { CodebuffCli } from "../../src/codebuff-cli/index.ts";
import {
  FakeCodebuffCli,
  type FakeCodebuffScenario,
  type FakeCodebuffStep,
} from "../../src/testing/index.ts";
import type { ClientOrder, Driver, Scene, Server, SoakClient, WireFrame } from "./driver.ts";
import { member } from "./driver.ts";
import { type ChapterPlan, promptOf, type TurnPlan, turnNamedIn } from "./plan.ts";

/** There is no link: the faults are those of processes and of their pipes. */
export const codebuffCliDriver: Driver = {
  excused: new Set(),
  serve,
  client,
  textOf,
  callOf: () => undefined,
  meaningOf: ({ raw }) => ({ prompt: turnNamedIn(raw) }),
};

async function serve({ chapter, planOf }: Scene): Promise<Server> {
  const byPrompt = Object.fromEntries(
    chapter.turns.map((turn) => [promptOf(turn.number), [...stepsOf(turn)]]),
  );
  const cli = await FakeCodebuffCli.start({ events: { byPrompt }, ...oddOutput(chapter) });
  const running = () => cli.runs().filter(({ end }) => end === undefined);
  const killing = killPlanned(cli, (prompt) => SIGNALS[planOf(turnNamedIn(prompt))?.ending ?? "answer"]);
  return {
    port: 0,
    program: { command: cli.command, args: cli.args, env: cli.env },
    get frames() {
      return cli.runs().map(({ prompt = "", pid }): WireFrame => {
        return { direction: "c2s", raw: prompt, connection: { id: pid } };
      });
    },
    violations: [],
    restart: () => {
      for (const { pid } of running()) kill(pid, "SIGKILL");
    },
    left: () => running().map(({ pid }) => `the process ${pid}`),
    stop: async () => {
      await cli.stop();
      await killing;
    },
  };
}

/** What ends the process of a turn that is not to come to its end by itself. */
const SIGNALS: Partial<Readonly<Record<TurnPlan["ending"], "SIGKILL" | "SIGTERM">>> = {
  drop: "SIGKILL",
  error: "SIGTERM",
};

async function killPlanned(
  cli: FakeCodebuffCli,
  signalOf: (prompt: string) => "SIGKILL" | "SIGTERM" | undefined,
): Promise<void> {
  try {
    for (;;) {
      const { pid, prompt = "" } = await cli.nextRun();
      const signal = signalOf(prompt);
      if (signal) kill(pid, signal);
    }
  } catch {
    // The fake was stopped.
  }
}

function kill(pid: number, signal: "SIGKILL" | "SIGTERM"): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It has ended in this moment.
  }
}

/** How the output comes: in pieces, with lines that are no events, beside a flood of errors. */
function oddOutput({ variant, weather }: ChapterPlan): FakeCodebuffScenario {
  return {
    ...(variant % 2 === 0 ? { chunkBytes: 1 + (variant % 997) } : {}),
    ...(variant % 3 === 0 ? { newline: "\r\n" } : {}),
    ...(variant % 5 === 0 ? { junk: 3 } : {}),
    ...(variant % 7 === 0 ? { stderrFlood: 100_000 } : {}),
    // The program's 100 ms may pass before a busy machine lets the client write to stdin.
    ...(weather === "calm" ? { stdinWaitMs: 60_000 } : {}),
    ...(weather === "rough" && variant % 11 === 0 ? { ignoreSigterm: true } : {}),
  };
}

function* stepsOf({ chunks, ending, number }: TurnPlan): Generator<FakeCodebuffStep> {
  yield { type: "start", messageHistoryLength: 0 };
  for (const { text, pause } of chunks) {
    if (pause > 0) yield { delayMs: pause };
    yield { type: "text", text };
  }
  if (ending !== "answer") yield { hold: `for ever ${number}` };
  yield { type: "finish", totalCost: 1 };
}

function client({ plan, clock, signal, patience, program }: ClientOrder): SoakClient {
  if (!program) throw new Error("the fake has a program");
  const made = new CodebuffCli({
    ...program,
    homeDir: tmpdir(),
    clock,
    signal,
    promptVia: plan.variant % 4 === 0 ? "stdin" : "arg",
    maxProcesses: plan.variant % 3 === 0 ? 1 : 2,
    startupTimeout: 5_000 * patience,
    idleTimeout: 600 * patience,
    exitGrace: 300 * patience,
    killGrace: 300,
  });
  return made as unknown as SoakClient;
}

function textOf(event: unknown): string {
  const text = member(event, "type") === "text" ? member(event, "text") : "";
  return typeof text === "string" ? text : "";
}
