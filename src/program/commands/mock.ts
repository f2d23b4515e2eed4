// `agentwire mock`: a mock server, or a mock agent on stdio.
import { checkName } from "../../core/names.ts";
import type { CommandCall } from "../command.ts";
import { EXIT } from "../exit-codes.ts";
import { ProgramFailure, wrongCall } from "../failure.ts";
import { TrafficJournal } from "../journal.ts";
import { MAX_PORT } from "../listen.ts";
import { type MockRow, type RunningMock, SOCKET_MOCKS, startReplay } from "../mock/mocks.ts";
import { type MockScript, mockOptions, readScript } from "../mock/script.ts";
import { ACP_SWITCH_VALUES } from "../mock/switch-values.ts";
import { switchesOf } from "../mock/switches.ts";
import { printTo } from "../output.ts";
import { openedFile, type Testing } from "../recording.ts";
import { exitCodeOfSignal, onSignals } from "../signals.ts";

export async function mockCommand(call: CommandCall): Promise<number> {
  const [name = ""] = call.args;
  checkName(name, { ...SOCKET_MOCKS, acp: true }, "mock");
  const row = SOCKET_MOCKS[name];
  const { given } = call;
  const port = given.number("port", 0, MAX_PORT);
  const switches = switchesOf(given.list("switch"), row?.values ?? ACP_SWITCH_VALUES);
  const file = given.text("script");
  const script = file === undefined ? undefined : await readScript(file);
  if (script?.type === "recording") refuseBeside(call);
  const testing = await import("../../testing/index.ts");
  if (row) return serveMock({ name, row, testing, script, switches, port: port ?? 0, call });
  if (port !== undefined)
    throw wrongCall(
      "acp speaks over stdio, and has no port.",
      "Leave out --port: whoever starts the program talks with it.",
    );
  const { playAcp } = await import("../mock/acp.ts");
  return playAcp({ testing, script, switches, call });
}

/** A recording says everything already. */
function refuseBeside({ given }: CommandCall): void {
  for (const name of ["switch", "record"])
    if (given.has(name))
      throw wrongCall(
        `--${name} does nothing while a recording is played.`,
        `Leave out --${name}, or pass another --script.`,
      );
}

interface ServeSetup {
  readonly name: string;
  readonly row: MockRow;
  readonly testing: Testing;
  readonly script: MockScript | undefined;
  readonly switches: Readonly<Record<string, unknown>>;
  readonly port: number;
  readonly call: CommandCall;
}

async function serveMock({ name, testing, call, ...setup }: ServeSetup): Promise<number> {
  const { given, isJson } = call;
  const mock = await started({ name, testing, call, ...setup });
  try {
    const path = given.text("record");
    const sink = path === undefined ? undefined : openedFile(path, "--record", testing.toFile);
    const write = printTo(process.stdout);
    const journal = new TrafficJournal(testing, { write, isJson, sink });
    const signalled = new Promise<number>((resolve) =>
      onSignals((signal) => resolve(signal === "SIGINT" ? exitCodeOfSignal(signal) : EXIT.done)),
    );
    write(`${JSON.stringify({ ev: "ready", ready: true, mock: name, ...mock.ready, pid: process.pid })}\n`);
    try {
      return await Promise.race([signalled, mock.watch(journal).then(() => EXIT.done)]);
    } finally {
      await journal.stop();
    }
  } finally {
    await mock.stop().catch(() => {}); // a mistake in the script has ended the watch already
  }
}

/** @throws Failure for a port that is taken, and for a recording that cannot be played */
async function started({
  name,
  row,
  testing,
  script,
  switches,
  port,
  call,
}: ServeSetup): Promise<RunningMock> {
  try {
    if (script?.type !== "recording")
      return await row.start(testing, { ...mockOptions(script, row.makers(testing)), ...switches }, port);
    if (name === "backend")
      throw wrongCall("backend plays no recording: it speaks HTTP.", "Pass a script with `answer`.");
    return await startReplay(testing, script.text, port);
  } catch (error) {
    const { message, cause } = error as Error;
    if ((cause as NodeJS.ErrnoException | undefined)?.code === "EADDRINUSE")
      throw new ProgramFailure(
        EXIT.failed,
        `Port ${port} is taken.`,
        "Pass another one, or leave out --port for a free one.",
      );
    if (script?.type === "recording" && /recording/.test(message))
      throw wrongCall(
        `${call.given.text("script")} cannot be played: ${message}.`,
        "Pass what `agentwire tap` or `agentwire mock --record` has written, or a script.",
      );
    throw error;
  }
}
