import { everyType, type Line, line, numbered, type Path, withValue } from "./every-type.ts";

/** Events with one value changed: the event `evt_n`, and the path of the value. */
export const changedIn = (events: readonly Line[], n: number, path: Path, value: unknown): readonly Line[] =>
  events.map((event, at) => (at === n - 1 ? withValue(event, path, value) : event));

/** The transcript with one value changed. */
export const changed = (n: number, path: Path, value: unknown): readonly Line[] =>
  changedIn(everyType, n, path, value);

/** The transcript without some events, numbered again. */
export const without = (...gone: readonly number[]): readonly Line[] =>
  numbered(everyType.filter((_, at) => !gone.includes(at + 1)));

/** The transcript with more events behind the event `evt_n`, numbered again. */
export const withMore = (n: number, ...more: readonly Line[]): readonly Line[] =>
  numbered([...everyType.slice(0, n), ...more, ...everyType.slice(n)]);

/** The event `evt_n` of the transcript. */
export const at = (n: number): Line => everyType[n - 1] ?? {};

/** The events `evt_n` to `evt_m` of the transcript. */
export const from = (n: number, m: number): readonly Line[] => everyType.slice(n - 1, m);

export const item = (n: number, more: Line): Line => ({
  item_id: `itm_${n}`,
  native_item_id: null,
  parent_id: null,
  kind: "status",
  role: null,
  content: [],
  ...more,
});

export const started = (n: number, more: Line = {}): Line =>
  line("item.started", { item: item(n, { status: "in_progress", ...more }) });

export const completed = (n: number, more: Line = {}): Line =>
  line("item.completed", { item: item(n, { status: "completed", ...more }) });

/** An item that starts and completes with the same content. */
export const whole = (n: number, more: Line = {}): readonly Line[] => [started(n, more), completed(n, more)];

export const delta = (n: number, text: string, type = "text"): Line =>
  line("item.delta", { item_id: `itm_${n}`, native_item_id: null, delta: text, part: { type } });

export const turnStart = (id: string, metadata?: Line): Line =>
  line("turn.started", { phase: "started", turn_id: id, ...(metadata && { metadata }) });

export const turnEnd = (id: string, status = "completed"): Line =>
  line("turn.ended", { phase: "ended", turn_id: id, metadata: { status } });

export const permission = (id: string, status: string): Line =>
  line(status === "requested" ? "permission.requested" : "permission.resolved", {
    permission_id: id,
    action: "read",
    status,
    metadata: null,
  });

export const question = (id: string, status: string): Line =>
  line(status === "requested" ? "question.requested" : "question.resolved", {
    question_id: id,
    prompt: "Sure?",
    options: [],
    response: null,
    status,
  });

export const user = { kind: "message", role: "user", content: [{ type: "text", text: "hello" }] };
export const assistant = { kind: "message", role: "assistant" };
export const text = (value: string) => ({ ...assistant, content: [{ type: "text", text: value }] });
export const call = (id: string) => ({
  kind: "tool_call",
  role: "assistant",
  content: [{ type: "tool_call", name: "read", arguments: "{}", call_id: id }],
});
export const result = (id: string) => ({
  kind: "tool_result",
  role: "tool",
  content: [{ type: "tool_result", call_id: id, output: "ok" }],
});

export const subagent = { content: [{ type: "status", label: "subagent:file-picker", detail: "Fletcher" }] };
export const audio = {
  ...assistant,
  content: [{ type: "file_ref", path: "data:audio/mp3;base64,AA==", action: "read", diff: null }],
};
