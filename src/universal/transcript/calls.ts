// Applies events of tool calls, approvals and questions to a transcript.
import { defined } from "../../core/checks.ts";
import type { ToolCallState } from "../../core/values.ts";
import type {
  ItemDeltaData,
  PermissionData,
  QuestionData,
  ToolCallPart,
  UniversalAnswer,
  UniversalItem,
  UniversalQuestion,
} from "../events.ts";
import { callInputOf, partIn, permissionFacts } from "../item-content.ts";
import {
  addPart,
  changePart,
  type Draft,
  finish,
  leaveOpen,
  partAt,
  remember,
  settleRequest,
  wait,
} from "./draft.ts";
import type { ChatApproval, ChatQuestionPart, ChatToolPart } from "./message.ts";
import { type Home, keyOf, type Place, type Spot } from "./transcript.ts";
import { answerOf } from "./turns.ts";

type CallPlace = Extract<Place, { readonly kind: "call" }>;
type ResultPlace = Extract<Place, { readonly kind: "result" }>;

export function startCall(draft: Draft, item: UniversalItem, home: Home, state?: ToolCallState): void {
  const call = callIn(item);
  const { title, tool_kind: kind, locations } = call;
  const part: ChatToolPart = {
    ...toolPart(item.item_id, call.call_id, call.name, callInputOf(call)),
    ...defined({ state, title, kind, locations }),
  };
  const place: CallPlace = { kind: "call", spot: addPart(draft, home, part), text: call.arguments };
  remember(draft, keyOf.item(item.item_id), place);
  remember(draft, keyOf.call(call.call_id), { ...place, text: null });
  leaveOpen(draft, openKey(place.spot), place.spot);
}

/** Parses arguments only when they are complete. Parsing at each delta would take quadratic time. */
export function growCall(draft: Draft, place: CallPlace, { item_id, delta }: ItemDeltaData): void {
  if (place.text === null) return;
  const text = place.text + delta;
  remember(draft, keyOf.item(item_id), { ...place, text });
  changeTool(draft, place.spot, (part) => ({ ...part, input: text }));
}

export function completeCall(draft: Draft, place: CallPlace, item: UniversalItem): void {
  if (place.text === null) return;
  remember(draft, keyOf.item(item.item_id), { ...place, text: null });
  const call = callIn(item);
  changeTool(draft, place.spot, (part) => {
    const isSame = call.name === part.name && call.arguments === place.text && typeof part.input !== "string";
    const hasFailed = item.status === "failed" && part.state === "requested";
    if (isSame && !hasFailed) return part;
    const input = isSame ? part.input : callInputOf(call);
    return { ...part, name: call.name, input, state: hasFailed ? "failed" : part.state };
  });
}

/** @param home for a result without a call */
export function startResult(
  draft: Draft,
  item: UniversalItem,
  home: () => Home,
  state: ToolCallState = "running",
): void {
  const spot = spotOfCall(draft, item) ?? orphan(draft, item, home());
  remember(draft, keyOf.item(item.item_id), { kind: "result", spot, isOpen: true });
  changeTool(draft, spot, (part) => ({
    ...part,
    state: part.state === "denied" ? "denied" : state,
    output: partIn(item, "tool_result")?.output ?? part.output,
  }));
}

export function growResult(draft: Draft, { spot, isOpen }: ResultPlace, delta: string): void {
  if (isOpen) changeTool(draft, spot, (part) => ({ ...part, output: part.output + delta }));
}

/** The completed item's output replaces the streamed output. */
export function completeResult(
  draft: Draft,
  place: ResultPlace,
  item: UniversalItem,
  state?: ToolCallState,
): void {
  if (!place.isOpen) return;
  const { spot } = place;
  remember(draft, keyOf.item(item.item_id), { ...place, isOpen: false });
  changeTool(draft, spot, (part) => ({
    ...part,
    state: state ?? endOf(item, part),
    output: partIn(item, "tool_result")?.output ?? part.output,
    content: item.content.filter(({ type }) => type !== "tool_result"),
  }));
  finish(draft, openKey(spot));
}

/** For a transcript without call states. */
function endOf({ status }: UniversalItem, { approval }: ChatToolPart): ToolCallState {
  if (status !== "failed") return "done";
  return approval?.status === "reject" ? "denied" : "failed";
}

/** A request without a call item also makes a part, because the user must decide it. */
export function askPermission(draft: Draft, data: PermissionData): void {
  const spot = spotOfPermission(draft, data);
  const { permission_id: id, action: tool, state = "awaiting", preview } = data;
  const { input, words } = permissionFacts(data);
  const shown = preview ? { preview } : {};
  const waits = wait(draft, { type: "approval", id, tool, input, ...shown, ...words });
  remember(draft, keyOf.permission(id), { kind: "permission", spot, waits });
  leaveOpen(draft, openKey(spot), spot);
  changeTool(draft, spot, (part) => ({ ...part, state, ...shown, approval: approvalOf(data) }));
}

