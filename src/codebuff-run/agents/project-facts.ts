// The facts about a project at the start of a conversation: read, and told to the user.
import type { ProjectFacts } from "../project.ts";
import type { RunCore } from "../run-core.ts";
import { NO_PROJECT } from "../state/run-state.ts";
import { type Shared, tell, wordsOf } from "./shared.ts";

/** Undefined without the option `project`. If the project cannot be read, the run goes on without it. @throws the stop's reason */
export async function readFacts(
  core: RunCore,
  turnId: string,
  signal: AbortSignal,
): Promise<ProjectFacts | undefined> {
  try {
    return await core.settings.project?.({ signal });
  } catch (error) {
    if (signal.aborted) throw error;
    const problem = `the project could not be read: ${wordsOf({ core }, error)}`;
    core.warn("project", problem, { cause: error, turnId });
    return { projectRoot: NO_PROJECT, problems: [problem] };
  }
}

/** Says which of the project's files the prompts have, and what is missing. */
export function tellProject(shared: Shared, { knowledgeFiles = {}, problems = [] }: ProjectFacts): void {
  const files = Object.keys(knowledgeFiles);
  if (files.length > 0 || problems.length > 0) tell(shared, { type: "project", files, problems }, 0);
}
