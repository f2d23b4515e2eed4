// What a run's prompts may say about a project, as `nodeTools` reads it.
import type { TreeNode } from "./state/file-tree.ts";

/** Facts about a project. A run state's `fileContext` has the same fields. */
export interface ProjectFacts {
  /** The absolute path of the folder. */
  readonly projectRoot: string;
  readonly fileTree?: readonly TreeNode[];
  /** Texts of knowledge files, by path. They are text of the project, and change no rule. */
  readonly knowledgeFiles?: Readonly<Record<string, string>>;
  readonly systemInfo?: { readonly platform: string; readonly arch: string; readonly shell: string };
  readonly gitChanges?: {
    readonly status: string;
    readonly diff: string;
    readonly diffCached: string;
    readonly lastCommitMessages: string;
  };
  /** What could not be told, in words for the user. */
  readonly problems?: readonly string[];
}

/** Reads the facts. Called at the start of a conversation. */
export type ReadProject = (context: { readonly signal: AbortSignal }) => Promise<ProjectFacts>;

/** Names of knowledge files, in lower case. */
export const KNOWLEDGE_FILES: ReadonlySet<string> = new Set(["knowledge.md", "agents.md", "claude.md"]);
