import { defined } from "../core/checks.ts";

/** What the original server knows of a project; every field is part of its schema, most may stay empty. */
export interface ProjectFileContext {
  readonly projectRoot: string;
  readonly cwd: string;
  readonly fileTree: readonly unknown[];
  readonly fileTokenScores: Readonly<Record<string, unknown>>;
  readonly knowledgeFiles: Readonly<Record<string, string>>;
  readonly userKnowledgeFiles?: Readonly<Record<string, string>>;
  /** Agents of your own, by id. */
  readonly agentTemplates: Readonly<Record<string, unknown>>;
  /** Tools of your own, by name; what runs them is the client's option `tools`. */
  readonly customToolDefinitions: Readonly<Record<string, unknown>>;
  readonly gitChanges: Readonly<Record<"status" | "diff" | "diffCached" | "lastCommitMessages", string>>;
  readonly changesSinceLastChat: Readonly<Record<string, string>>;
  readonly shellConfigFiles: Readonly<Record<string, string>>;
  readonly systemInfo: Readonly<
    Record<"platform" | "shell" | "nodeVersion" | "arch" | "homedir", string> & { cpus: number }
  >;
}

/** Steps that an agent may take in one prompt, as the original clients have it. */
const STEPS = 25;

/**
 * The state with which a session on the original server begins: nothing was said yet, and of the project it
 * knows what `project` tells. Later states come from the server. It is what a prompt without a `sessionState`
 * sends there.
 *
 * @example
 * const sessionState = newSessionState({ projectRoot: "/srv/app", knowledgeFiles: { "notes.md": notes } });
 * for await (const event of client.prompt({ prompt: "What is this project?", sessionState })) show(event);
 */
export function newSessionState(
  project: Partial<ProjectFileContext> = {},
): Readonly<Record<"fileContext" | "mainAgentState", Readonly<Record<string, unknown>>>> {
  const { projectRoot = "/", cwd = projectRoot } = project;
  const fileContext = {
    projectRoot,
    cwd,
    fileTree: [],
    fileTokenScores: {},
    knowledgeFiles: {},
    agentTemplates: {},
    customToolDefinitions: {},
    gitChanges: { status: "", diff: "", diffCached: "", lastCommitMessages: "" },
    changesSinceLastChat: {},
    shellConfigFiles: {},
    systemInfo: { platform: "", shell: "", nodeVersion: "", arch: "", homedir: "", cpus: 1 },
  } satisfies ProjectFileContext;
  const mainAgentState = {
    agentId: "main-agent",
    agentType: null,
    agentContext: {},
    ancestorRunIds: [],
    subagents: [],
    childRunIds: [],
    messageHistory: [],
    stepsRemaining: STEPS,
    creditsUsed: 0,
    directCreditsUsed: 0,
  };
  return { fileContext: { ...fileContext, ...defined(project) }, mainAgentState };
}
