// Runs one tool call: approval, handler, result.
import { answerOutput, questionOf } from "../../codebuff-events/ask-user.ts";
import type { ToolOutput } from "../../codebuff-events/print-mode.ts";
import { describe } from "../../core/checks.ts";
import type { CancelTimer } from "../../core/clock.ts";
import { deferred } from "../../core/deferred.ts";
import { InvalidInputError } from "../../core/errors.ts";
import type { Asking, Withdraw } from "../../core/gate/gate.ts";
import type { AskingTurn } from "../../core/gate/open-request.ts";
import { denialOf, isUsersWord } from "../../core/gate/outcome.ts";
import type { Reply, Ruling, TurnToolCall } from "../../core/values.ts";
import { assertWanted, type Shared, showCall, tell, wordsOf } from "../agents/shared.ts";
import {
  type CodebuffRunToolCall,
  type CodebuffRunToolHandler,
  failure,
  readOutput,
  withinLimits,
} from "./toolbox.ts";

/** ms for a tool to end after a stop. Longer than the shell needs to end its commands. */
const STOP_GRACE = 2_000;

type Now = Pick<TurnToolCall, "state" | "output" | "error" | "deniedBy" | "reason">;

/** A tool that runs. */
export interface Started {
  readonly output: Promise<readonly ToolOutput[]>;
}

export class ToolRun {
  readonly #shared: Shared;
  readonly #call: CodebuffRunToolCall;
  readonly #about: Asking["about"];

  /** @param about what the call is about, if the gate's rules do not know */
  constructor(shared: Shared, call: CodebuffRunToolCall, about?: Asking["about"]) {
    this.#shared = shared;
    this.#call = call;
    this.#about = about;
  }

  show(now: Now): void {
    const { id, name, input, raw } = this.#call;
    showCall(this.#shared, { id, name, input, raw, ...now });
  }

  /** Gets approval, then starts the handler. Throws only the stop's reason. */
  async start(handler: CodebuffRunToolHandler): Promise<Started> {
    const refusal = await this.#refusal(handler.preview);
    return { output: refusal ? Promise.resolve(refusal) : this.#execute(handler) };
  }

  /** Gets approval, then runs sub-agents. They have their own limits, and have ended when this settles. */
  async spawn(agents: () => Promise<readonly ToolOutput[]>): Promise<readonly ToolOutput[]> {
    const refusal = await this.#refusal();
    if (refusal) return refusal;
    this.show({ state: "running" });
    assertWanted(this.#shared); // a listener may have stopped the run
    return this.done(await agents());
  }

  /** Gets approval. Returns a result if the call was denied. */
  async #refusal(preview?: CodebuffRunToolHandler["preview"]): Promise<readonly ToolOutput[] | undefined> {
    const { gate } = this.#shared;
    const call = this.#call;
    const about = this.#about;
    const shown: Asking["preview"] = preview && ((_, context) => preview(call, context));
    const ruling = await this.#settled<Ruling>((turn, decided) =>
      gate.ask(call, { turn, isHandled: true, about, preview: shown, decided }),
    );
    assertWanted(this.#shared);
    if (ruling.decision === "reject") return this.#denied(ruling);
    this.show({ state: "approved" });
    return undefined;
  }

  async ask(): Promise<readonly ToolOutput[]> {
    const question = questionOf(this.#call);
    if (!question) return this.done(failure("the input is no question"));
    const { gate } = this.#shared;
    const reply = await this.#settled<Reply>((turn, answered) =>
      gate.askQuestion(question, { turn, answered }),
    );
    assertWanted(this.#shared);
    const { answers, by, reason = by } = reply;
    if (answers || isUsersWord(by)) return this.done(answerOutput(question, answers));
    return this.done(failure(`the question was not answered: ${reason}`));
  }

  done(output: readonly ToolOutput[]): readonly ToolOutput[] {
    const [part] = output;
    const value = part?.type === "json" ? part.value : undefined;
    const error =
      typeof value === "object" && value !== null ? Reflect.get(value, "errorMessage") : undefined;
    if (typeof error === "string") this.show({ state: "failed", error, output });
    else this.show({ state: "done", output });
    return output;
  }

  #denied({ by, reason }: Ruling): readonly ToolOutput[] {
    const isUsers = isUsersWord(by);
    const why = reason === undefined ? undefined : this.#shared.core.redactor.redact(reason);
    this.show({
      state: "denied",
      deniedBy: isUsers ? "user" : "policy",
      ...(why === undefined ? {} : { reason: why }),
    });
    return failure(denialOf(isUsers, why));
  }

  #settled<Outcome>(
    ask: (turn: AskingTurn, settled: (outcome: Outcome) => void) => Withdraw,
  ): Promise<Outcome> {
    const { core, waiting } = this.#shared;
    return new Promise((resolve) => {
      core.outbox.run(() => {
        let isSettled = false;
        let withdraw: Withdraw | undefined;
        withdraw = ask(this.#waiting(), (outcome) => {
          isSettled = true;
          if (withdraw) waiting.delete(withdraw);
          resolve(outcome);
        });
        if (!isSettled) waiting.add(withdraw);
      });
    });
  }

