// Plays a scripted tool call: approval, run, result.
import { defined } from "../../core/checks.ts";
import type { Withdraw } from "../../core/gate/gate.ts";
import { decideCall } from "../../core/gate/outcome.ts";
import { subjectInWords } from "../../core/gate/subject.ts";
import type { LiveTurn } from "../../core/turn/live-turn.ts";
import type { Ruling, ToolCall, TurnToolCall } from "../../core/values.ts";
import type { MockAgentEvent, MockAgentResult, MockRawCall } from "./events.ts";
import type { Parts } from "./link.ts";
import type { MockAgentSteps, MockTool, MockToolOutcome } from "./script.ts";

export interface ToolPlaying {
  readonly turn: LiveTurn<MockAgentEvent, MockAgentResult>;
  readonly parts: Parts;
  readonly stopped: boolean;
  /** Plays steps of the agent or a sub-agent. */
  steps(steps: MockAgentSteps, agentId: string | undefined): Promise<void>;
  /** Sends a request to the user as one input, and waits. Returns `undefined` if the script or the turn was stopped. */
  wait<Outcome>(ask: (answered: (outcome: Outcome) => void) => Withdraw): Promise<Outcome | undefined>;
  nameOf(agentId: string): string;
  change(call: TurnToolCall, agentId: string | undefined): void;
  /** Like `change`, as a separate input with a pause after it. */
  call(call: TurnToolCall, agentId: string | undefined): Promise<void>;
}

export async function playTool(
  player: ToolPlaying,
  tool: MockTool,
  agentId: string | undefined,
): Promise<MockToolOutcome | undefined> {
  const { turn, parts } = player;
  const { backend, gate } = parts;
  const { name, input = {}, title, kind, locations, approval = false, denied, during = [] } = tool;
  const id = gate.idFor(tool.id ?? backend.newId("call"));
  const raw: MockRawCall = {
    kind: "tool",
    name,
    input,
    facts: defined({ title, tool_kind: kind, locations }),
  };
  const call: TurnToolCall = { id, name, input, raw, state: "requested", ...defined({ agentId }) };
  await player.call(call, agentId);
  if (approval && backend.capabilities.permissions !== "none") {
    const ruling = await decision(player, call, tool, agentId);
    if (!ruling) return undefined;
    if (ruling.decision === "reject") {
      const { reason } = ruling;
      if (denied) await player.steps(denied(reason), agentId);
      return { state: "denied", ...defined({ reason }) };
    }
  }
  if (!turn.open) return undefined;
  await player.call({ ...call, state: "running" }, agentId);
  await player.steps(during, agentId);
  return run(player, tool, call, agentId);
}

/** Requests the approval. The decision updates the call at once. */
function decision(
  player: ToolPlaying,
  call: TurnToolCall,
  { grant, preview }: MockTool,
  agentId: string | undefined,
): Promise<Ruling | undefined> {
  const { turn, parts } = player;
  const { backend, gate } = parts;
  const { id, name, input, raw } = call;
  const asked: ToolCall = {
    ...{ id, name, input, raw, turnId: turn.id },
    ...(agentId === undefined ? {} : { agent: player.nameOf(agentId) }),
  };
  const set = (changed: TurnToolCall): void => player.change(changed, agentId);
  return player.wait<Ruling>((answered) => {
    set({ ...call, state: "awaiting" });
    return gate.ask(asked, {
      turn,
      isHandled: false,
      ...(grant === undefined ? {} : { about: { subject: subjectInWords(grant) } }),
      ...(preview && { preview: () => preview }),
      decided: (ruling) => {
        backend.note(backend.decisions, { id, name, turnId: turn.id, ...ruling });
        set(WITHDRAWN.has(ruling.by) ? { ...call, state: "abandoned" } : decideCall(call, ruling));
        answered(ruling);
      },
    });
  });
}

/** The `by` values of a request that was not decided. */
const WITHDRAWN: ReadonlySet<Ruling["by"]> = new Set(["cancelled", "disconnected", "ended"]);

/** Streams the output, then ends the call. */
async function run(
  player: ToolPlaying,
  { output, streams = [], error }: MockTool,
  call: TurnToolCall,
  agentId: string | undefined,
): Promise<MockToolOutcome | undefined> {
  const { turn, parts } = player;
  let streamed = "";
  for (const piece of streams) {
    streamed += piece;
    if (player.stopped || !parts.backend.capabilities.toolOutputDeltas) continue;
    await player.call({ ...call, state: "running", output: streamed }, agentId);
  }
  if (!turn.open) return undefined;
  if (error === undefined) {
    await player.call({ ...call, state: "done", output: output ?? streamed }, agentId);
    return { state: "done" };
  }
  const soFar = streamed === "" ? {} : { output: streamed };
  await player.call({ ...call, state: "failed", error, ...soFar }, agentId);
  return { state: "failed" };
}
