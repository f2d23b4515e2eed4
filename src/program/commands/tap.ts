// `agentwire tap`: a proxy that records what passes, for WebSockets and for agents on stdio.
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { RecordingSink } from "../../testing/index.ts";
import { programFolder } from "../chats.ts";
import type { CommandCall } from "../command.ts";
import { EXIT } from "../exit-codes.ts";
import { wrongCall } from "../failure.ts";
import { TrafficJournal } from "../journal.ts";
import { LOOPBACK, listenOnPort, MAX_PORT } from "../listen.ts";
import { printTo } from "../output.ts";
import { openedFile, type Testing } from "../recording.ts";
import { exitCodeOfSignal, onSignals } from "../signals.ts";

export async function tapCommand(call: CommandCall): Promise<number> {
  const { given, rest } = call;
  const to = given.text("to");
  if ((to === undefined) === (rest.length === 0))
    throw wrongCall(
      "tap stands before a server or before an agent.",
      "Pass --to ws://..., or a command behind --: agentwire tap -- gemini --acp.",
    );
  if (to === undefined) return tapAgent(call);
  return tapServer(call, addressOf(to));
}

function addressOf(to: string): URL {
  const url = URL.canParse(to) ? new URL(to) : undefined;
  if (url && (url.protocol === "ws:" || url.protocol === "wss:")) return url;
  throw wrongCall(
    `--to is ${JSON.stringify(to)}.`,
    "Pass the address of a WebSocket: ws://127.0.0.1:8080/ws.",
  );
}

interface Opened {
  readonly file: string;
  readonly sink: RecordingSink;
}

/** The file of the recording: this user's alone. */
function opened(testing: Testing, { given }: CommandCall): Opened {
  const named = given.text("out");
  if (named !== undefined) return { file: named, sink: openedFile(named, "--out", testing.toFile) };
  const folder = join(programFolder(), "taps");
  const file = join(folder, `${new Date().toISOString().replaceAll(":", "-")}-${process.pid}.jsonl`);
  const make = (): RecordingSink => {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    return testing.toFile(file);
  };
  return { file, sink: openedFile(file, "--out", make) };
}

async function tapServer(call: CommandCall, to: URL): Promise<number> {
  const { given, isJson } = call;
  const port = given.number("listen", 0, MAX_PORT) ?? 0;
  const [{ SocketTap }, testing] = await Promise.all([
    import("../tap/socket-tap.ts"),
    import("../../testing/index.ts"),
  ]);
  const write = printTo(process.stdout);
  let file: Opened | undefined;
  // The file is emptied once the port is there.
  const sink: RecordingSink = { write: (line) => file?.sink.write(line), end: () => file?.sink.end?.() };
  const journal = new TrafficJournal(testing, { write, isJson, sink });
  const tap = new SocketTap(to, journal);
  const bound = await listenOnPort(tap.server, port, LOOPBACK);
  try {
    file = opened(testing, call);
    const signalled = new Promise<NodeJS.Signals>((resolve) => onSignals(resolve));
    const url = `ws://${LOOPBACK}:${bound}${to.pathname}`;
    write(
      `${JSON.stringify({ ev: "ready", ready: true, url, to: to.href, out: file.file, pid: process.pid })}\n`,
    );
    const signal = await signalled;
    return signal === "SIGINT" ? exitCodeOfSignal(signal) : EXIT.done;
  } finally {
    await tap.close();
    await journal.stop();
  }
}

async function tapAgent(call: CommandCall): Promise<number> {
  const { given, rest, isJson } = call;
  if (given.has("listen"))
    throw wrongCall("--listen is for --to.", "Leave it out: an agent speaks over stdio.");
  const [{ tapStdio }, testing] = await Promise.all([
    import("../tap/stdio-tap.ts"),
    import("../../testing/index.ts"),
  ]);
  const { file, sink } = opened(testing, call);
  const tell = (words: string, facts: object): void =>
    void process.stderr.write(isJson ? `${JSON.stringify(facts)}\n` : `agentwire tap: ${words}\n`);
  const write = (): void => {}; // an editor shows what an agent writes to stderr
  const journal = new TrafficJournal(testing, { write, isJson, sink });
  try {
    tell(`recording to ${file}`, { ev: "ready", ready: true, out: file, pid: process.pid });
    const { code, lines } = await tapStdio(rest, journal);
    tell(`${lines.client} lines to the agent, ${lines.server} from it, exit code ${code}`, {
      ev: "end",
      out: file,
      ...lines,
      exit_code: code,
    });
    return code;
  } finally {
    await journal.stop();
  }
}
