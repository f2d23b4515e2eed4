// `agentwire mock acp`: an agent on stdio. Stdout is the protocol's, so all words go to stderr.
import { closeSync } from "node:fs";
import type { CommandCall } from "../command.ts";
import { EXIT } from "../exit-codes.ts";
import { TrafficJournal } from "../journal.ts";
import { printTo } from "../output.ts";
import { openedFile, type Testing } from "../recording.ts";
import { exitCodeOfSignal, onSignals } from "../signals.ts";
import { LinePlayer } from "./acp-replay.ts";
import { type MockScript, mockOptions } from "./script.ts";

/** ms: about as long as a timer can be. */
const LONG = 2_000_000_000;

export interface AcpSetup {
  readonly testing: Testing;
  readonly script: MockScript | undefined;
  readonly switches: Readonly<Record<string, unknown>>;
  readonly call: CommandCall;
}

export async function playAcp(setup: AcpSetup): Promise<number> {
  const { testing, script } = setup;
  const file = setup.call.given.text("script") ?? "";
  if (script?.type === "recording") return new LinePlayer(testing, script.text, file).play();
  return playMock(setup);
}

async function playMock({ testing, script, switches, call }: AcpSetup): Promise<number> {
  const { stdin, stdout, stderr } = process;
  const options = { ...mockOptions(script, testing.acpStep), ...switches };
  const agent = new testing.MockAcpAgent(options);
  const path = call.given.text("record");
  const sink = path === undefined ? undefined : openedFile(path, "--record", testing.toFile);
  const write = printTo(stderr);
  const journal = new TrafficJournal(testing, { write, isJson: call.isJson, sink });
  const signalled = new Promise<number>((resolve) =>
    onSignals((signal) => {
      if (signal !== "SIGTERM" || options["sigterm"] !== "ignored") resolve(exitCodeOfSignal(signal));
    }),
  );
  const { readable, writable, link } = agent.connect();
  write(`${JSON.stringify({ ev: "ready", ready: true, mock: "acp", pid: process.pid })}\n`);
  const recorded = journal.open("stdio:", {});
  let lines = 0;
  let violations = 0;
  const watched = agent.waitFor(() => {
    for (const { direction, raw } of agent.lines.slice(lines))
      recorded.pass(direction === "in" ? "client" : "server", raw.replace(/\r?\n$/, ""));
    lines = agent.lines.length;
    for (const { kind, detail } of agent.violations.slice(violations))
      journal.note({ ev: "violation", conn: 1, kind, detail });
    violations = agent.violations.length;
    return link.ended;
  });
  const input = writable.getWriter();
  stdin.on("data", (bytes: Buffer) => void input.write(bytes).catch(() => {})); // it has ended
  stdin.on("end", () => void input.close().catch(() => {}));
  const written = (async () => {
    for await (const bytes of readable)
      await new Promise<void>((resolve) => stdout.write(bytes, () => resolve()));
  })();
  const alive = setInterval(() => {}, LONG); // some agents live on behind the end of their input
  try {
    const code = await Promise.race([
      signalled,
      watched.then(async (end) => {
        await written;
        if (end === "killed") return EXIT.failed;
        if ("exit" in end) return end.exit;
        if ("signal" in end) process.kill(process.pid, end.signal);
        else closeSync(1);
        return await signalled;
      }),
    ]);
    recorded.end(1000, `exit ${code}`, link.inputEnded ? "client" : "server");
    return code;
  } finally {
    clearInterval(alive);
    await agent.stop().catch(() => {}); // a mistake in the script has ended the watch already
    await journal.stop();
  }
}
