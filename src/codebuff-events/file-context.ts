// An empty file context: the project facts that the schema of Codebuff's agents requires.

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
