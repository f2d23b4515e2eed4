// Predefined unusual output: huge lines, junk, event groups.
import type { FakeCodebuffQuestion, FakeCodebuffScenario } from "../scenario.ts";
import type { FakeCodebuffEvent, FakeCodebuffStep } from "../script.ts";

/** A `text` event with a line of a given size in bytes. It is generated piece by piece, to save memory. */
export interface HugeLine {
  readonly hugeLine: number;
}

export const HUGE_HEAD = '{"type":"text","text":"';
export const HUGE_TAIL = '"}';

/** Like `hugeLine`, as a whole text. */
export function hugeEvent(bytes: number): FakeCodebuffEvent {
  return { type: "text", text: "x".repeat(bytes - HUGE_HEAD.length - HUGE_TAIL.length) };
}

/** Lines that are not events, of all kinds in turn. */
const JUNK: readonly string[] = [
  "Codebuff is starting up...",
  "downloading  10%\rdownloading  50%\rdownloading 100%",
  "[1,2,3]",
  "42",
  "null",
  "true",
  '{"type":7,"text":"a type that is no string"}',
  '{"type":"text","text":"cut in the mid',
];

/** Bare non-finite numbers, which are invalid JSON but which some programs print. */
const INFINITY =
  '{"type":"tool_progress","toolCallId":"inf_1","toolName":"measure","output":"NaN, Infinity","best":Infinity,"worst":-Infinity,"mean":NaN}';

export function* junk(count: number): Generator<FakeCodebuffStep> {
  for (let at = 0; at < count; at++) yield { raw: `${JUNK[at % JUNK.length]}\n` };
}

/** The event groups between the scripted events and their `finish`. */
export function* groups(scenario: FakeCodebuffScenario): Generator<FakeCodebuffStep | HugeLine> {
  const { hugeLine, flood = 0, infinity, askUser, subagents = 0, progress = 0 } = scenario;
  if (hugeLine !== undefined) yield { hugeLine };
  for (let at = 0; flood === "endless" || at < flood; at++) yield { type: "text", text: `${at} ` };
  if (infinity === true) yield { raw: `${INFINITY}\n` };
  if (askUser !== undefined) yield* question(askUser === true ? {} : askUser);
  for (let at = 1; at <= subagents; at++) yield* subAgent(at);
  if (progress > 0) yield* progressing(progress);
}

function* question({
  toolCallId = "ask_1",
  toolName = "ask_user",
  input = {
    questions: [
      {
        question: "Which colour?",
        header: "Colour",
        options: [{ label: "Red" }, { label: "Blue", description: "like the sea" }],
        multiSelect: false,
      },
    ],
  },
  result = { errorMessage: "Nobody can be asked in non-interactive mode." },
}: FakeCodebuffQuestion): Generator<FakeCodebuffEvent> {
  yield { type: "tool_call", toolCallId, toolName, input, agentId: "main-agent" };
  if (result === null) return;
  yield { type: "tool_result", toolCallId, toolName, output: [{ type: "json", value: result }] };
}

function* subAgent(number: number): Generator<FakeCodebuffEvent> {
  const agent = {
    agentId: `sub_${number}`,
    agentType: "reviewer",
    displayName: `Reviewer ${number}`,
    onlyChild: false,
    parentAgentId: "main-agent",
  };
  yield { type: "subagent_start", ...agent, prompt: `Check part ${number}.` };
  yield { type: "text", text: `Part ${number} looks fine.`, agentId: agent.agentId };
  yield { type: "subagent_finish", ...agent };
}

function* progressing(count: number): Generator<FakeCodebuffEvent> {
  const call = { toolCallId: "progress_1", toolName: "run_terminal_command" };
  yield { type: "tool_call", ...call, input: { command: "npm test" }, agentId: "main-agent" };
  for (let at = 1; at <= count; at++) yield { type: "tool_progress", ...call, output: `${at}/${count}` };
  yield { type: "tool_result", ...call, output: [{ type: "json", value: { exitCode: 0 } }] };
}
