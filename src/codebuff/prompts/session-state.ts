// The first session state that the original server needs, from facts about a project.
import { emptyFileContext } from "../../codebuff-events/file-context.ts";
import { defined } from "../../core/checks.ts";

/** The original server's knowledge of a project. Every field is required by its schema; most may be empty. */
export interface ProjectFileContext {
  readonly projectRoot: string;
  readonly cwd: string;
  readonly fileTree: readonly unknown[];
  readonly fileTokenScores: Readonly<Record<string, unknown>>;
  readonly knowledgeFiles: Readonly<Record<string, string>>;
  readonly userKnowledgeFiles?: Readonly<Record<string, string>>;
  /** The app's own agents, by id. */
  readonly agentTemplates: Readonly<Record<string, unknown>>;
  /** The app's own tools, by name. The client's option `tools` has their handlers. */
  readonly customToolDefinitions: Readonly<Record<string, unknown>>;
  readonly gitChanges: Readonly<Record<"status" | "diff" | "diffCached" | "lastCommitMessages", string>>;
  readonly changesSinceLastChat: Readonly<Record<string, string>>;
  readonly shellConfigFiles: Readonly<Record<string, string>>;
  readonly systemInfo: Readonly<
    Record<"platform" | "shell" | "nodeVersion" | "arch" | "homedir", string> & { cpus: number }
  >;
}

/** Steps that an agent may take in one prompt. The value of the original clients. */
const STEPS = 25;

/**
 * The initial state of a session on the original server: no messages, and the facts in `project`. Later states come from the server. A
 * prompt without a `sessionState` sends this state to the original server.
 *
 * @example
 * const sessionState = newSessionState({ projectRoot: "/srv/app", knowledgeFiles: { "notes.md": notes } });
 * for await (const event of client.prompt({ prompt: "What is this project?", sessionState })) show(event);
 */
export function newSessionState(
  project: Partial<ProjectFileContext> = {},
): Readonly<Record<"fileContext" | "mainAgentState", Readonly<Record<string, unknown>>>> {
  const { projectRoot = "/", cwd = projectRoot } = project;
  const fileContext = emptyFileContext(projectRoot, cwd) satisfies ProjectFileContext;
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
