// Runs the calls of one round: announces them, asks, uses the client's files and terminals, and ends them.
import { type Dict, isDict } from "../server/dict.ts";
import type { AcpAgentFacts } from "./agents.ts";
import { announcement, diffBlock, inputOf, type NamedCall, textBlock, wholeCall } from "./call-messages.ts";
import type { AcpSessionContext } from "./context.ts";
import { permissionOptions } from "./permissions.ts";
import type { AcpMockSettings } from "./profiles.ts";
import type { MockAcpReply } from "./record.ts";
import { isOffered } from "./rules.ts";
import type { MockAcpCall, MockAcpCallOutcome } from "./script.ts";

/** Kinds of calls that need no permission. */
const HARMLESS: ReadonlySet<string> = new Set(["read", "search", "think"]);
const OUTPUT_LIMIT = 50_000;
const NOT_FOUND = -32002;

/** A call and its state. */
interface Standing extends NamedCall {
  /** `said`: the client has seen the call. */
  state: "new" | "said" | "ended";
  optionId: string | undefined;
  /** The terminal that the client made. */
  terminalId: string | undefined;
  stopCommand: (() => void) | undefined;
}

/** The turn of a round. */
export interface CallingTurn {
  readonly session: AcpSessionContext;
  readonly isOver: boolean;
  say(update: Dict): void;
  ask(method: string, params: Dict): Promise<MockAcpReply>;
  delay(ms: number): Promise<void>;
}

export class AcpCallRound {
  readonly #turn: CallingTurn;
  readonly #calls: readonly Standing[];

