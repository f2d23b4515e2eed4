// Runs the tool calls of one answer: checks all calls, then runs them one by one.
import type { ToolOutput } from "../../codebuff-events/print-mode.ts";
import { defined, isObject } from "../../core/checks.ts";
import { said } from "../../core/errors.ts";
import { type Subject, subjectInWords, subjectOf } from "../../core/gate/subject.ts";
import { randomId } from "../../core/random-id.ts";
import { isTooDeep, TOO_DEEP } from "../../core/text.ts";
import { assertWanted, type Shared, tell, tellCut } from "../agents/shared.ts";
import type { RunMessage } from "../messages.ts";
import { abortable } from "../model/abortable.ts";
import type { WrittenCall } from "../model/answer.ts";
import type { AgentSpeaker } from "../turn.ts";
import { ToolRun } from "./tool-run.ts";
import { type Checked, issuesText } from "./tool-schema.ts";
import { type CodebuffRunToolCall, failure, json, type Tool, type Toolbox } from "./toolbox.ts";

/** Handlers of the built-in tools that act on the agent. */
export interface Controls {
  spawn(agents: readonly SpawnOrder[]): Promise<readonly ToolOutput[]>;
  setOutput(input: Readonly<Record<string, unknown>>): readonly ToolOutput[] | Promise<readonly ToolOutput[]>;
}

export interface SpawnOrder {
  readonly agent_type: string;
  readonly prompt?: string;
  readonly params?: Readonly<Record<string, unknown>>;
}

export interface CallsSetup {
  readonly shared: Shared;
  readonly speaker: AgentSpeaker;
  readonly toolbox: Toolbox;
  readonly controls: Controls;
  readonly history: RunMessage[];
  /** Saves the run's state. No tool starts before it resolves. */
  readonly save: () => Promise<void>;
}

/** Read-only calls that run at the same time. More would wait for the same disk or server. */
const MAX_AT_ONCE = 10;

type Input = Readonly<Record<string, unknown>>;

interface Ready {
  readonly tool: Tool;
  readonly call: CodebuffRunToolCall;
}

interface ReadyHandled extends Ready {
  readonly tool: Extract<Tool, { readonly kind: "handled" }>;
}

export interface Ran {
  readonly ran: readonly string[];
  /** The calls in words, to notice an answer that repeats the one before. */
  readonly said: string;
  readonly problems: readonly string[];
}

export class AgentCalls {
  readonly #setup: CallsSetup;

  constructor(setup: CallsSetup) {
    this.#setup = setup;
  }

