// The schemas of the original server.
import {
  anything,
  arrayOf,
  type Check,
  literal,
  nullable,
  number,
  object,
  optional,
  recordOf,
  type Shape,
  something,
  string,
  unionOn,
} from "./zod-like.ts";

/** The messages of a client as the original server reads them, and the state that travels in them. */

const texts = recordOf(string);
const dict = recordOf(anything);
const list = arrayOf(anything);

/** What a project looks like from outside of the server. */
const fileContext = object({
  projectRoot: string,
  cwd: string,
  fileTree: list,
  fileTokenScores: dict,
  tokenCallers: optional(dict),
  knowledgeFiles: texts,
  userKnowledgeFiles: optional(texts),
  agentTemplates: dict,
  customToolDefinitions: dict,
  codebuffConfig: optional(dict),
  gitChanges: object({ status: string, diff: string, diffCached: string, lastCommitMessages: string }),
  changesSinceLastChat: texts,
  shellConfigFiles: texts,
  systemInfo: object({
    platform: string,
    shell: string,
    nodeVersion: string,
    arch: string,
    homedir: string,
    cpus: number,
  }),
});

const agentState = object({
  agentId: string,
  agentType: nullable(string),
  agentContext: dict,
  ancestorRunIds: optional(arrayOf(string)),
  subagents: list,
  childRunIds: optional(arrayOf(string)),
  messageHistory: list,
  stepsRemaining: number,
  creditsUsed: number,
  directCreditsUsed: optional(number),
  output: optional(dict),
  parentId: optional(string),
});

/** The parts of one user message. */
const content = arrayOf(
  unionOn("type", {
    text: { type: literal("text"), text: string },
    image: { type: literal("image"), image: string, mediaType: optional(string) },
  }),
);

const toolOutput = arrayOf(
  unionOn("type", {
    json: { type: literal("json"), value: something },
    media: { type: literal("media"), data: string, mediaType: string },
  }),
);

const BASE_ACTIONS: Readonly<Record<string, Shape>> = {
  prompt: {
    promptId: string,
    prompt: optional(string),
    content: optional(content),
    promptParams: optional(dict),
    fingerprintId: string,
    authToken: optional(string),
    // Later servers take any; see `COST_MODES`.
    costMode: optional(string),
    sessionState: object({ fileContext, mainAgentState: agentState }),
    toolResults: arrayOf(dict),
    model: optional(string),
    repoUrl: optional(string),
    agentId: optional(string),
  },
  init: { fingerprintId: string, authToken: optional(string), fileContext, repoUrl: optional(string) },
};

const EXTENSIONS: Readonly<Record<string, Shape>> = {
  "tool-call-response": { requestId: string, output: toolOutput },
  "read-files-response": { files: recordOf(nullable(string)), requestId: optional(string) },
  "mcp-tool-data": {
    requestId: string,
    tools: arrayOf(
      object({
        name: string,
        description: optional(string),
        inputSchema: object({ type: literal("object") }),
      }),
    ),
  },
};

const CANCEL: Readonly<Record<string, Shape>> = {
  "cancel-user-input": { authToken: string, promptId: string },
};

/** What the earlier servers took for a `costMode`. */
export const COST_MODES: ReadonlySet<unknown> = new Set(["lite", "normal", "max", "experimental", "ask"]);

export interface SchemaOptions {
  /** Whether the answers to requests are known. */
  readonly extensions: boolean;
  /** Whether cancel-user-input is known. */
  readonly cancel: boolean;
  /** What may be a txid. */
  readonly txid: Check;
}

/** A whole message of a client. */
export function messageSchema({ extensions, cancel, txid }: SchemaOptions): Check {
  const data = unionOn("type", {
    ...BASE_ACTIONS,
    ...(extensions ? EXTENSIONS : {}),
    ...(cancel ? CANCEL : {}),
  });
  return unionOn("type", {
    identify: { txid, clientSessionId: string },
    subscribe: { txid, topics: arrayOf(string) },
    unsubscribe: { txid, topics: arrayOf(string) },
    ping: { txid },
    action: { txid, data },
  });
}
