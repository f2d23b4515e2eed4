// Starts an agent, passes its stdio on, and records its lines. Stdout is the agent's: all words go to stderr.
import { constants } from "node:os";
import { systemClock } from "../../core/clock.ts";
import { GroupProcess, OPEN_INPUT } from "../../process/group-process.ts";
import { LineSplitter } from "../../process/lines.ts";
import { locate } from "../../process/program.ts";
import { EXIT } from "../exit-codes.ts";
import { wrongCall } from "../failure.ts";
import type { TrafficJournal } from "../journal.ts";
import { onSignals } from "../signals.ts";

/** Bytes of a line: as much as clients receive. */
const MAX_LINE_BYTES = 128 * 1_024 * 1_024;

/** Bytes that the agent has not read, before whoever started the tap has to wait. */
const MAX_UNREAD = 65_536;

/** ms for an agent to end whose reader has left. */
const GRACE = 5_000;

export interface StdioTap {
  readonly code: number;
  /** Lines to the agent and from it. */
  readonly lines: { readonly client: number; readonly server: number };
}

/** Resolves when the agent and all that it has started in its group have ended. @throws Failure for a program that cannot be started */
export async function tapStdio(
  [command = "", ...args]: readonly string[],
  journal: TrafficJournal,
): Promise<StdioTap> {
  const { stdin, stdout, stderr, env } = process;
  const program = located(command, env);
  // Credentials of the environment are known by their names, so that none reaches the recording.
  const recorded = journal.open("stdio:", env);
  const lines = { client: 0, server: 0 };
  const splitters = { client: new LineSplitter(MAX_LINE_BYTES), server: new LineSplitter(MAX_LINE_BYTES) };
  const note = (from: "client" | "server", line: ReturnType<LineSplitter["end"]>): void => {
    if (typeof line === "object")
      journal.problem(`a line of ${line.skipped} bytes of the ${from} is too long`);
    else if (line !== undefined && line.trim() !== "") {
      lines[from]++;
      recorded.pass(from, line);
    }
  };
  const read = (from: "client" | "server", piece: Uint8Array): void => {
    for (const line of splitters[from].push(piece)) note(from, line);
  };
  let left: "client" | "server" | undefined;
  return new Promise((resolve, reject) => {
    const over = (code: number): void => {
      for (const from of ["client", "server"] as const) note(from, splitters[from].end());
      recorded.end(1000, `exit ${code}`, left ?? "server");
      resolve({ code, lines });
    };
    const agent = new GroupProcess({
      command: program.command,
      args: [...program.args, ...args],
      cwd: undefined,
      env,
      input: OPEN_INPUT,
      forwardSignals: true,
      scope: "group",
      clock: systemClock,
      listener: {
        stdout: (piece) => {
          if (!stdout.write(piece)) agent.pause();
          read("server", piece);
        },
        stderr: (piece) => void stderr.write(piece),
        inputDrained: () => stdin.resume(),
        exited: () => stdin.pause(),
        ended: ({ code, signal }) => over(code ?? 128 + (constants.signals[signal as NodeJS.Signals] ?? 0)),
        abandoned: () => {},
        failed: (error) => reject(notStarted(command, error)),
      },
    });
    onSignals(() => {}); // they are forwarded; a second one kills what is left
    stdout.on("drain", () => agent.resume());
    stdout.on("error", () => agent.terminate(GRACE)); // nobody reads what the agent says
    stdin.on("data", (piece: Buffer) => {
      if (agent.write(piece) > MAX_UNREAD) stdin.pause();
      read("client", piece);
    });
    stdin.on("end", () => {
      left ??= "client";
      agent.endInput();
    });
    stdin.on("error", () => agent.endInput());
  });
}

function located(command: string, env: NodeJS.ProcessEnv): ReturnType<typeof locate> {
  try {
    return locate(command, env);
  } catch (error) {
    throw notStarted(command, error as NodeJS.ErrnoException);
  }
}

function notStarted(command: string, { code }: NodeJS.ErrnoException): Error {
  if (code === "ENOENT" || code === "EACCES" || code === "EINVAL")
    return wrongCall(
      `${command} cannot be started: ${code}.`,
      "Pass a program of this machine, and its arguments, behind --.",
    );
  return wrongCall(`${command} cannot be started: ${code ?? "unknown"}.`, `Exit code ${EXIT.wrongCall}.`);
}