  /** Runs the calls of one answer. @throws CodebuffRunError `state_not_saved`; the stop's reason */
  async run(written: readonly WrittenCall[]): Promise<Ran> {
    const { shared } = this.#setup;
    const ready: Ready[] = [];
    const problems: string[] = [];
    for (const each of written) {
      const read = await this.#read(each);
      if (typeof read === "string") {
        const message = shared.core.redactor.redact(read); // the error quotes the model's text
        problems.push(message);
        tellCut(each, this.#setup);
        tell(shared, { type: "error", message }, message.length);
      } else {
        ready.push(read);
        this.#announce(read);
      }
    }
    await this.#setup.save();
    for (const each of this.#groupsOf(ready))
      await (Array.isArray(each) ? this.#executeAll(each) : this.#execute(each));
    const said = ready.map(({ call: { raw } }) => `${raw.toolName} ${JSON.stringify(raw.input)}`).join(", ");
    return { ran: ready.map(({ tool }) => tool.name), said, problems };
  }

  async runOne(name: string, input: Readonly<Record<string, unknown>>): Promise<readonly ToolOutput[]> {
    const tool = this.#setup.toolbox.any(name);
    if (!tool) {
      this.#missing(name, input);
      return failure(`Tool \`${name}\` is not currently available.`);
    }
    const checked = await this.#check(tool, input);
    if ("issues" in checked) return failure(issuesText(name, checked));
    const ready: Ready = { tool, call: this.#callOf(tool, checked.input, input) };
    this.#announce(ready);
    await this.#setup.save();
    return this.#execute(ready);
  }

  /** Parses and checks a call. Returns an error text for an invalid call. */
  async #read({ id, name, arguments: text }: WrittenCall): Promise<Ready | string> {
    const tool = this.#setup.toolbox.get(name);
    if (!tool) {
      const given = argumentsOf(text);
      this.#missing(name, "value" in given ? given.value : {});
      return `Tool \`${name}\` is not currently available. Make sure to only use tools listed in the system instructions.`;
    }
    const read = argumentsOf(text);
    if ("problem" in read) return `Invalid parameters for ${name}: ${read.problem}`;
    const checked = await this.#check(tool, read.value);
    if ("issues" in checked) return issuesText(name, checked);
    return { tool, call: this.#callOf(tool, checked.input, read.value, id) };
  }

  /** Shows a call of an unavailable tool, if the user decides about calls. It gets no result. */
  #missing(name: string, input: Input): void {
    const { shared, toolbox } = this.#setup;
    if (!shared.gate.asksUser) return;
    const tool = `the tool \`${name}\``;
    const why = toolbox.any(name) ? `the agent may not call ${tool}` : `no handler is registered for ${tool}`;
    const error = shared.core.redactor.redact(shared.gate.unasked(why));
    new ToolRun(shared, this.#made(name, input, input)).show({ state: "failed", error });
  }

  /** Checks an input. The caller's schema may throw or never settle. */
  async #check({ name, schema }: Tool, value: unknown): Promise<Checked> {
    const { shared } = this.#setup;
    try {
      return await abortable(schema.check(value), shared.signal);
    } catch (cause) {
      assertWanted(shared);
      const { core, turn } = shared;
      core.warn("handler-failed", `the schema of ${name} threw`, { cause, turnId: turn.id });
      return { issues: [{ path: "", message: "the schema of the tool failed" }] };
    }
  }

  /** @param given the input for the history, if the schema produced values that are not JSON */
  #callOf(tool: Tool, input: Input, given: Input, id?: string): CodebuffRunToolCall {
    const isShort = tool.kind === "agent";
    const name = isShort ? "spawn_agents" : tool.name;
    const orders = isShort ? { agents: [{ agent_type: tool.agentId, ...input }] } : input;
    return this.#made(name, orders, given, tool.isBuiltIn, id);
  }

  #made(
    name: string,
    input: Input,
    given: Input,
    isBuiltIn = false,
    id = randomId("call"),
  ): CodebuffRunToolCall {
    const { shared, speaker } = this.#setup;
    const raw = {
      type: "tool_call",
      toolCallId: id,
      toolName: name,
      input: jsonOf(input) ?? given,
      ...(speaker.parentId !== undefined
        ? { agentId: speaker.id, parentAgentId: speaker.parentId }
        : isBuiltIn
          ? { agentId: speaker.id, includeToolCall: true }
          : {}),
    } as const;
    const agent = speaker.parentId === undefined ? {} : { agent: speaker.type };
    return { id, name, input, turnId: shared.turn.id, raw, ...agent };
  }

  /** What a call is about. The built-in rules do not apply to a caller's tool of the same name. */
  #subjectOf(tool: Tool, { name, input }: CodebuffRunToolCall): Subject | undefined {
    if (tool.kind !== "handled" || !tool.grant) return subjectOf({ name, input });
    const { core, turn } = this.#setup.shared;
    let cause: unknown;
    try {
      const subject = subjectInWords(tool.grant(input));
      if (subject) return subject;
    } catch (thrown) {
      cause = thrown;
    }
    const problem = cause === undefined ? "returned no words" : `threw: ${said(cause)}`;
    core.warn("handler-failed", `\`grant\` of ${name} ${problem}`, { cause, turnId: turn.id });
    return undefined;
  }

