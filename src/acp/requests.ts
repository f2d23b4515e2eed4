// What an agent asks of this machine and its user: permissions, questions, files, terminals.
import { fieldsOf } from "../core/checks.ts";
import type { Gate, Withdraw } from "../core/gate/gate.ts";
import type { Question } from "../core/values.ts";
import type { AcpCore } from "./acp-core.ts";
import { type ElicitationAnswer, readForm } from "./elicitation.ts";
import { AgentRefusal, RPC } from "./errors.ts";
import type { FileRequests } from "./files.ts";
import type { AgentLink } from "./link.ts";
import type { Answering, OpenSession } from "./links.ts";
import { readCallPatch } from "./messages.ts";
import { outcomeOf, previewOf, readPermissionOptions, subjectOfCall } from "./permissions.ts";
import type { TerminalRequests } from "./terminals.ts";

interface Setup {
  readonly core: AcpCore;
  readonly gate: Gate;
  readonly files: FileRequests;
  readonly terminals: TerminalRequests;
}

/** Answers each request of an agent once, also when the turn ends first. */
export class AgentRequests implements Answering {
  readonly #setup: Setup;

  constructor(setup: Setup) {
    this.#setup = setup;
  }

  /** @throws AgentRefusal for what is not offered, and for wrong parameters */
  async answer(
    method: string,
    params: unknown,
    open: OpenSession | undefined,
    signal: AbortSignal,
  ): Promise<unknown> {
    const { files, terminals } = this.#setup;
    const asked = (withdraw: Withdraw): void => this.#onAbort(signal, withdraw);
    switch (method) {
      case "session/request_permission":
        return { outcome: await this.#permission(params, open, signal) };
      case "elicitation/create":
        return this.#question(params, open, signal);
      case "fs/read_text_file":
        return files.read(params, open?.session.running, asked);
      case "fs/write_text_file":
        return files.write(params, open?.session.running, asked);
      case "terminal/create":
        return terminals.create(params, open, asked);
      case "terminal/output":
      case "terminal/wait_for_exit":
      case "terminal/kill":
      case "terminal/release":
        return terminals.answer(method, params);
      default:
        throw new AgentRefusal(RPC.methodNotFound, `the client has no method ${method}`, undefined);
    }
  }

  over(link: AgentLink): void {
    this.#setup.terminals.over(link);
  }

  idle(): Promise<unknown> | undefined {
    return this.#setup.terminals.idle();
  }

  #permission(params: unknown, open: OpenSession | undefined, signal: AbortSignal): Promise<unknown> {
    const { core, gate } = this.#setup;
    const { always } = core.settings;
    const run = open?.session.running;
    const patch = readCallPatch(fieldsOf(params)["toolCall"]);
    const options = readPermissionOptions(params);
    if (!patch) return Promise.reject(new AgentRefusal(RPC.invalidParams, "toolCall has no id", undefined));
    if (!run?.isAsking) return Promise.resolve({ outcome: "cancelled" });
    const tracked = run.asked(patch);
    const { call, wire } = tracked;
    const { id, name, input } = call;
    const preview = previewOf(wire);
    return new Promise((resolve) => {
      const withdraw = gate.ask(
        { id, name, input, turnId: run.turn.id, raw: params },
        {
          turn: run.turn,
          isHandled: false,
          about: { subject: subjectOfCall(wire, name, options, always) },
          preview: preview && (() => preview),
          decided: (ruling) => {
            run.closed(id);
            run.decided(tracked, ruling);
            const { outcome, isMissing } = outcomeOf(ruling, options, always);
            if (isMissing)
              core.warn(
                "no-such-option",
                `the agent offers no answer for \`${ruling.decision}\`; its request was cancelled`,
                {
                  turnId: run.turn.id,
                },
              );
            resolve(outcome);
          },
        },
      );
      if (tracked.call.state !== "awaiting") return;
      run.opened(id, withdraw);
      this.#onAbort(signal, withdraw);
    });
  }

  /** The agent has withdrawn its request. */
  #onAbort(signal: AbortSignal, withdraw: Withdraw): void {
    const abort = (): void =>
      this.#setup.core.outbox.run(() => withdraw("elsewhere", "the agent has withdrawn it"));
    if (signal.aborted)
      abort(); // while a file was read
    else signal.addEventListener("abort", abort, { once: true });
  }

  #question(params: unknown, open: OpenSession | undefined, signal: AbortSignal): Promise<ElicitationAnswer> {
    const { gate } = this.#setup;
    const run = open?.session.running;
    const form = readForm(params);
    if (!form)
      return Promise.reject(new AgentRefusal(RPC.invalidParams, "the form cannot be read", undefined));
    if (run && !run.isAsking) return Promise.resolve({ action: "cancel" });
    const { toolCallId, elicitationId } = fieldsOf(params);
    const native = typeof toolCallId === "string" ? toolCallId : elicitationId;
    const id = gate.idFor(typeof native === "string" ? `question_${native}` : "question");
    const question: Question = {
      id,
      questions: form.items,
      raw: params,
      ...(run ? { turnId: run.turn.id } : {}),
    };
    return new Promise((resolve) => {
      let isSettled = false;
      const withdraw = gate.askQuestion(question, {
        turn: run?.turn,
        answered: ({ answers, by }) => {
          isSettled = true;
          run?.closed(id);
          const isRefused = by === "callback" || by === "reply" || by === "policy";
          resolve(answers ? form.answer(answers) : { action: isRefused ? "decline" : "cancel" });
        },
      });
      if (isSettled) return;
      run?.opened(id, withdraw);
      this.#onAbort(signal, withdraw);
    });
  }
}
