// The state from which the next run continues: built, checked and copied.
import { emptyFileContext } from "../../codebuff-events/file-context.ts";
import { describe, fieldsOf, isObject } from "../../core/checks.ts";
import { InvalidInputError } from "../../core/errors.ts";
import type { ConversationState } from "../../core/turn/conversation.ts";
import { type RunCallPart, type RunMessage, type RunPart, type RunState, USER_PROMPT } from "../messages.ts";
import type { CodebuffRunSettings } from "../options.ts";
import { KNOWLEDGE_FILES, type ProjectFacts } from "../project.ts";
import { treeOf } from "./file-tree.ts";

/** The state of a conversation: a JSON value. */
export interface CodebuffRunConversationState extends ConversationState {
  readonly protocol: "codebuff-run";
  readonly version: 1;
  /** The last run's state; absent before the first run. Codebuff's own SDK accepts it as `previousRun`. */
  readonly run?: RunState;
}

export function stateOf(run: RunState | undefined): CodebuffRunConversationState {
  return { protocol: "codebuff-run", version: 1, ...(run === undefined ? {} : { run }) };
}

/** The state before the last `turns` prompts; undefined if there are fewer. */
export function earlierState(
  run: RunState | undefined,
  turns: number,
): CodebuffRunConversationState | undefined {
  if (!run?.sessionState) return undefined;
  const { sessionState } = run;
  const { mainAgentState } = sessionState;
  const prompts = mainAgentState.messageHistory.flatMap((message, at) =>
    message.role === "user" && message.tags?.includes(USER_PROMPT) ? [at] : [],
  );
  const end = prompts[prompts.length - turns];
  if (end === undefined) return undefined;
  if (end === 0) return stateOf(undefined);
  const messageHistory = mainAgentState.messageHistory.slice(0, end);
  const { underWay: _, ...ended } = run; // its open calls belong to the last turn
  return stateOf({
    ...ended,
    sessionState: { ...sessionState, mainAgentState: { ...mainAgentState, messageHistory } },
  });
}

export interface Earlier {
  readonly history: readonly RunMessage[];
  /** Calls of a run that had not ended, without a result. */
  readonly openCalls: readonly RunCallPart[];
  readonly agentType: string | undefined;
  readonly mainAgentState: Readonly<Record<string, unknown>>;
  readonly fileContext: Readonly<Record<string, unknown>> | undefined;
}

const FRESH: Earlier = {
  history: [],
  openCalls: [],
  agentType: undefined,
  mainAgentState: {},
  fileContext: undefined,
};

const HOW = "Pass the `state` of a conversation or result, or a run state of Codebuff's SDK.";

/** Reads and copies the state of an earlier run. @throws InvalidInputError if it is not a run state */
export function readPrevious(previous: unknown): Earlier {
  if (previous === undefined) return FRESH;
  const copy = copied(previous);
  if (!isObject(copy)) throw wrong(`it is ${describe(previous)}`);
  if (copy["protocol"] !== undefined) throw wrong("it is the state of a conversation: pass its `run`");
  const { sessionState } = copy;
  if (sessionState == null) return FRESH; // the earlier run failed before it began
  if (!isObject(sessionState)) throw wrong(`its \`sessionState\` is ${describe(sessionState)}`);
  const { mainAgentState, fileContext } = sessionState;
  if (!isObject(mainAgentState)) throw wrong("its `mainAgentState` is missing");
  const { messageHistory = [], agentType } = mainAgentState;
  if (!Array.isArray(messageHistory)) throw wrong("its `messageHistory` is no list");
  messageHistory.forEach((message: unknown, at) => {
    if (!isMessage(message)) throw wrong(`message ${at} of its history is no message`);
  });
  return {
    history: messageHistory as readonly RunMessage[],
    openCalls: openCallsOf(copy["underWay"], messageHistory.length),
    agentType: typeof agentType === "string" ? agentType : undefined,
    mainAgentState,
    fileContext: isObject(fileContext) ? fileContext : undefined,
  };
}