  #announce({ call, tool }: Ready): void {
    const { shared, history } = this.#setup;
    const { toolCallId, toolName, input } = call.raw;
    history.push({
      role: "assistant",
      content: [{ type: "tool-call", toolCallId, toolName, input }],
      sentAt: shared.core.clock.wallTime(),
    });
    tell(shared, call.raw, sizeOf(input));
    if (tool.kind !== "control" || tool.control === "ask_user" || tool.control === "spawn_agents")
      new ToolRun(shared, call).show({ state: "requested" });
  }

  /** The calls in order. Calls in a list may run at the same time. */
  #groupsOf(ready: readonly Ready[]): readonly (Ready | ReadyHandled[])[] {
    const { parallelTools } = this.#setup.shared.core.settings;
    const groups: (Ready | ReadyHandled[])[] = [];
    for (const { tool, call } of ready) {
      const last = groups.at(-1);
      if (!parallelTools || tool.kind !== "handled" || !tool.isReadOnly) groups.push({ tool, call });
      else if (Array.isArray(last) && last.length < MAX_AT_ONCE) last.push({ tool, call });
      else groups.push([{ tool, call }]);
    }
    return groups;
  }

  /** Runs calls at the same time. Approvals and results keep the order of the calls. */
  async #executeAll(calls: readonly ReadyHandled[]): Promise<void> {
    const { shared } = this.#setup;
    const running: Promise<unknown>[] = [];
    let recorded = Promise.resolve();
    let isBroken = false;
    try {
      for (const { tool, call } of calls) {
        assertWanted(shared);
        if (isBroken) break;
        const { output } = await this.#toolRun(tool, call).start(tool.handler);
        running.push(output);
        const before = recorded;
        recorded = before.then(async () => this.#record(call, await output));
        recorded.catch(() => {
          isBroken = true; // awaited below
        });
      }
      await recorded;
    } finally {
      await Promise.allSettled(running); // no tool runs on behind the answer
    }
  }

  async #execute({ tool, call }: Ready): Promise<readonly ToolOutput[]> {
    assertWanted(this.#setup.shared);
    const output = await this.#outputOf(tool, call);
    await this.#record(call, output);
    return output;
  }

  async #record(call: CodebuffRunToolCall, output: readonly ToolOutput[]): Promise<void> {
    const { shared, speaker, history } = this.#setup;
    const { id: toolCallId, name: toolName } = call;
    history.push({ role: "tool", toolName, toolCallId, content: output });
    assertWanted(shared);
    tell(
      shared,
      { type: "tool_result", toolCallId, toolName, output, ...defined({ parentAgentId: speaker.parentId }) },
      sizeOf(output),
    );
    await this.#setup.save();
  }

  #toolRun(tool: Tool, call: CodebuffRunToolCall): ToolRun {
    const about = tool.isBuiltIn ? undefined : { subject: this.#subjectOf(tool, call) };
    return new ToolRun(this.#setup.shared, call, about);
  }

  async #outputOf(tool: Tool, call: CodebuffRunToolCall): Promise<readonly ToolOutput[]> {
    const { controls } = this.#setup;
    const run = this.#toolRun(tool, call);
    if (tool.kind === "handled") return (await run.start(tool.handler)).output;
    const control = tool.kind === "agent" ? "spawn_agents" : tool.control;
    switch (control) {
      case "ask_user":
        return run.ask();
      case "spawn_agents":
        // Sub-agents cost credits, so they need approval too. The schema has checked the orders.
        return run.spawn(() => controls.spawn(call.input["agents"] as readonly SpawnOrder[]));
      case "set_output":
        return controls.setOutput(call.input);
      case "end_turn":
        return [json({ message: "Turn ended." })];
      case "task_completed":
        return [json({ message: "Task completed." })];
      case "write_todos":
        return [json({ message: "Todos written" })];
      case "think_deeply":
        return [json({ message: "Thought logged." })];
      default:
        return control satisfies never;
    }
  }
}

/** Parses a call's arguments, or returns the problem. Empty arguments are an empty object. */
function argumentsOf(text: string): { readonly value: Input } | { readonly problem: string } {
  if (text.trim() === "") return { value: {} };
  if (isTooDeep(text)) return { problem: TOO_DEEP };
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? { value } : { problem: "the arguments are no JSON object" };
  } catch {
    return { problem: "the arguments are no JSON" };
  }
}

/** The input as JSON; `undefined` if the schema produced values that are not JSON, such as a BigInt. */
function jsonOf(input: Input): Input | undefined {
  try {
    const value: unknown = JSON.parse(JSON.stringify(input));
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function sizeOf(value: unknown): number {
  return JSON.stringify(value).length;
}
