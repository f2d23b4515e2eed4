// The tool calls and sub-agents of a session, as the client knows them.
import type { SessionUpdate, ToolCallContent, ToolCallUpdate } from "@agentclientprotocol/sdk";
import type { ToolCallPart, ToolKind, ToolLocation, ToolPreview } from "../universal/events.ts";
import { type CallResult, callContent, cutText, previewContent, textContent } from "./blocks.ts";

/** The facts of a call. A tool without a kind is `other`: nothing is guessed. */
export interface CallDetails {
  readonly name: string;
  readonly title?: string | undefined;
  readonly kind?: ToolKind | undefined;
  readonly locations?: readonly ToolLocation[] | undefined;
  readonly input: unknown;
}

interface OpenCall {
  readonly callId: string | undefined;
  facts: string;
  fields: ReturnType<typeof factFields>;
  /** The changes that the call would make, as the client was shown them. */
  preview: readonly ToolCallContent[];
  isDenied: boolean;
  output: string;
  /** The length of the output that the client has. */
  told: number;
}

/** Up to this length, each piece of a live output is sent. */
const ALWAYS_TOLD = 1_024;

/** A longer output is sent once it has grown by an eighth, so that all updates together stay below ten times its size. */
const GROWTH = 8;

export function partFacts(part: ToolCallPart): CallDetails {
  const { name, title, tool_kind: kind, locations } = part;
  return { name, title, kind, locations, input: inputOf(part.arguments) };
}

/** JSON arguments, or the text itself. */
function inputOf(text: string): unknown {
  if (text === "") return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/**
 * The facts as ACP has them. ACP has no field for the MCP server of a tool, and many clients show the title alone. The
 * name of such a tool begins with its server (`docs__search`), so the title contains the name.
 */
export function factFields({ name, title = name, kind = "other", locations, input }: CallDetails) {
  return {
    title: name.includes("__") && !title.includes(name) ? `${title} (${name})` : title,
    name,
    kind,
    ...(input === undefined ? {} : { rawInput: input }),
    ...(locations ? { locations: locations.map((location) => ({ ...location })) } : {}),
  };
}

/** What a request says of a call. */
type Asked = Pick<CallDetails, "name" | "input"> & {
  /** The sub-agent that asks. */
  readonly agent?: string | undefined;
};

const isSame = (told: OpenCall["fields"], asked: Asked): boolean =>
  told.name === asked.name && JSON.stringify(told.rawInput) === JSON.stringify(asked.input);

/**
 * The calls that the client shows as open, by keys that are also their ids. New content replaces what the client has, so a
 * growing output is sent whole each time.
 */
export class OpenCalls {
  readonly #say: (update: SessionUpdate) => void;
  readonly #max: number;
  readonly #open = new Map<string, OpenCall>();
  /** The newest call with each id: a backend may repeat them. */
  readonly #byCallId = new Map<string, string>();

  constructor(say: (update: SessionUpdate) => void, maxOutput: number) {
    this.#say = say;
    this.#max = maxOutput;
  }

  start(key: string, facts: CallDetails, callId?: string): void {
    const fields = factFields(facts);
    this.#open.set(key, {
      callId,
      facts: JSON.stringify(fields),
      fields,
      preview: [],
      isDenied: false,
      output: "",
      told: 0,
    });
    if (callId !== undefined) this.#byCallId.set(callId, key);
    this.#say({ sessionUpdate: "tool_call", toolCallId: key, status: "pending", ...fields });
  }

  /** The key of the newest call with an id. */
  find(callId: string | undefined): string | undefined {
    return callId === undefined ? undefined : this.#byCallId.get(callId);
  }

  /** All of the input has come. */
  describe(key: string, facts: CallDetails): void {
    const call = this.#open.get(key);
    const fields = factFields(facts);
    const text = JSON.stringify(fields);
    if (!call || call.facts === text) return;
    call.facts = text;
    call.fields = fields;
    this.#update(key, fields);
  }

  /** A denied call has a result, and never runs. */
  deny(key: string): void {
    const call = this.#open.get(key);
    if (call) call.isDenied = true;
  }

  run(key: string): void {
    if (this.#open.get(key)?.isDenied === false) this.#update(key, { status: "in_progress" });
  }

  grow(key: string, delta: string): void {
    const call = this.#open.get(key);
    if (!call) return;
    call.output += delta;
    const { length } = call.output;
    if (call.told >= this.#max || (length > ALWAYS_TOLD && length < call.told + call.told / GROWTH)) return;
    call.told = length;
    this.#update(key, { status: "in_progress", content: this.#shown(call) });
  }

  end(key: string, status: "completed" | "failed", result?: CallResult): void {
    const call = this.#open.get(key);
    if (!call) return;
    this.#open.delete(key);
    if (call.callId !== undefined && this.find(call.callId) === key) this.#byCallId.delete(call.callId);
    // A diff stays where the change was made: the client drops content that an update does not repeat.
    const made = status === "completed" ? call.preview.filter(({ type }) => type === "diff") : [];
    if (result) this.#update(key, { status, ...result, content: [...made, ...result.content] });
    else if (call.told === call.output.length) this.#update(key, { status });
    else this.#update(key, { status, content: this.#shown(call) });
  }

  /** What is still open has ended with its turn. */
  endAll(): void {
    for (const key of [...this.#open.keys()]) this.end(key, "failed");
  }

  /**
   * What a request shows of a call. Undefined if the call is not open.
   * @param asked the tool and the input of the request: the backend may have announced another input, and the user decides
   * on the one of the request
   */
  shown(key: string, preview?: readonly ToolPreview[], asked?: Asked): ToolCallUpdate | undefined {
    const call = this.#open.get(key);
    if (!call) return undefined;
    call.preview = previewContent(preview);
    const content = call.preview.length === 0 ? {} : { content: [...call.preview] };
    const fields = asked && !isSame(call.fields, asked) ? factFields(asked) : call.fields;
    const title = asked?.agent === undefined ? fields.title : `${asked.agent}: ${fields.title}`;
    return { toolCallId: key, status: "pending", ...fields, title, ...content };
  }

  #shown({ preview, output }: OpenCall): ToolCallContent[] {
    return [...preview, callContent(textContent(cutText(output, this.#max)))];
  }

  #update(toolCallId: string, fields: Omit<ToolCallUpdate, "toolCallId">): void {
    this.#say({ sessionUpdate: "tool_call_update", toolCallId, ...fields });
  }
}
