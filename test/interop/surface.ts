import type { TurnOptions } from "agentwire";
import type {
  AgentDefinition,
  CodebuffRunContent,
  CodebuffRunOptions,
  CodebuffRunPromptInput,
  CodebuffRunPromptOptions,
  PrintModeEvent,
} from "agentwire/codebuff-run";
import type { NodeTerminalOptions, NodeToolsOptions } from "agentwire/codebuff-run/tools";
import type * as sdk from "codebuff-http-sdk";

/** What stands here for an option of the original client; `null`: nothing does. */
type Counterpart =
  | `option \`${keyof CodebuffRunOptions & string}\``
  | `\`${keyof (CodebuffRunPromptOptions & TurnOptions) & string}\` of a prompt`
  | `\`${keyof CodebuffRunPromptInput & string}\` of the input`
  | `\`${keyof NodeToolsOptions & string}\` of \`nodeTools\``
  | `\`terminal.${keyof NodeTerminalOptions & string}\` of \`nodeTools\``
  | `field \`${keyof AgentDefinition & string}\``
  | `event \`${PrintModeEvent["type"] | "chunk"}\``
  | `part \`${CodebuffRunContent["type"]}\``
  | "`for await`, `turn.on`"
  | "`mcpServers()`"
  | null;

/**
 * The surface of the original client, checked against its types by the compiler: a name that is missing or too much does not compile. The same
 * holds for the names of this library.
 */
export const SURFACE = {
  "client option": {
    apiKey: "option `apiKey`",
    cwd: "`root` of `nodeTools`",
    skillsDir: null,
    projectFiles: "option `projectFiles`",
    knowledgeFiles: "option `knowledgeFiles`",
    agentDefinitions: "option `agentDefinitions`",
    maxAgentSteps: "option `maxAgentSteps`",
    env: "`terminal.env` of `nodeTools`",
    handleEvent: "`for await`, `turn.on`",
    handleStreamChunk: "`for await`, `turn.on`",
    fileFilter: "`fileFilter` of `nodeTools`",
    overrideTools: "option `overrideTools`",
    customToolDefinitions: "option `tools`",
    fsSource: null,
    spawnSource: null,
    logger: "option `logger`",
  } satisfies Record<keyof sdk.CodebuffClientOptions, Counterpart>,
  "run option": {
    agent: "`agent` of a prompt",
    prompt: "`prompt` of the input",
    content: "`content` of the input",
    params: "`params` of a prompt",
    previousRun: "`previousRun` of a prompt",
    extraToolResults: "`extraToolResults` of a prompt",
    signal: "`signal` of a prompt",
    costMode: "`costMode` of a prompt",
  } satisfies Record<keyof sdk.RunOptions, Counterpart>,
  "agent field": {
    id: "field `id`",
    version: "field `version`",
    publisher: "field `publisher`",
    displayName: "field `displayName`",
    model: "field `model`",
    reasoningOptions: "field `reasoningOptions`",
    providerOptions: "field `providerOptions`",
    mcpServers: "`mcpServers()`",
    toolNames: "field `toolNames`",
    spawnableAgents: "field `spawnableAgents`",
    inputSchema: "field `inputSchema`",
    outputMode: "field `outputMode`",
    outputSchema: "field `outputSchema`",
    spawnerPrompt: "field `spawnerPrompt`",
    includeMessageHistory: null,
    inheritParentSystemPrompt: null,
    systemPrompt: "field `systemPrompt`",
    instructionsPrompt: "field `instructionsPrompt`",
    stepPrompt: "field `stepPrompt`",
    handleSteps: "field `handleSteps`",
  } satisfies Record<keyof sdk.AgentDefinition, Counterpart>,
  event: {
    start: "event `start`",
    error: "event `error`",
    download: "event `download`",
    tool_call: "event `tool_call`",
    tool_result: "event `tool_result`",
    text: "event `text`",
    finish: "event `finish`",
    subagent_start: "event `subagent_start`",
    subagent_finish: "event `subagent_finish`",
    reasoning_delta: "event `reasoning_delta`",
  } satisfies Record<sdk.PrintModeEvent["type"], Counterpart>,
  content: {
    text: "part `text`",
    image: "part `image`",
  } satisfies Record<sdk.MessageContent["type"], Counterpart>,
};