/** The open calls of a run that had not ended. @throws InvalidInputError for an invalid or cut state */
function openCallsOf(underWay: unknown, found: number): readonly RunCallPart[] {
  if (underWay === undefined) return [];
  const { version, messages, openCalls } = fieldsOf(underWay);
  if (version !== 1) throw wrong(`its \`underWay\` has the version ${JSON.stringify(version)}, not 1`);
  if (messages !== found) throw wrong(`it was cut: it has ${found} of ${JSON.stringify(messages)} messages`);
  const areCalls =
    Array.isArray(openCalls) &&
    openCalls.every((call) => isObject(call) && call["type"] === "tool-call" && isPart(call));
  if (!areCalls) throw wrong("its `openCalls` are no tool calls");
  return openCalls as readonly RunCallPart[];
}

/** Checks and copies tool results. @throws InvalidInputError for anything else */
export function readToolResults(results: unknown): readonly RunMessage[] {
  const copy = copied(results);
  const isRight = Array.isArray(copy) && copy.every((each) => isMessage(each) && each.role === "tool");
  if (isRight) return copy as readonly RunMessage[];
  throw new InvalidInputError(
    "`extraToolResults` has something that is no result of a tool.",
    'Pass messages such as { role: "tool", toolCallId, toolName, content: [{ type: "json", value }] }.',
  );
}

function copied(value: unknown): unknown {
  try {
    return JSON.parse(JSON.stringify(value));
  } catch (cause) {
    throw new InvalidInputError("the state cannot be written as JSON.", HOW, { cause });
  }
}

function wrong(problem: string): InvalidInputError {
  return new InvalidInputError(`\`previousRun\` is no state of a run: ${problem}.`, HOW);
}

/** Whether a value is a message. Unknown fields and part types are allowed. */
export function isMessage(value: unknown): value is RunMessage {
  if (!isObject(value)) return false;
  const { role, content } = value;
  if (!Array.isArray(content) || !content.every(isObject)) return false;
  if (role === "tool")
    return typeof value["toolCallId"] === "string" && typeof value["toolName"] === "string";
  return (role === "system" || role === "user" || role === "assistant") && content.every(isPart);
}

function isPart(part: Readonly<Record<string, unknown>>): boolean {
  switch (part["type"] as RunPart["type"]) {
    case "text":
    case "reasoning":
      return typeof part["text"] === "string";
    case "image":
      return typeof part["image"] === "string";
    case "tool-call":
      return (
        typeof part["toolCallId"] === "string" &&
        typeof part["toolName"] === "string" &&
        isObject(part["input"])
      );
    default:
      return typeof part["type"] === "string";
  }
}

/** The folder of an unknown project. The schema requires one. */
export const NO_PROJECT = "/";

function withProject(project: ProjectFacts | undefined): Readonly<Record<string, unknown>> {
  const root = project?.projectRoot ?? NO_PROJECT;
  const { problems: _, ...facts } = project ?? {};
  const empty = emptyFileContext(root, root);
  return { ...empty, ...facts, systemInfo: { ...empty.systemInfo, ...project?.systemInfo } };
}

/** Facts about the project for agents: in placeholders and in the run state. */
export function fileContextOf(
  { projectFiles, knowledgeFiles, agentDefinitions, tools }: CodebuffRunSettings,
  earlier: Earlier,
  project?: ProjectFacts,
): Readonly<Record<string, unknown>> {
  const given = earlier.fileContext ?? {
    ...withProject(project),
    tokenCallers: {},
    userKnowledgeFiles: {},
    skills: {},
  };
  const paths = Object.keys(projectFiles);
  const found = Object.entries(projectFiles).filter(([path]) => KNOWLEDGE_FILES.has(path.toLowerCase()));
  const knowledge = { ...Object.fromEntries(found), ...knowledgeFiles };
  return {
    ...given,
    ...(paths.length === 0 ? {} : { fileTree: treeOf(paths) }),
    ...(Object.keys(knowledge).length === 0
      ? {}
      : { knowledgeFiles: { ...fieldsOf(given["knowledgeFiles"]), ...knowledge } }),
    agentTemplates: {
      ...fieldsOf(given["agentTemplates"]),
      ...Object.fromEntries(
        agentDefinitions.map(({ handleSteps: _, ...definition }) => [definition.id, definition]),
      ),
    },
    customToolDefinitions: {
      ...fieldsOf(given["customToolDefinitions"]),
      ...Object.fromEntries(
        tools.flatMap((tool) => {
          if (tool.kind !== "handled" || tool.isBuiltIn) return [];
          const { name, description, schema, endsAgentStep } = tool;
          return [[name, { description, inputSchema: schema.json, endsAgentStep }]];
        }),
      ),
    },
  };
}
