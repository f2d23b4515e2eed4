// Pure: the tool calls of one turn, made and changed by any message about them.
import { isObject } from "../core/checks.ts";
import { decideCall } from "../core/gate/outcome.ts";
import { hasEnded, type Ruling, type TurnToolCall } from "../core/values.ts";
import { textOfContent } from "./blocks.ts";
import type { AcpToolCall, CallPatch } from "./messages.ts";

/** A call of a turn, with all that its messages have said. */
export interface TrackedCall {
  /** The current state. */
  call: TurnToolCall;
  /** The agent's fields, merged. */
  wire: AcpToolCall;
  toolName: string | undefined;
  /** The output of a terminal of the agent. */
  terminal: string;
  /** Whether the agent has said that the call runs, while this client still waits for a permission request. */
  isHeld: boolean;
  /** Whether the content describes the call, and is no output. */
  isInput: boolean;
  /** How much of the output was told. */
  told: string;
  /** What the last permission request has shown. Later messages may change the call, and not this. */
  shown: ShownCall | undefined;
  /** The decision on `shown`. */
  ruling: Ruling | undefined;
}

/** What a permission request has shown. */
interface ShownCall {
  readonly input: unknown;
  readonly wire: AcpToolCall;
}

/** A call that was allowed: only what was shown is. */
export interface AllowedCall {
  readonly shown: ShownCall;
  readonly ruling: Ruling;
}

/** The effect of a message on a call. */
export interface CallStep {
  readonly tracked: TrackedCall;
  /** Whether the call has changed for users. */
  readonly isChanged: boolean;
  /** New output of the running call. */
  readonly delta: string;
  /** The agent says that the call runs: wait for a permission request, then {@link release} it. */
  readonly isHeld: boolean;
}

/**
 * The calls of one turn. A call is made by the first message about it, whatever the message is.
 *
 *     requested ──in_progress──▶ (held) ──HOLD ms without a request──▶ running ──▶ done | failed
 *         │                         │                                    │
 *         └── request_permission ───┴──▶ awaiting ──▶ approved ──────────┴──▶ done | failed
 *                                            └──▶ denied
 */
export class AcpCalls {
  readonly #byWireId = new Map<string, TrackedCall>();
  readonly #idFor: (toolCallId: string) => string;

  /** @param idFor makes an id that is unique in the client from the agent's id, a new one at each call */
  constructor(idFor: (toolCallId: string) => string) {
    this.#idFor = idFor;
  }

  get(toolCallId: string): TrackedCall | undefined {
    return this.#byWireId.get(toolCallId);
  }

  /** The calls that the user has allowed, and that have not ended. A call may also run without a permission. */
  get allowed(): readonly AllowedCall[] {
    return [...this.#byWireId.values()].filter(
      (tracked): tracked is TrackedCall & AllowedCall =>
        tracked.shown !== undefined &&
        tracked.ruling !== undefined &&
        tracked.ruling.decision !== "reject" &&
        !hasEnded(tracked.call),
    );
  }

  /** Handles a `tool_call` or `tool_call_update`. Undefined if the message changes nothing. */
  update(patch: CallPatch, isNew: boolean): CallStep | undefined {
    const known = this.#byWireId.get(patch.toolCallId);
    const tracked = known && !(isNew && hasEnded(known.call)) ? known : this.#add(patch.toolCallId);
    if (hasEnded(tracked.call)) return undefined; // the end of a denied call, or a late detail
    merge(tracked, patch);
    const { status } = tracked.wire;
    if (status === "completed" || status === "failed") return end(tracked, status);
    const { state } = tracked.call;
    if (state === "requested" && (status === "in_progress" || tracked.isHeld)) tracked.isHeld = true;
    if (state === "approved" && status === "in_progress") set(tracked, { state: "running" });
    describeCall(tracked, state === "requested");
    return {
      tracked,
      isChanged: true,
      delta: tracked.call.state === "running" ? grown(tracked) : "",
      isHeld: tracked.isHeld && state === "requested",
    };
  }

  /**
   * The agent asks for permission. A second request about a call that was decided is about a new call: an answer names
   * what was shown.
   */
  ask(patch: CallPatch): { readonly tracked: TrackedCall; readonly replaced?: TrackedCall } {
    const known = this.#byWireId.get(patch.toolCallId);
    const isAskedAgain = known !== undefined && (known.ruling !== undefined || hasEnded(known.call));
    const isOpen = known?.call.state === "awaiting";
    const tracked = !known || isAskedAgain || isOpen ? this.#add(patch.toolCallId) : known;
    if (known && tracked !== known) {
      const { status: _status, rawOutput: _output, ...wire } = known.wire; // how the other call went
      tracked.wire = wire;
      tracked.toolName = known.toolName;
    }
    merge(tracked, patch);
    tracked.isHeld = false;
    tracked.isInput = true;
    describeCall(tracked, true);
    set(tracked, { state: "awaiting" });
    tracked.shown = { input: tracked.call.input, wire: tracked.wire };
    if (!known || !isAskedAgain || hasEnded(known.call)) return { tracked };
    set(known, { state: "abandoned" });
    return { tracked, replaced: known };
  }

