// Generates the steps of a run from its scenario.
import type { FakeCodebuffScenario } from "../scenario.ts";
import type { FakeCodebuffEvent, FakeCodebuffScript, FakeCodebuffStep } from "../script.ts";
import { groups, type HugeLine, junk } from "./canned.ts";

export interface AskedQuestion {
  readonly prompt: string;
  readonly agent: string;
  /** The number of messages in the conversation; undefined without a store. */
  readonly remembered: number | undefined;
  readonly sessionId: string | undefined;
}

export type Item = FakeCodebuffStep | HugeLine;

export const isEvent = (item: Item): item is FakeCodebuffEvent =>
  typeof item === "object" && "type" in item && typeof item.type === "string";

/** The root agent has no id or this one. */
const ROOT = "main-agent";
export const isOfRoot = (event: FakeCodebuffEvent): boolean =>
  event["agentId"] === undefined || event["agentId"] === ROOT;

/**
 * Generates all steps of a run one by one, so a million events need little memory: the scripted events, the switches'
 * event groups before the first `finish`, and the changes that switches make to events.
 */
export function* itemsOf(scenario: FakeCodebuffScenario, question: AskedQuestion): Generator<Item> {
  const { download, version = "1.0.600", eventsAfterFinish = false } = scenario;
  if (download) yield { type: "download", version, status: download };
  yield* junk(scenario.junk ?? 0);
  const script = scriptOf(scenario, question);
  const open = new Set<unknown>();
  let grouped = false;
  for (const step of script) {
    if (!isEvent(step)) {
      yield step;
      continue;
    }
    if (step.type === "subagent_start") open.add(step["agentId"]);
    if (step.type === "subagent_finish") open.delete(step["agentId"]);
    // The `agentId` of a finish is its agent's type, unless it is the id of an open sub-agent.
    const ends = step.type === "finish" && !open.has(step["agentId"]);
    if (ends && !grouped) {
      grouped = true;
      yield* groups(scenario);
    }
    if (ends && scenario.noFinish === true) continue;
    const event = step.type === "start" ? start(step, scenario, question) : step;
    yield event;
    const again = step.type === "start" ? scenario.dupStart : ends && scenario.dupFinish;
    if (again === true) yield event;
  }
  if (!grouped) yield* groups(scenario);
  if (eventsAfterFinish === true) yield { type: "text", text: "One thing more." };
  else if (eventsAfterFinish !== false) yield* eventsAfterFinish;
}

function scriptOf(scenario: FakeCodebuffScenario, question: AskedQuestion): FakeCodebuffScript {
  const { events, echoPrompt } = scenario;
  const { prompt } = question;
  if (echoPrompt === true) return usual(scenario, question, prompt);
  if (events === undefined) return usual(scenario, question, `You said: ${prompt}`);
  if ("byPrompt" in events) {
    const { byPrompt, default: otherwise } = events;
    const script = Object.hasOwn(byPrompt, prompt) ? byPrompt[prompt] : otherwise;
    return script ?? usual(scenario, question, `You said: ${prompt}`);
  }
  return events;
}

function usual(
  { profile, failWith }: FakeCodebuffScenario,
  { agent }: AskedQuestion,
  text: string,
): FakeCodebuffScript {
  // Of the known builds, only the fork reports its model.
  const start = {
    type: "start",
    ...(profile === "fork" ? { model: "openai/gpt-5-mini" } : {}),
    messageHistoryLength: 0,
  };
  // A failed run may still print a `finish`. Only the exit code shows the failure.
  if (failWith !== undefined) return [start, { type: "finish", agentId: agent, totalCost: 0 }];
  return [start, { type: "text", text }, { type: "finish", agentId: agent, totalCost: 1 }];
}

function start(
  event: FakeCodebuffEvent,
  { sessionKey }: FakeCodebuffScenario,
  { remembered, sessionId }: AskedQuestion,
): FakeCodebuffEvent {
  return {
    ...event,
    ...(remembered === undefined ? {} : { messageHistoryLength: remembered }),
    ...(sessionKey === undefined || sessionId === undefined ? {} : { [sessionKey]: sessionId }),
  };
}