export function settlePermission(draft: Draft, data: PermissionData): void {
  const place = draft.book.places.get(keyOf.permission(data.permission_id));
  if (place?.kind !== "permission") return;
  settleRequest(draft, place.waits);
  const decided = data.state ?? (data.status === "reject" ? "denied" : "approved");
  changeTool(draft, place.spot, (part) => ({
    ...part,
    state: part.state === "awaiting" ? decided : part.state,
    approval: approvalOf(data),
  }));
}

function approvalOf({ permission_id: id, status, reason, scope }: PermissionData): ChatApproval {
  return { id, status, ...defined({ reason, scope }) };
}

function spotOfPermission(draft: Draft, data: PermissionData): Spot {
  const { permission_id: id, item_id, call_id, action } = data;
  const { places } = draft.book;
  const ofItem = item_id === undefined ? undefined : places.get(keyOf.item(item_id));
  const place = ofItem ?? (call_id === undefined ? undefined : places.get(keyOf.call(call_id)));
  if (place?.kind === "call") return place.spot;
  const { input } = permissionFacts(data);
  const home = { message: answerOf(draft, id), path: [] };
  return addPart(draft, home, toolPart(id, call_id ?? id, action, input));
}

/** A result's parent is its call. */
function spotOfCall(draft: Draft, item: UniversalItem): Spot | undefined {
  const { places } = draft.book;
  const parent = item.parent_id === null ? undefined : places.get(keyOf.item(item.parent_id));
  if (parent?.kind === "call") return parent.spot;
  const result = partIn(item, "tool_result");
  const call = result && places.get(keyOf.call(result.call_id));
  return call?.kind === "call" ? call.spot : undefined;
}

function orphan(draft: Draft, item: UniversalItem, home: Home): Spot {
  const id = item.item_id;
  const spot = addPart(draft, home, toolPart(id, item.native_item_id ?? id, "unknown", undefined));
  leaveOpen(draft, openKey(spot), spot);
  return spot;
}

/** Changes a tool part, but not a part that has become a question: see `askQuestion`. */
function changeTool(draft: Draft, spot: Spot, change: (part: ChatToolPart) => ChatToolPart): void {
  changePart(draft, spot, (part) => (part.type === "tool" ? change(part) : part));
}

function openKey({ path, index }: Spot): string {
  return `t ${path.join(".")}.${index}`;
}

function toolPart(id: string, callId: string, name: string, input: unknown): ChatToolPart {
  return { type: "tool", id, callId, name, input, state: "requested", output: "", content: [] };
}

function callIn(item: UniversalItem): ToolCallPart {
  const call_id = item.native_item_id ?? item.item_id;
  return partIn(item, "tool_call") ?? { type: "tool_call", name: "unknown", arguments: "", call_id };
}

/** The question replaces the part of the call that asks it (`ask_user`). */
export function askQuestion(draft: Draft, data: QuestionData): void {
  const id = data.question_id;
  const key = keyOf.question(id);
  const call = data.call_id === undefined ? undefined : draft.book.places.get(keyOf.call(data.call_id));
  const spot = call?.kind === "call" ? call.spot : undefined;
  const asked = spot && partAt(draft, spot)?.type === "tool" ? spot : undefined;
  if (asked) changePart(draft, asked, () => questionPart(data));
  const place = asked ?? addPart(draft, { message: answerOf(draft, id), path: [] }, questionPart(data));
  const waits = wait(draft, { type: "question", id, questions: questionsOf(data) });
  remember(draft, key, { kind: "question", spot: place, waits });
  leaveOpen(draft, key, place);
}

export function settleQuestion(draft: Draft, data: QuestionData): void {
  const key = keyOf.question(data.question_id);
  const place = draft.book.places.get(key);
  if (place?.kind !== "question") return;
  settleRequest(draft, place.waits);
  const { status, reason } = data;
  changePart(draft, place.spot, (part) => {
    if (part.type !== "question") return part;
    return { ...part, status, answers: answersOf(data), ...defined({ reason }) };
  });
  finish(draft, key);
}

function questionPart(data: QuestionData): ChatQuestionPart {
  const { question_id: id, status } = data;
  return { type: "question", id, questions: questionsOf(data), status, answers: answersOf(data) };
}

/** An event of the base schema has only one question. */
function questionsOf({ questions, prompt, options }: QuestionData): readonly UniversalQuestion[] {
  return (
    questions ?? [{ question: prompt, options: options.map((label) => ({ label })), multi_select: false }]
  );
}

function answersOf({ answers, response, options }: QuestionData): readonly UniversalAnswer[] {
  if (answers) return answers;
  if (response === null) return [];
  const answer = options.includes(response) ? { selected: [response] } : { other_text: response };
  return [{ question_index: 0, ...answer }];
}
