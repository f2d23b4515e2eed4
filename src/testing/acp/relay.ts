// The agent's processes, seen from the test: their stdio is relayed to the mock.
import { Buffer } from "node:buffer";
import { rmSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type LifelineListener, Lifelines } from "../processes/lifelines.ts";
import { findScript } from "../processes/script-path.ts";
import { type Dict, isDict } from "../server/dict.ts";
import { ACP_ADDRESS } from "./environment.ts";
import type { AcpHost } from "./host.ts";
import type { AcpPort } from "./link.ts";
import { linkAcp } from "./methods.ts";
import type { MockAcpProcess } from "./record.ts";

/** How to start the agent as a program. */
export interface MockAcpProgram {
  /** This Node. */
  readonly command: string;
  /** The path of the program. */
  readonly args: readonly string[];
  /** The variables that it needs. */
  readonly env: Readonly<Record<string, string>>;
}

/** What the test tells a process, one JSON object a line. */
export type ToProcess =
  | { readonly out: string }
  | { readonly end: Parameters<AcpPort["end"]>[0] }
  | { readonly command: number; readonly on: boolean }
  | { readonly stay: true };

/** What a process tells the test. Bytes are Base64. */
export type FromProcess = { readonly in: string } | { readonly ended: true } | { readonly signal: string };

/** The bytes of one message to a process. `readline` needs quadratic time for long lines. */
const PIECE = 524_288;

export class AcpProcesses {
  readonly program: MockAcpProgram;
  readonly #folder: string;
  readonly #lifelines: Lifelines;
  readonly #removeNow = (): void => rmSync(this.#folder, { recursive: true, force: true });

  private constructor(program: MockAcpProgram, folder: string, lifelines: Lifelines) {
    this.program = program;
    this.#folder = folder;
    this.#lifelines = lifelines;
    // If the test process ends without `stop()`.
    process.once("exit", this.#removeNow);
  }

  static async open(host: AcpHost): Promise<AcpProcesses> {
    const { path, env } = findScript("mock-acp-agent");
    const folder = await mkdtemp(join(tmpdir(), "mock-acp-"));
    try {
      const families: Families = new Map();
      const lifelines = await Lifelines.open(folder, host.journal, (greeting, say) =>
        relayed(host, families, greeting, say),
      );
      const program = {
        ...{ command: process.execPath, args: [path] },
        env: { ...env, [ACP_ADDRESS]: lifelines.address },
      };
      return new AcpProcesses(program, folder, lifelines);
    } catch (error) {
      await rm(folder, { recursive: true, force: true });
      throw error;
    }
  }

  isGone(pid: number): boolean {
    return this.#lifelines.isGone(pid);
  }

  async stop(): Promise<void> {
    await this.#lifelines.stop();
    process.off("exit", this.#removeNow);
    await rm(this.#folder, { recursive: true, force: true });
  }
}

/** The children of each agent's process, by its pid. A child is listed once its end can be seen. */
type Families = Map<number, number[]>;

/** Links an agent's process to the mock. Its commands and children only greet. */
function relayed(
  host: AcpHost,
  families: Families,
  { pid, parent, program }: Dict,
  say: (line: string) => void,
): LifelineListener | undefined {
  if (!isDict(program)) {
    host.journal.add(families.get(Number(parent)) ?? [], Number(pid));
    return undefined;
  }
  const tell = (message: ToProcess): void => say(JSON.stringify(message));
  // The program of the same build wrote it.
  const facts = program as unknown as Pick<MockAcpProcess, "argv" | "cwd" | "env">;
  const children: number[] = [];
  const signals: string[] = [];
  families.set(Number(pid), children);
  const port: AcpPort = {
    write(bytes) {
      for (let place = 0; place < bytes.length; place += PIECE)
        tell({ out: Buffer.from(bytes.subarray(place, place + PIECE)).toString("base64") });
    },
    end: (end) => tell({ end }),
    command: (command, on) => tell({ command, on }),
    stay: () => tell({ stay: true }),
  };
  const link = linkAcp(host, port, { pid: Number(pid), ...facts, children, signals });
  return {
    line(text) {
      const message: FromProcess = JSON.parse(text);
      if ("in" in message) link.receive(Buffer.from(message.in, "base64"));
      else if ("ended" in message) link.endInput();
      else {
        host.journal.add(signals, message.signal);
        link.signalled(message.signal);
      }
    },
    ended: () => link.gone(),
  };
}
