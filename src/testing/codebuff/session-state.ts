// Makes a session state that the original server accepts.

/** The initial `sessionState` of a client of the original server: an empty project and an agent without history. */
interface ExampleSessionState {
  readonly fileContext: { readonly [key: string]: unknown };
  readonly mainAgentState: { readonly [key: string]: unknown };
}

/**
 * Makes a `sessionState` that the profile `codebuff` accepts. Fields of its two halves can be overridden. Its
 * `fileContext` is also valid in an init.
 *
 * @example
 * ```ts
 * const { fileContext } = exampleSessionState({ fileContext: { projectRoot: "/app" } });
 * ```
 */
export function exampleSessionState(fields: Partial<ExampleSessionState> = {}): ExampleSessionState {
  return {
    fileContext: {
      projectRoot: "/project",
      cwd: "/project",
      fileTree: [],
      fileTokenScores: {},
      tokenCallers: {},
      knowledgeFiles: {},
      userKnowledgeFiles: {},
      agentTemplates: {},
      customToolDefinitions: {},
      gitChanges: { status: "", diff: "", diffCached: "", lastCommitMessages: "" },
      changesSinceLastChat: {},
      shellConfigFiles: {},
      systemInfo: {
        platform: "linux",
        shell: "bash",
        nodeVersion: "v20.20.2",
        arch: "x64",
        homedir: "/project",
        cpus: 2,
      },
      ...fields.fileContext,
    },
    mainAgentState: {
      agentId: "main-agent",
      agentType: null,
      agentContext: {},
      subagents: [],
      messageHistory: [],
      stepsRemaining: 25,
      creditsUsed: 0,
      ...fields.mainAgentState,
    },
  };
}
