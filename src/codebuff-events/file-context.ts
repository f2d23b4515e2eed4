// The facts about a project that Codebuff's agents require, empty.

/** What Codebuff's agents know of a project of which nothing is known. Their schema requires every field. */
export function emptyFileContext(projectRoot: string, cwd: string) {
  return {
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
  };
}
