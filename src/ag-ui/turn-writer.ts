// Writes one turn as AG-UI events, in several runs if it waits for the user.
import type { Interrupt } from "@ag-ui/core";
import type {
  ErrorData,
  ItemData,
  ItemDeltaData,
  ToolCallPart,
  TurnEndMetadata,
  UniversalEvent,
  UniversalItem,
} from "../universal/events.ts";
import { partIn, subagentIn } from "../universal/item-content.ts";
import { fileContent, resultContent } from "./content.ts";
import { type AgUiEvent, type AgUiRun, agUi, custom, facts } from "./event.ts";
import { approvalInterrupt, questionInterrupt } from "./interrupts.ts";
import { runEnd } from "./run-end.ts";
import { type AgUiSpan, type Closing, closings, openings } from "./spans.ts";
import { activity, statusEvent } from "./statuses.ts";

type Events = Generator<AgUiEvent, void, undefined>;

/** A call without a result would count as a tool that the page has to run. */
const NO_RESULT = "The turn ended before the tool gave a result.";

/** One turn. Everything open can be closed for a while, and is opened again in the next run. */
export class TurnWriter {
  readonly #prefix: string;
  readonly #turn: string;
  readonly #items = new Map<string, AgUiSpan>();
  /** In the order in which they were opened. */
  readonly #open = new Set<AgUiSpan>();
  /** Calls without a result, by the call's id. */
  readonly #calls = new Map<string, AgUiSpan>();
  readonly #requests = new Map<string, Interrupt>();
  /** The last event, if it was an error: it may be the one that ends the turn. */
  #error: ErrorData | undefined;

  constructor(sessionId: string, turnId: string) {
    this.#prefix = `${sessionId}:`; // ids of items are unique per session only
    this.#turn = this.#prefix + turnId;
  }

  /** The requests that wait for the user, after the events that were written. */
  get interrupts(): ReadonlyMap<string, Interrupt> {
    return this.#requests;
  }

