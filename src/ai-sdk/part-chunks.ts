// The parts of an answer as chunks: shows what has changed since the last look.
import { defined, fieldsOf } from "../core/checks.ts";
import type { Annotation, UniversalEvent } from "../universal/events.ts";
import { differences, emptyList, type List } from "../universal/transcript/list.ts";
import type {
  ChatFilePart,
  ChatPart,
  ChatReasoningPart,
  ChatStatusPart,
  ChatSubagentPart,
  ChatTextPart,
} from "../universal/transcript/message.ts";
import type { Chunk, ChunkSink } from "./message.ts";
import { SubagentText } from "./subagent-text.ts";
import { gainOf, isDue, type ShownCall, ToolChunks } from "./tool-chunks.ts";

/** A part that may still change, and how far it is shown. */
interface Shown extends ShownCall {
  /** Only for a sub-agent. */
  agent?: { readonly parts: ShownList; readonly text: SubagentText };
}

/** A list of parts, as it was at the last look. */
interface ShownList {
  parts: List<ChatPart>;
  /** How many parts were shown. */
  count: number;
  /** The parts that may still change. */
  readonly open: Map<number, Shown>;
}

const newList = (): ShownList => ({ parts: emptyList(), count: 0, open: new Map() });

/** A look at the parts: after an event, in a sub-agent or not. */
interface Look {
  readonly event: UniversalEvent;
  readonly agent?: string;
}

export class PartChunks {
  readonly calls: ToolChunks;
  readonly #sink: ChunkSink;
  readonly #list = newList();

  constructor(sink: ChunkSink) {
    this.#sink = sink;
    this.calls = new ToolChunks(sink);
  }

  /** Shows what has changed. Each look takes time in proportion to the parts that have changed. */
  look(list: List<ChatPart>, look: Look, shownList: ShownList = this.#list): void {
    const changed = differences(shownList.parts, list);
    shownList.parts = list;
    for (const at of changed) {
      const part = list.at(at);
      const shown = shownList.open.get(at);
      if (part && shown && this.#show(part, shown, look)) shownList.open.delete(at);
    }
    for (; shownList.count < list.length; shownList.count++) {
      const at = shownList.count;
      const part = list.at(at);
      if (!part || isUndecided(part, look.event)) return;
      const shown: Shown = { stage: "held", length: 0, hasOutput: false, isDecided: false };
      if (!this.#show(part, shown, look, list.at(at - 1))) shownList.open.set(at, shown);
    }
  }

  /** Shows one part. Returns whether it cannot change any more. */
  #show(part: ChatPart, shown: Shown, look: Look, previous?: ChatPart): boolean {
    const { agent, event } = look;
    switch (part.type) {
      case "text":
      case "reasoning":
        // A sub-agent's text is in its `data-subagent`.
        return agent !== undefined || this.#text(part, shown, event);
      case "tool": {
        const isOver = this.calls.call(part, shown, event, agent);
        if (isOver)
          for (const more of part.content) {
            if (more.type === "file_ref") this.#file({ ...more, id: part.id });
            if (more.type === "image") this.#file({ path: more.path, mediaType: more.mime, id: part.id });
          }
        return isOver;
      }
      case "question":
        return this.calls.question(part);
      case "subagent":
        return this.#subagent(part, shown, look);
      case "file":
        if (previous?.type !== "reasoning" || !part.id.startsWith(`${previous.id}.`)) this.#file(part);
        else if (previous.visibility === "public") this.#file(part, "reasoning-file");
        return true;
      case "status":
        this.#sink.put(statusChunk(part, this.#sink.key(part.id)));
        return true;
      case "data": {
        const json = part.json as never; // any JSON
        this.#sink.put({ type: "custom", kind: "agentwire.json", providerMetadata: { agentwire: { json } } });
        return true;
      }
      case "error": {
        const { message, code } = part;
        this.#sink.put({ type: "data-error", data: { message, code }, transient: true });
        return true;
      }
      default:
        return part satisfies never;
    }
  }

  #text(part: ChatTextPart | ChatReasoningPart, shown: Shown, event: UniversalEvent): boolean {
    const { type, text, open } = part;
    if (part.type === "reasoning" && part.visibility === "private") return true;
    const id = this.#sink.key(part.id);
    if (shown.stage === "held") {
      if (text === "") return !open;
      this.#sink.step();
      this.#sink.put({ type: `${type}-start`, id });
      shown.stage = "shown";
    }
    const delta = gainOf(text, shown.length, event);
    shown.length = text.length;
    if (delta) this.#sink.put({ type: `${type}-delta`, id, delta });
    if (open) return false;
    const citations =
      part.type === "text"
        ? (part.annotations ?? []).map((each, at) => citationOf(each, `${id}/${at + 1}`))
        : [];
    this.#sink.put({ type: `${type}-end`, id, ...(citations.length > 0 ? { citations } : {}) });
    for (const { source } of citations) this.#sink.put(sourceChunk(source));
    return true;
  }