  /** Shows the call as `awaiting` first: the app's callback may decide at once. */
  #waiting(): AskingTurn {
    const { turn } = this.#shared;
    const show = (): void => this.show({ state: "awaiting" });
    return {
      get status() {
        return turn.status;
      },
      hold: () => turn.hold(),
      opened: (request) => {
        show();
        turn.opened(request);
      },
      closed: (id) => turn.closed(id),
    };
  }

  async #execute(handler: CodebuffRunToolHandler): Promise<readonly ToolOutput[]> {
    const { core, signal, abandoned, turn } = this.#shared;
    const { clock, settings } = core;
    const { name } = this.#call;
    const controller = new AbortController();
    const early = deferred<"stopped" | "late">();
    let cancelTimer: CancelTimer = () => {};
    const giveUp = (): void => early.resolve("stopped");
    const stop = (): void => {
      cancelTimer();
      cancelTimer = clock.setTimeout(giveUp, STOP_GRACE);
      core.outbox.tell(() => controller.abort(signal.reason));
    };
    const expire = (): void => {
      early.resolve("late");
      core.outbox.tell(() => controller.abort(new Error(`the tool \`${name}\` has taken too long`)));
    };
    if (settings.toolTimeout > 0) cancelTimer = clock.setTimeout(expire, settings.toolTimeout);
    signal.addEventListener("abort", stop, { once: true });
    abandoned.addEventListener("abort", giveUp, { once: true });
    let isOver = false;
    const onProgress = (output: string): void => {
      if (!isOver) this.#progress(output);
    };
    this.show({ state: "running" });
    const unhold = turn.hold(); // pauses the turn's timeouts: this machine works
    try {
      assertWanted(this.#shared); // a listener may have stopped the run
      const context = { signal: controller.signal, onProgress };
      const end = await Promise.race([outcomeOf(handler, this.#call, context), early.promise]);
      if (end === "stopped") return failure("Interrupted.");
      if (end === "late") return this.#failed(`${name} did not answer within ${settings.toolTimeout} ms`);
      if ("output" in end) return this.done(withinLimits(end.output));
      return signal.aborted
        ? failure("Interrupted.")
        : this.#failed(wordsOf(this.#shared, end.error), end.error);
    } finally {
      isOver = true;
      cancelTimer();
      signal.removeEventListener("abort", stop);
      abandoned.removeEventListener("abort", giveUp);
      core.outbox.run(unhold);
    }
  }

  /** Emits progress. @throws InvalidInputError, in the tool, for output that is not a string */
  #progress(output: unknown): void {
    if (typeof output !== "string")
      throw new InvalidInputError(`the progress is ${describe(output)}.`, "Pass a string.");
    const { id: toolCallId, name: toolName } = this.#call;
    tell(this.#shared, { type: "tool_progress", toolCallId, toolName, output }, output.length);
  }

  #failed(why: string, cause?: unknown): readonly ToolOutput[] {
    const { core, turn } = this.#shared;
    core.warn("handler-failed", `the handler of ${this.#call.name} failed: ${why}`, {
      cause,
      turnId: turn.id,
    });
    return this.done(failure(why));
  }
}

async function outcomeOf(
  handler: CodebuffRunToolHandler,
  call: CodebuffRunToolCall,
  context: Parameters<CodebuffRunToolHandler>[1],
): Promise<{ readonly output: readonly ToolOutput[] } | { readonly error: unknown }> {
  try {
    return { output: readOutput(await handler(call, context)) };
  } catch (error) {
    return { error };
  }
}
