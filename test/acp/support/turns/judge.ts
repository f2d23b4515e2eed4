import type { MockAcpAgent, MockAcpRequest } from "agentwire/testing";
import { checkTranscript, type UniversalEvent } from "agentwire/universal";
import type { Book } from "../../../soak/book.ts";
import { callNamed, member, parsed } from "../../../soak/driver.ts";
import { turnNamedIn } from "../../../soak/plan.ts";
import { type AcpUser, coveredBy } from "./user.ts";

/** What the agent did in one turn, by its own record. */
interface Played {
  text: string;
  isAnswered: boolean;
}

/** Notes what the agent has received and said, and what its requests were answered. */
export function judgeAgent(
  book: Book,
  agent: MockAcpAgent,
  user: AcpUser,
  excused: ReadonlySet<string>,
): void {
  const played = playedTurns(agent);
  for (const { text, link } of agent.prompts) {
    const turn = turnNamedIn(text);
    if (turn !== undefined) book.received.push({ turn, where: `link ${link.id}` });
  }
  for (const facts of book.turns.values()) {
    const { text = "", isAnswered = false } = played.get(facts.number) ?? {};
    facts.expected = text;
    facts.isAnswered = isAnswered;
  }
  for (const { kind, detail } of agent.violations)
    if (!excused.has(kind)) book.note(`violation ${kind}`, detail);
  const inputs = inputsOf(agent);
  for (const request of agent.requests) judgePermission(book, request, user, inputs);
}

/** The text and the end of each turn, as the agent wrote them. */
function playedTurns(agent: MockAcpAgent): ReadonlyMap<number, Played> {
  const turns = new Map<number, Played>();
  const running = new Map<string, Played>();
  const prompts = new Map<string, { readonly session: string; readonly played: Played }>();
  for (const { link, direction, raw } of agent.lines) {
    const message = parsed(raw.replace(/^\uFEFF/, ""));
    const [method, params, id] = ["method", "params", "id"].map((name) => member(message, name));
    const session = `${link.id} ${member(params, "sessionId")}`;
    if (direction === "in" && method === "session/prompt") {
      const played = { text: "", isAnswered: false };
      running.set(session, played);
      prompts.set(`${link.id} ${id}`, { session, played });
      turns.set(turnNamedIn(JSON.stringify(params)) ?? -1, played);
    } else if (direction === "out" && method === "session/update") {
      const update = member(params, "update");
      const content = member(update, "content");
      const chunk = member(update, "sessionUpdate") === "agent_message_chunk" && member(content, "text");
      const played = running.get(session);
      if (played && typeof chunk === "string") played.text += chunk;
    } else if (direction === "out" && method === undefined) {
      const prompt = prompts.get(`${link.id} ${id}`);
      if (!prompt) continue;
      running.delete(prompt.session);
      prompt.played.isAnswered = member(message, "result") !== undefined;
    }
  }
  return turns;
}

function judgePermission(
  book: Book,
  { method, params, reply }: MockAcpRequest,
  user: AcpUser,
  inputs: ReadonlyMap<unknown, string>,
): void {
  if (method !== "session/request_permission" || !reply) return;
  const call = callNamed(member(params["toolCall"], "toolCallId"));
  if (!call) return;
  const name = `${call.turn}.${call.call}`;
  const outcome = "result" in reply ? member(reply.result, "outcome") : undefined;
  const chosen = member(outcome, "optionId");
  const options: unknown = params["options"];
  const kinds = Array.isArray(options)
    ? options
        .filter((option) => member(option, "optionId") === chosen)
        .map((option) => member(option, "kind"))
    : [];
  const isAllowed = kinds.some((kind) => String(kind).startsWith("allow"));
  const input = coveredBy(JSON.parse(inputs.get(member(params["toolCall"], "toolCallId")) ?? "null"));
  if (isAllowed && !user.allowed.has(name) && !user.allowed.has(input))
    book.note(
      "approved-by-nobody",
      `the request about ${name} was allowed, and nobody had said so`,
      call.turn,
    );
  // A grant for the same input may come while the user still thinks about this request.
  if (isAllowed && user.refused.has(name) && !user.allowed.has(name) && !user.allowed.has(input))
    book.note(
      "refused-approved",
      `the request about ${name} was allowed; the user had refused it`,
      call.turn,
    );
  const isOffered =
    Array.isArray(options) && options.some((option) => member(option, "kind") === "allow_once");
  const isCompleted = book.turns.get(call.turn)?.endings[0]?.status === "completed";
  if (isCompleted && isOffered && !isAllowed && user.allowed.has(name) && !user.refused.has(name))
    book.note("allowed-refused", `the user allowed ${name}, and the agent was told otherwise`, call.turn);
}

/** The input of each call, which may be in any message about it. */
function inputsOf(agent: MockAcpAgent): ReadonlyMap<unknown, string> {
  const inputs = new Map<unknown, string>();
  for (const { direction, raw } of agent.lines) {
    const params = direction === "out" ? member(parsed(raw.replace(/^\uFEFF/, "")), "params") : undefined;
    const call = member(params, "toolCall") ?? member(params, "update");
    const input = JSON.stringify(member(call, "rawInput") ?? {});
    if (input !== "{}") inputs.set(member(call, "toolCallId"), input);
  }
  return inputs;
}

/** Notes what is wrong with the universal events, session by session. */
export function judgeEvents(book: Book, events: readonly UniversalEvent[]): void {
  for (const session of new Set(events.map((event) => event.session_id))) {
    const own = events.filter((event) => event.session_id === session);
    for (const { index, invariant, message } of checkTranscript(own))
      book.note(
        "transcript",
        `${session}, event ${index}, ${invariant}: ${message} (${JSON.stringify(own[index])?.slice(0, 300)})`,
      );
  }
}