  constructor(calls: readonly MockAcpCall[], turn: CallingTurn) {
    this.#turn = turn;
    const { host } = turn.session;
    this.#calls = calls.map((call) => {
      const kind = call.kind ?? "other";
      const name = call.name ?? host.facts.tools?.[kind] ?? kind;
      const toolCallId = call.toolCallId ?? host.newCallId(name);
      return {
        ...{ call, toolCallId, name, input: inputOf(call) },
        ...{ state: "new", optionId: undefined, terminalId: undefined, stopCommand: undefined },
      };
    });
  }

  get #settings(): AcpMockSettings {
    return this.#turn.session.host.settings;
  }

  get #facts(): AcpAgentFacts {
    return this.#turn.session.host.facts;
  }

  /** Settles when every call has ended; not before a stopped turn's requests are answered. */
  async run(): Promise<readonly MockAcpCallOutcome[]> {
    const { afterReject, askOrder } = this.#settings;
    if (askOrder === "serial") {
      const outcomes: MockAcpCallOutcome[] = [];
      for (const standing of this.#calls) {
        const outcome = await this.#live(standing);
        outcomes.push(outcome);
        if (this.#turn.isOver || (outcome.state === "rejected" && afterReject !== "continues")) break;
      }
      return outcomes;
    }
    for (const standing of this.#calls) this.#announce(standing);
    const order = askOrder === "reversed" ? [...this.#calls].reverse() : this.#calls;
    const lives = new Map(order.map((standing) => [standing, this.#live(standing)]));
    return Promise.all(this.#calls.flatMap((standing) => lives.get(standing) ?? []));
  }

  /** Ends the open calls of a cancelled turn. */
  close(how: AcpMockSettings["openCallsAtCancel"]): void {
    for (const standing of this.#calls) {
      const { state, terminalId } = standing;
      if (terminalId !== undefined && state !== "ended")
        void this.#turn.ask("terminal/release", { terminalId });
      if (state === "said" && how !== "left") this.#update(standing, { status: how }, true);
    }
    this.stop();
  }

  stop(): void {
    for (const standing of this.#calls) {
      standing.stopCommand?.();
      standing.state = "ended";
    }
  }

  /** One call, from its first message to its last. The outcome of a stopped turn is not used. */
  async #live(standing: Standing): Promise<MockAcpCallOutcome> {
    const { call } = standing;
    this.#announce(standing);
    const unreadable = await this.#readBefore(call);
    if (this.#turn.isOver) return this.#outcome(standing, "failed", "");
    if (unreadable !== undefined) return this.#fail(standing, unreadable);
    if (this.#asks(standing)) {
      const allowed = await this.#ask(standing);
      if (this.#turn.isOver) return this.#outcome(standing, "failed", "");
      if (!allowed) return this.#fail(standing, "User refused permission to run tool", "rejected");
    }
    const { saysRunning, firstStatus } = this.#facts;
    if (saysRunning && !firstStatus) this.#update(standing, { status: "in_progress" });
    return this.#work(standing);
  }

  #asks({ call: { kind = "other", permission }, name }: Standing): boolean {
    const { session } = this.#turn;
    if (permission === false || session.allowed.has(name)) return false;
    return permission !== undefined || (session.asks && !HARMLESS.has(kind));
  }

  /** The first message of a call, unless its permission request is the first. */
  #announce(standing: Standing): void {
    const isAskedFirst = this.#settings.callFirst === "permission" && this.#asks(standing);
    if (standing.state !== "new" || isAskedFirst) return;
    const { first, updates } = announcement(standing, this.#settings, this.#facts);
    standing.state = "said";
    this.#turn.say(first);
    for (const update of updates) this.#update(standing, update);
  }

  async #ask(standing: Standing): Promise<boolean> {
    const { call, name } = standing;
    const { session } = this.#turn;
    const options = Array.isArray(call.permission)
      ? call.permission
      : permissionOptions(this.#settings.options, this.#facts, call.diff !== undefined);
    const toolCall = wholeCall(standing, this.#settings, this.#facts);
    standing.state = "said";
    const reply = await this.#turn.ask("session/request_permission", { toolCall, options });
    const { outcome } = "result" in reply && isDict(reply.result) ? reply.result : {};
    standing.optionId =
      isDict(outcome) && typeof outcome["optionId"] === "string" ? outcome["optionId"] : undefined;
    const chosen = options.find(({ optionId }) => optionId === standing.optionId);
    if (chosen?.kind === "allow_always") session.allowed.add(name);
    return chosen?.kind.startsWith("allow_") === true;
  }

  /** Reads a file that the call changes. Returns why the call fails. */
  async #readBefore({ diff }: MockAcpCall): Promise<string | undefined> {
    const { clientFs } = this.#settings;
    if (!diff || !this.#reads()) return undefined;
    const reply = await this.#turn.ask("fs/read_text_file", { path: diff.path });
    const isNew = diff.oldText === undefined && clientFs !== "strictNotFound";
    if (!("error" in reply) || (isNew && reply.error["code"] === NOT_FOUND)) return undefined;
    return `Error checking existing file: ${String(reply.error["message"])}`;
  }

  async #work(standing: Standing): Promise<MockAcpCallOutcome> {
    const { call } = standing;
    const { clientFs, stdinEnd, terminals } = this.#settings;
    const { session } = this.#turn;
    let { output = "" } = call;
    const isLong = call.hangs === true || (call.delay ?? 0) > 0;
    if (call.command !== undefined && terminals === "client" && this.#offers("terminal/create"))
      return this.#workInTerminal(standing, call.command);
    if (call.command !== undefined && stdinEnd === "commandInOwnGroup" && isLong)
      standing.stopCommand = session.link.startCommand();
    if (
      call.diff &&
      (clientFs === "writeUnoffered" || (clientFs !== "none" && this.#offers("fs/write_text_file")))
    ) {
      const { path, newText: content } = call.diff;
      const reply = await this.#turn.ask("fs/write_text_file", { path, content });
      if ("error" in reply) return this.#fail(standing, String(reply.error["message"]));
    } else if (call.path !== undefined && this.#reads()) {
      const reply = await this.#turn.ask("fs/read_text_file", { path: call.path });
      if ("error" in reply) return this.#fail(standing, String(reply.error["message"]));
      output = contentOf(reply);
    }
    let sent = "";
    for (const piece of call.pieces ?? []) {
      sent += piece;
      this.#piece(standing, sent, piece);
    }
    if (call.hangs === true) return new Promise(() => {});
    await this.#turn.delay(call.delay ?? 0);
    if (this.#turn.isOver) return this.#outcome(standing, "failed", "");
    if (call.error !== undefined) return this.#fail(standing, call.error);
    return this.#complete(standing, output === "" ? sent : output);
  }

  async #workInTerminal(standing: Standing, command: string): Promise<MockAcpCallOutcome> {
    const made = await this.#turn.ask("terminal/create", { command, outputByteLimit: OUTPUT_LIMIT });
    const { terminalId } = "result" in made && isDict(made.result) ? made.result : {};
    if (typeof terminalId !== "string") return this.#fail(standing, "The terminal could not be created");
    standing.terminalId = terminalId;
    if (this.#turn.isOver) {
      // The cancel came first, and found no terminal to release.
      void this.#turn.ask("terminal/release", { terminalId });
      return this.#outcome(standing, "failed", "");
    }
    this.#update(standing, { status: "in_progress", content: [{ type: "terminal", terminalId }] });
    await this.#turn.ask("terminal/wait_for_exit", { terminalId });
    if (this.#turn.isOver) return this.#outcome(standing, "failed", "");
    const read = await this.#turn.ask("terminal/output", { terminalId });
    await this.#turn.ask("terminal/release", { terminalId });
    const { output } = "result" in read && isDict(read.result) ? read.result : {};
    if (this.#turn.isOver) return this.#outcome(standing, "failed", "");
    standing.terminalId = undefined;
    this.#update(standing, { status: "completed" }, true);
    return this.#outcome(standing, "completed", String(output ?? ""));
  }

  /** Output of a running call: all of it so far, or the new part in an own terminal. */
  #piece(standing: Standing, sent: string, piece: string): void {
    const { toolCallId: terminal_id } = standing;
    if (this.#isInOwnTerminal(standing))
      this.#update(standing, { _meta: { terminal_output_delta: { data: piece, terminal_id } } });
    else this.#update(standing, { content: [textBlock(sent)] });
  }

  #complete(standing: Standing, output: string): MockAcpCallOutcome {
    const { call, toolCallId: terminal_id } = standing;
    const { rawOutput } = this.#facts;
    if (this.#isInOwnTerminal(standing)) {
      if (call.pieces === undefined && output !== "") this.#piece(standing, output, output);
      const terminal_exit = { exit_code: 0, signal: null, terminal_id };
      this.#update(standing, { status: "completed", _meta: { terminal_exit } }, true);
    } else {
      const text = output === "" ? [] : [textBlock(output)];
      const content = [...(call.diff ? [diffBlock(call.diff)] : []), ...text];
      this.#update(
        standing,
        { status: "completed", content, ...(rawOutput ? { rawOutput: output } : {}) },
        true,
      );
    }
    return this.#outcome(standing, "completed", output);
  }

  #fail(standing: Standing, text: string, state: "failed" | "rejected" = "failed"): MockAcpCallOutcome {
    const { rawOutput } = this.#facts;
    if (!this.#turn.isOver)
      this.#update(
        standing,
        { status: "failed", content: [textBlock(text)], ...(rawOutput ? { rawOutput: text } : {}) },
        true,
      );
    return this.#outcome(standing, state, text);
  }

  #update(standing: Standing, fields: Dict, isLast = false): void {
    const { toolCallId } = standing;
    if (standing.state === "ended") return;
    const update = { sessionUpdate: "tool_call_update", toolCallId, ...fields };
    standing.state = "said";
    // A stopped turn still ends its calls.
    this.#turn.session.say(update);
    if (!isLast) return;
    const { session } = this.#turn;
    standing.stopCommand?.();
    standing.state = "ended";
    const first = { sessionUpdate: "tool_call", ...wholeCall(standing, this.#settings, this.#facts) };
    if (this.#facts.replaysCallsWhole) session.keep({ ...first, ...fields });
    else for (const each of [first, update]) session.keep(each);
  }

  #outcome(
    { toolCallId, optionId }: Standing,
    state: MockAcpCallOutcome["state"],
    output: string,
  ): MockAcpCallOutcome {
    return { toolCallId, state, output, ...(optionId === undefined ? {} : { optionId }) };
  }

  #isInOwnTerminal({ call }: Standing): boolean {
    return this.#settings.terminals === "own" && call.command !== undefined;
  }

  #reads(): boolean {
    const { clientFs } = this.#settings;
    return (clientFs === "readWrite" || clientFs === "strictNotFound") && this.#offers("fs/read_text_file");
  }

  #offers(method: string): boolean {
    return isOffered(method, {}, this.#turn.session.link.clientCapabilities);
  }
}

function contentOf(reply: MockAcpReply): string {
  return "result" in reply && isDict(reply.result) ? String(reply.result["content"]) : "";
}