  /** Writes an event of the turn. Its end is for `end`. */
  *write(event: UniversalEvent): Events {
    yield* this.#flushError();
    switch (event.type) {
      case "turn.started": {
        const { prompt_id, branch_of, ...more } = event.data.metadata ?? {};
        yield custom("turn", { ...more, turnId: this.#turn, promptId: prompt_id, branchOf: branch_of });
        return;
      }
      case "item.started":
        yield* this.#start(event.data);
        return;
      case "item.delta":
        yield* this.#grow(event.data);
        return;
      case "item.completed":
        yield* this.#complete(event.data);
        return;
      case "permission.requested":
      case "permission.resolved": {
        const { permission_id: id, status, scope, reason, state } = event.data;
        const origin = this.#originOf(event.data);
        const { toolCallId, subagentRunId } = origin;
        if (event.type === "permission.requested")
          this.#requests.set(id, approvalInterrupt(event.data, origin));
        else this.#requests.delete(id);
        yield custom("permission", { id, toolCallId, status, scope, reason, state }, subagentRunId);
        return;
      }
      case "question.requested":
      case "question.resolved": {
        const { question_id: id, status, answers, reason } = event.data;
        const origin = this.#originOf(event.data);
        if (event.type === "question.requested")
          this.#requests.set(id, questionInterrupt(event.data, origin));
        else this.#requests.delete(id);
        yield custom("question", { id, status, answers, reason }, origin.subagentRunId);
        return;
      }
      case "error":
        this.#error = event.data;
        return;
      case "agent.unparsed":
        yield custom("unparsed", event.data);
        return;
      case "turn.ended":
      case "session.started":
      case "session.ended":
        return;
      default:
        event satisfies never; // an event of a newer version
    }
  }

  /** Closes everything for now, because the turn waits for the user. The next event opens it again. */
  *suspend(): Events {
    yield* this.#flushError();
    yield* this.#closeAll({ outcome: { type: "suspended" } });
  }

  /** Closes everything. The run's last event is the return value: it says how the turn ended. */
  *end(run: AgUiRun, metadata: TurnEndMetadata | undefined): Generator<AgUiEvent, AgUiEvent, undefined> {
    if (metadata && metadata.status !== "failed") yield* this.#flushError();
    yield* this.#closeAll({ failure: "The turn ended first." });
    for (const [toolCallId, { owner }] of this.#calls)
      yield agUi({
        type: "TOOL_CALL_RESULT",
        messageId: `${toolCallId}:none`,
        toolCallId,
        content: NO_RESULT,
        role: "tool",
        subagentRunId: owner?.id,
        metadata: facts({ state: "abandoned" }),
      });
    this.#calls.clear();
    return runEnd(run, this.#turn, metadata, this.#error);
  }

  *#start({ item }: ItemData): Events {
    const { item_id, kind } = item;
    if (this.#items.has(item_id)) return;
    const base = { id: this.#prefix + item_id, owner: this.#ownerOf(item), isOpen: false, name: "" };
    switch (kind) {
      case "message": // opened by its first delta, which says whether it is reasoning
        if (item.role !== "user") this.#items.set(item_id, { ...base, kind: "text" });
        return;
      case "tool_call": {
        const part = partIn(item, "tool_call");
        const id = this.#prefix + (part?.call_id ?? item_id);
        if (!part || this.#calls.has(id)) return;
        const call: AgUiSpan = { ...base, kind: "call", id, name: part.name, facts: callFacts(part) };
        this.#items.set(item_id, call);
        this.#calls.set(id, call);
        yield* this.#reopen(call);
        return;
      }
      case "tool_result": {
        const call = item.parent_id === null ? undefined : this.#items.get(item.parent_id);
        if (call?.kind === "call") this.#items.set(item_id, call);
        return;
      }
      case "status": {
        const agent = subagentIn(item);
        if (!agent) return;
        const { agentType, name, prompt: description } = agent;
        const written: AgUiSpan = { ...base, kind: "agent", name, description, facts: { agentType } };
        this.#items.set(item_id, written);
        yield* this.#reopen(written);
        return;
      }
      case "system":
      case "unknown":
        return;
      default:
        kind satisfies never;
    }
  }

  *#grow({ item_id, delta, part }: ItemDeltaData): Events {
    const item = this.#items.get(item_id);
    if (!item || item.kind === "agent" || delta === "" || part?.visibility === "private") return;
    const { id, owner } = item;
    const subagentRunId = owner?.id;
    if (item.kind === "call") {
      if (part?.type === "tool_output") yield custom("tool_output", { toolCallId: id, delta }, subagentRunId);
      if (part?.type !== "tool_arguments") return;
      item.hasArguments = true;
      yield* this.#reopen(item);
      yield agUi({ type: "TOOL_CALL_ARGS", toolCallId: id, delta, subagentRunId });
      return;
    }
    if (part?.type === "reasoning" && !item.isOpen) item.kind = "reasoning";
    yield* this.#reopen(item);
    const type = item.kind === "reasoning" ? "REASONING_MESSAGE_CONTENT" : "TEXT_MESSAGE_CONTENT";
    yield agUi({ type, messageId: id, delta, subagentRunId });
  }

  *#complete({ item, state }: ItemData): Events {
    const { content, kind } = item;
    const written = this.#items.get(item.item_id);
    const messageId = this.#prefix + item.item_id;
    const subagentRunId = (written?.kind === "agent" ? written : this.#ownerOf(item))?.id;
    switch (kind) {
      case "message": {
        if (item.role === "user" || !written) return;
        const annotations = content.flatMap((part) => (part.type === "text" && part.annotations) || []);
        if (annotations.length > 0 && written.kind === "text") yield* this.#reopen(written);
        const metadata = facts({ annotations: annotations.length > 0 ? annotations : undefined });
        yield* this.#shut(written, { metadata });
        for (const [at, part] of content.entries()) {
          const file = fileContent(part);
          if (file) yield activity("file", `${messageId}:${at}`, file, subagentRunId);
          if (part.type === "json") yield custom("data", part.json, subagentRunId);
        }
        return;
      }
      case "tool_call": {
        const part = partIn(item, "tool_call");
        if (written?.kind !== "call" || !part) return;
        yield* this.#reopen(written);
        const { id: toolCallId } = written;
        if (!written.hasArguments && part.arguments !== "")
          yield agUi({ type: "TOOL_CALL_ARGS", toolCallId, delta: part.arguments, subagentRunId });
        const isCut = item.status === "failed" ? true : undefined;
        yield* this.#shut(written, { metadata: facts({ ...callFacts(part), isCut }) });
        return;
      }
      case "tool_result": {
        const part = partIn(item, "tool_result");
        if (!part) return;
        const toolCallId = this.#prefix + part.call_id;
        const call = this.#calls.get(toolCallId);
        this.#calls.delete(toolCallId);
        const files = content.flatMap((other) => (other.type === "file_ref" ? [fileContent(other)] : []));
        yield agUi({
          type: "TOOL_CALL_RESULT",
          messageId,
          toolCallId,
          content: resultContent(part.output, content),
          role: "tool",
          subagentRunId: call?.owner?.id ?? subagentRunId,
          metadata: facts({
            state: state ?? (item.status === "failed" ? "failed" : "done"),
            files: files.length > 0 ? files : undefined,
          }),
        });
        return;
      }
      case "status":
        if (written?.kind === "agent") {
          yield* this.#reopen(written);
          const detail = partIn(item, "status")?.detail ?? "The sub-agent failed.";
          yield* this.#shut(written, item.status === "failed" ? { failure: detail } : {});
        } else yield statusEvent(item, { messageId, turn: this.#turn, subagentRunId });
        return;
      case "system": {
        const text = content.map((part) => (part.type === "text" ? part.text : "")).join("");
        if (text === "") return;
        yield agUi({ type: "TEXT_MESSAGE_START", messageId, role: "system", subagentRunId });
        yield agUi({ type: "TEXT_MESSAGE_CONTENT", messageId, delta: text, subagentRunId });
        yield agUi({ type: "TEXT_MESSAGE_END", messageId, subagentRunId });
        return;
      }
      case "unknown":
        for (const part of content)
          if (part.type === "json") yield agUi({ type: "RAW", event: part.json ?? {}, subagentRunId });
        return;
      default:
        kind satisfies never;
    }
  }

  /** Opens something in this run, and its sub-agents before it. */
  *#reopen(item: AgUiSpan): Events {
    if (item.isOpen) return;
    const { owner } = item;
    if (owner && !owner.isOver) yield* this.#reopen(owner);
    item.isOpen = true;
    this.#open.add(item);
    yield* openings(item);
  }

  /** Closes something for good. */
  *#shut(item: AgUiSpan, how: Closing): Events {
    item.isOver = true;
    if (item.isOpen) yield* this.#close(item, how);
  }

  *#close(item: AgUiSpan, how: Closing): Events {
    item.isOpen = false;
    this.#open.delete(item);
    yield* closings(item, how);
  }

  /** Closes everything that is open, children before parents. */
  *#closeAll(how: Closing): Events {
    for (const item of [...this.#open].reverse()) yield* this.#close(item, how);
  }

  *#flushError(): Events {
    if (!this.#error) return;
    const { message, code, details } = this.#error;
    this.#error = undefined;
    yield custom("error", { message, code, details });
  }

  #ownerOf({ parent_id }: Pick<UniversalItem, "parent_id">): AgUiSpan | undefined {
    const parent = parent_id === null ? undefined : this.#items.get(parent_id);
    return parent?.kind === "agent" ? parent : parent?.owner;
  }

  #originOf({ call_id }: { readonly call_id?: string | undefined }) {
    const toolCallId = call_id === undefined ? undefined : this.#prefix + call_id;
    return { toolCallId, subagentRunId: this.#calls.get(toolCallId ?? "")?.owner?.id };
  }
}

function callFacts({ title, tool_kind: kind, locations }: ToolCallPart): Record<string, unknown> {
  return { title, kind, locations };
}
