// What an agent has this machine do: each request passes the gate, and is a call of the turn.

import type { Gate, Withdraw } from "../core/gate/gate.ts";
import { decideCall, denialOf, inferStart, isUsersWord } from "../core/gate/outcome.ts";
import type { TellPreview } from "../core/gate/preview.ts";
import type { SubjectRules } from "../core/gate/subject.ts";
import type { PromptFiles } from "../core/turn/prompt-files.ts";
import type { Ruling, TurnToolCall } from "../core/values.ts";
import { AgentRefusal, RPC } from "./errors.ts";
import type { SessionTurn } from "./session.ts";

/** The tools of a folder, as `nodeTools({ root })` of `agentwire/codebuff-run/tools` makes them. */
export interface AcpFiles extends PromptFiles {
  readonly handlers: Readonly<Record<string, AcpFileHandler>>;
  readonly readFiles: (paths: readonly string[]) => Promise<Readonly<Record<string, string | null>>>;
}

interface AcpFileHandler {
  (
    call: { readonly id: string; readonly name: string; readonly input: unknown; readonly turnId: string },
    context: { readonly signal: AbortSignal; readonly onProgress?: (output: string) => void },
  ): Promise<readonly { readonly type: string; readonly value?: unknown }[]>;
  readonly preview?: TellPreview;
}

/** What the agent's requests are about, for grants. */
export const DOOR_SUBJECTS: SubjectRules = {
  "fs/read_text_file": { about: "read", paths: "path", free: ["line", "limit"] },
  "fs/write_text_file": { about: "edit", path: "path", free: ["content"] },
  "terminal/create": { about: "command", command: "command", folder: "cwd" },
};

export interface DoorRequest {
  readonly name: keyof typeof DOOR_SUBJECTS & string;
  readonly input: object;
  readonly raw: unknown;
  /** Whether the user has just allowed the same action, in a request of the agent. */
  readonly isAllowed: boolean;
  readonly preview?: TellPreview | undefined;
  /** Called with the withdrawal of a request that waits for the user. */
  readonly asked: (withdraw: Withdraw) => void;
}

/** A request that the gate has let in, as a call of the turn. */
export interface DoorCall {
  readonly id: string;
  readonly turnId: string;
  /** Aborted when the turn is cancelled or its agent is lost. */
  readonly signal: AbortSignal;
  done(output: string): void;
  failed(error: string): void;
}

export class RequestDoor {
  readonly #gate: Gate;

  constructor(gate: Gate) {
    this.#gate = gate;
  }

  /** Asks the gate. @throws AgentRefusal if it denies, and outside of a turn */
  enter(run: SessionTurn | undefined, request: DoorRequest): Promise<DoorCall> {
    const { name, input, raw, isAllowed, preview, asked: opened } = request;
    if (!run?.isAsking)
      return Promise.reject(new AgentRefusal(RPC.invalidParams, "no turn runs in this session", undefined));
    const { turn } = run;
    const id = this.#gate.idFor(name);
    const controller = new AbortController();
    let call: TurnToolCall = { id, name, input, raw, state: "awaiting" };
    const show = (next: TurnToolCall): void => {
      const isOver = turn.tools.get(id)?.state === "abandoned";
      call = next;
      if (!isOver) turn.tools.set(call);
    };
    show(call);
    return new Promise((resolve, reject) => {
      const decided = (ruling: Ruling): void => {
        show(decideCall(call, ruling));
        if (ruling.decision === "reject") {
          run.closed(id);
          const words = denialOf(isUsersWord(ruling.by), ruling.reason);
          reject(new AgentRefusal(RPC.invalidParams, words, undefined));
          return;
        }
        show(inferStart(call));
        run.opened(id, (by) => {
          if (by !== "ended") controller.abort(new Error("the turn is over"));
        });
        const over = (change: Partial<TurnToolCall>): void => {
          run.closed(id);
          show({ ...call, ...change });
        };
        resolve({
          id,
          turnId: turn.id,
          signal: controller.signal,
          done: (output) => over({ state: "done", output }),
          failed: (error) => over({ state: "failed", error, output: error }),
        });
      };
      const asked = { id, name, input, turnId: turn.id, raw };
      const withdraw = this.#gate.ask(asked, { turn, isHandled: true, isAllowed, preview, decided });
      if (call.state !== "awaiting") return;
      run.opened(id, withdraw);
      opened(withdraw);
    });
  }
}