  /** Nothing was asked about the call for a while: it runs. */
  release(tracked: TrackedCall): CallStep {
    const isChanged = tracked.isHeld && tracked.call.state === "requested";
    tracked.isHeld = false;
    if (isChanged) {
      describeCall(tracked, true);
      set(tracked, { state: "running" });
    }
    return { tracked, isChanged, delta: isChanged ? grown(tracked) : "", isHeld: false };
  }

  #add(toolCallId: string): TrackedCall {
    const wire: AcpToolCall = { toolCallId };
    const tracked: TrackedCall = {
      call: { id: this.#idFor(toolCallId), name: "other", input: {}, state: "requested", raw: wire },
      wire,
      toolName: undefined,
      terminal: "",
      isHeld: false,
      isInput: false,
      told: "",
      shown: undefined,
      ruling: undefined,
    };
    this.#byWireId.set(toolCallId, tracked);
    return tracked;
  }
}

/** The gate has decided. */
export function decideTracked(tracked: TrackedCall, ruling: Ruling): void {
  tracked.ruling = ruling;
  if (tracked.call.state === "awaiting") tracked.call = decideCall(tracked.call, ruling);
}

/** Whether the user has decided on this very call. A rule or a grant has only seen its name and input. */
export function isSeen({ ruling: { by } }: AllowedCall): boolean {
  return by === "callback" || by === "reply";
}

/** Whether the decision may be about such an action: a rule or a grant for reading is not about writing. */
export function isFor(call: AllowedCall, kind: "edit" | "execute"): boolean {
  const { wire } = call.shown;
  return isSeen(call) || wire.kind === kind || (wire.kind === undefined && !hasInput(wire));
}

/** The kinds of calls that run no tool: Codex says so of its own review. */
export function isTool({ toolCallId }: AcpToolCall): boolean {
  return !toolCallId.startsWith("guardian_assessment:");
}

/** Whether the agent has sent the input of the call, so that a grant can name it. */
export function hasInput({ rawInput }: AcpToolCall): boolean {
  return isObject(rawInput) && Object.keys(rawInput).length > 0;
}

/** The fields of a patch replace those before, `content` wholly. */
function merge(tracked: TrackedCall, patch: CallPatch): void {
  const { toolName, terminalOutput, ...fields } = patch;
  tracked.wire = { ...tracked.wire, ...fields };
  tracked.toolName = toolName ?? tracked.toolName;
  if (terminalOutput !== undefined) tracked.terminal += terminalOutput;
  if (fields.content !== undefined) tracked.isInput = false;
}

function set(tracked: TrackedCall, change: Partial<TurnToolCall>): void {
  tracked.call = { ...tracked.call, ...change };
}

/** @param isInput whether the content describes the call. Later it is output, and the input stays. */
function describeCall(tracked: TrackedCall, isInput: boolean): void {
  const { wire } = tracked;
  const content = textOfContent(wire.content ?? []);
  const said = { ...titleOf(wire), ...(content === "" ? {} : { content }) };
  const input = hasInput(wire) ? wire.rawInput : isInput ? said : tracked.call.input;
  set(tracked, { name: nameOf(tracked), input, raw: wire });
}

function titleOf({ title }: AcpToolCall): { readonly title?: string } {
  return title === undefined ? {} : { title };
}

/** The agent's name of the tool. Gemini puts it before `__` in the id; others say only a kind. */
function nameOf({ wire, toolName }: TrackedCall): string {
  const { name, toolCallId, kind = "other" } = wire;
  const inId = /^([a-zA-Z][\w-]*?)__/.exec(toolCallId)?.[1];
  return name || toolName || inId || kind;
}

/** The output so far. */
function outputOf({ wire, terminal, isInput }: TrackedCall): string {
  const text = isInput ? "" : textOfContent(wire.content ?? []);
  const said = [text, terminal].filter((each) => each !== "").join("\n");
  return said === "" ? rawText(wire.rawOutput) : said;
}

function rawText(output: unknown): string {
  if (output === undefined) return "";
  if (typeof output === "string") return output;
  try {
    return JSON.stringify(output) ?? "";
  } catch {
    return ""; // nested too deeply
  }
}

function end(tracked: TrackedCall, status: "completed" | "failed"): CallStep {
  tracked.isHeld = false;
  if (tracked.call.state === "requested") set(tracked, { input: titleOf(tracked.wire) }); // the content is the output
  describeCall(tracked, false);
  const output = outputOf(tracked);
  const isDone = status === "completed";
  const failure = { error: output === "" ? "the tool has failed" : output };
  set(tracked, { state: isDone ? "done" : "failed", output, ...(isDone ? {} : failure) });
  return { tracked, isChanged: true, delta: "", isHeld: false };
}

/** The output that was not told yet. Output that did not grow, but changed, is told at the end. */
function grown(tracked: TrackedCall): string {
  const output = outputOf(tracked);
  if (output === tracked.told || !output.startsWith(tracked.told)) return "";
  const delta = output.slice(tracked.told.length);
  tracked.told = output;
  set(tracked, { output });
  return delta;
}
