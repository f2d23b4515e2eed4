// Plays a scripted tool call: request, decision, run, end.
import type { Ruling, ToolCall, TurnToolCall } from "../../core/values.ts";
import { STOPPED } from "../server/interruptible.ts";
import type { MockRawCall } from "./events.ts";
import { wordsFor } from "./grants.ts";
import type { MockTool, MockToolOutcome } from "./script.ts";
import type { Playing } from "./stage.ts";

/** Plays a tool call: the request, the decision, the run and its end. */
export async function playTool(
  player: Playing,
  tool: MockTool,
  agentId: string | undefined,
): Promise<MockToolOutcome | undefined> {
  const { turn, requests, capabilities, newId } = player.stage;
  const { name, input = {}, title, kind, locations, approval = false, denied, during = [] } = tool;
  const id = requests.idFor(tool.id ?? newId("call"));
  const facts = {
    ...(title === undefined ? {} : { title }),
    ...(kind === undefined ? {} : { tool_kind: kind }),
    ...(locations === undefined ? {} : { locations }),
  };
  const raw: MockRawCall = { kind: "tool", name, input, facts };
  const call: TurnToolCall = {
    ...{ id, name, input, raw, state: "requested" },
    ...(agentId === undefined ? {} : { agentId }),
  };
  await player.call(call, agentId);
  if (approval && capabilities.permissions !== "none") {
    const ruling = await decision(player, call, tool, agentId);
    if (!ruling) return undefined;
    if (ruling.decision === "reject") {
      const { reason } = ruling;
      if (denied) await player.follow(denied(reason), agentId);
      return { state: "denied", ...(reason === undefined ? {} : { reason }) };
    }
  }
  if (!turn.open) return undefined;
  await player.call({ ...call, state: "running" }, agentId);
  await player.follow(during, agentId);
  return run(player, tool, call, agentId);
}

/** Asks the user. The decision changes the call at once. */
async function decision(
  player: Playing,
  call: TurnToolCall,
  { grant: words, preview }: MockTool,
  agentId: string | undefined,
): Promise<Ruling | undefined> {
  const { turn, tells, requests } = player.stage;
  if (!turn.open) return undefined;
  const { id, name, input, raw } = call;
  const by = agentId === undefined ? {} : { agentId };
  const grant = wordsFor(input, words);
  const asked: ToolCall = {
    ...{ id, name, input, raw, turnId: turn.id },
    ...(grant === undefined ? {} : { grant }),
    ...(preview ? { preview } : {}),
    ...(agentId === undefined ? {} : { agent: player.nameOf(agentId) }),
  };
  const set = (changed: TurnToolCall): void => {
    turn.setCall(changed);
    turn.push({ type: "tool", call: changed, ...by });
  };
  const decided = new Promise<Ruling>((resolve) => {
    tells.run(() => {
      set({ ...call, state: "awaiting" });
      requests.approve(asked, turn, (ruling) => {
        set(decide(call, ruling));
        resolve(ruling);
      });
    });
  });
  const ruling = await player.until(decided);
  return ruling === STOPPED ? undefined : ruling;
}

/** Nobody has decided. */
const WITHDRAWN: readonly Ruling["by"][] = ["cancelled", "disconnected", "ended"];

function decide(call: TurnToolCall, { decision, by, reason }: Ruling): TurnToolCall {
  if (decision !== "reject") return { ...call, state: "approved" };
  if (WITHDRAWN.includes(by)) return { ...call, state: "abandoned" };
  const deniedBy = by === "reply" ? "user" : "policy";
  return { ...call, state: "denied", deniedBy, ...(reason === undefined ? {} : { reason }) };
}

/** Streams the output, and ends the call. */
async function run(
  player: Playing,
  { output, streams = [], error }: MockTool,
  call: TurnToolCall,
  agentId: string | undefined,
): Promise<MockToolOutcome | undefined> {
  const { turn, capabilities } = player.stage;
  let streamed = "";
  for (const piece of streams) {
    streamed += piece;
    if (player.stopped || !capabilities.toolOutputDeltas) continue;
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
