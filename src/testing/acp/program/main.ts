#!/usr/bin/env node
// The mock ACP agent as a program: relays its stdio to a test, or plays the scenario of MOCK_ACP_SCENARIO.
import { Buffer } from "node:buffer";
import { readFileSync } from "node:fs";
import { Lifeline } from "../../processes/lifeline.ts";
import { ACP_ADDRESS, ACP_CHILD, ACP_SCENARIO } from "../environment.ts";
import type { FromProcess, ToProcess } from "../relay.ts";
import type { PipeEvents } from "../streams.ts";
import { ProcessPort } from "./process-port.ts";

/** The exit code for an invalid scenario: EX_SOFTWARE of sysexits.h. */
const BROKEN = 70;
/** ms that a command lives without a test that ends it. */
const ORPHAN_LIFE = 60_000;

async function main(): Promise<void> {
  const address = process.env[ACP_ADDRESS];
  const parent = process.env[ACP_CHILD];
  if (parent !== undefined) await beChild(address, Number(parent));
  else if (address === undefined) await playAlone();
  else await relay(address);
}

/** A command or a child of an agent: lives until it is killed. */
async function beChild(address: string | undefined, parent: number): Promise<void> {
  if (address === undefined) setTimeout(() => process.exit(0), ORPHAN_LIFE);
  else await (await Lifeline.connect(address, () => {})).greet({ pid: process.pid, parent });
}

/** The agent's behaviour is in the test process; what a process does really happens here. */
async function relay(address: string): Promise<void> {
  const lifeline = await Lifeline.connect(address, (line) => {
    const message: ToProcess = JSON.parse(line);
    if ("out" in message) port.write(Buffer.from(message.out, "base64"));
    else if ("end" in message) port.end(message.end);
    else if ("stay" in message) port.stay();
    else port.command(message.command, message.on);
  });
  const tell = (message: FromProcess): void => lifeline.tell(JSON.stringify(message));
  const port = new ProcessPort();
  listen({
    receive: (bytes) => tell({ in: Buffer.from(bytes).toString("base64") }),
    endInput: () => tell({ ended: true }),
    signalled: (signal) => tell({ signal }),
  });
  const { [ACP_ADDRESS]: _, ...env } = process.env;
  const program = { argv: process.argv.slice(2), cwd: process.cwd(), env };
  await lifeline.greet({ pid: process.pid, program });
  process.stdin.resume();
}

async function playAlone(): Promise<void> {
  const given = process.env[ACP_SCENARIO] ?? "{}";
  const scenario = JSON.parse(/^\s*\{/.test(given) ? given : readFileSync(given, "utf8"));
  // A relaying process starts faster without the agent.
  const [{ AcpHost }, { linkAcp }] = await Promise.all([import("../host.ts"), import("../methods.ts")]);
  const link = linkAcp(new AcpHost(scenario), new ProcessPort(), undefined);
  listen({
    receive: (bytes) => link.receive(bytes),
    endInput: () => link.endInput(),
    signalled: (signal) => link.signalled(signal),
  });
  process.stdin.resume();
}

/** Passes on what happens to this process. It stays alive until it is told to end. */
function listen(events: Omit<PipeEvents, "gone"> & { signalled(signal: string): void }): void {
  process.on("SIGTERM", () => events.signalled("SIGTERM"));
  process.stdin.on("data", (bytes: Buffer) => events.receive(bytes));
  process.stdin.on("error", () => events.endInput());
  process.stdin.on("end", () => events.endInput());
  process.stdin.pause();
  setInterval(() => {}, 2_000_000_000);
}

main().catch((error: unknown) => {
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  process.stderr.write(`mock-acp-agent: ${text}\n`, () => process.exit(BROKEN));
});