  #subagent(part: ChatSubagentPart, shown: Shown, look: Look): boolean {
    const { agentType: type, name, prompt, state: status, parts } = part;
    const id = this.#sink.key(part.id);
    shown.agent ??= { parts: newList(), text: new SubagentText() };
    const { agent } = shown;
    agent.text.see(parts);
    const { length } = agent.text;
    const isOver = status !== "running";
    const isNew = shown.stage === "held";
    if (isNew) this.#sink.step();
    shown.stage = "shown";
    if (isNew || isOver || (length > shown.length && isDue(length, shown.length))) {
      shown.length = length;
      const text = agent.text.toString();
      this.#sink.put({
        type: "data-subagent",
        id,
        data: { type, name, ...defined({ prompt }), status, text },
      });
    }
    this.look(parts, { ...look, agent: id }, agent.parts);
    return isOver && agent.parts.open.size === 0;
  }

  /** Only `data:` and web addresses become parts with an address. @param file without an action: an image */
  #file({ path, mediaType, action, diff = null, id }: File, type: "file" | "reasoning-file" = "file"): void {
    const [, inData] = /^data:([\w.+-]+\/[\w.+-]+)[;,]/i.exec(path) ?? [];
    const known = mediaType ?? inData ?? (action ? "application/octet-stream" : "image/*");
    if (/^(data|https?):/i.test(path)) this.#sink.put({ type, url: path, mediaType: known });
    else {
      const data = { path, action: action ?? "read", diff };
      this.#sink.put({ type: "data-file", id: this.#sink.key(`${id}/${path}`), data });
    }
  }
}

type File = Pick<ChatFilePart, "path" | "action" | "id"> & {
  readonly mediaType?: string | null;
  readonly diff?: string | null;
};

/** The next event shows whether an error ends the turn, and whether a status has failed. */
function isUndecided(part: ChatPart, event: UniversalEvent): boolean {
  return (
    (part.type === "error" && event.type === "error") ||
    (part.type === "status" && event.type === "item.started")
  );
}

function statusChunk({ label, detail, json, severity, failed }: ChatStatusPart, id: string): Chunk {
  if (severity) return { type: "data-notice", id, data: { severity, text: detail ?? "" } };
  if (label === "title") return { type: "data-title", id: label, data: { title: detail ?? "" } };
  if (label !== "compaction")
    return { type: "data-status", data: { label, detail, ...defined({ json, failed }) }, transient: true };
  const { state, summary } = fieldsOf(json);
  const data = {
    state: state === "started" ? state : "completed",
    ...(typeof summary === "string" ? { summary } : {}),
  } as const;
  return { type: "data-compaction", id: label, data };
}

type Citation = NonNullable<Extract<Chunk, { readonly type: "text-end" }>["citations"]>[number];

/** A source of a text. Only web addresses become links. */
function citationOf(
  { url, path, title, start: startIndex, end: endIndex }: Annotation,
  id: string,
): Citation {
  const range = defined({ startIndex, endIndex });
  const of = { type: "source", id } as const;
  if (url !== undefined && /^https?:/i.test(url))
    return { source: { ...of, sourceType: "url", url, ...defined({ title }) }, ...range };
  const filename = path ?? url;
  const named = { title: title ?? filename ?? "source", ...defined({ filename }) };
  return { source: { ...of, sourceType: "document", mediaType: "text/plain", ...named }, ...range };
}

function sourceChunk({ type: _, id: sourceId, ...source }: Citation["source"]): Chunk {
  if (source.sourceType === "url") {
    const { sourceType, ...rest } = source;
    return { type: `source-${sourceType}`, sourceId, ...rest };
  }
  const { sourceType, ...rest } = source;
  return { type: `source-${sourceType}`, sourceId, ...rest };
}
