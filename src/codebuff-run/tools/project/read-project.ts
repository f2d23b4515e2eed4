// Reads what a prompt may say about a folder: its tree, its knowledge files, the system, the changes in git.
import { basename } from "node:path";
import { defined } from "../../../core/checks.ts";
import type { ProjectFacts } from "../../project.ts";
import type { Door } from "../door/door.ts";
import type { NodeProjectOptions } from "../options.ts";
import { readGit } from "./git.ts";
import { knowledgeIn } from "./knowledge.ts";
import { readTree } from "./tree.ts";

/** @throws the signal's reason */
export async function readProject(
  door: Door,
  { tree = true, knowledge = true, system = true, git = false }: NodeProjectOptions,
  signal: AbortSignal,
): Promise<ProjectFacts> {
  const fileTree = tree ? await readTree(door, signal) : undefined;
  const knowledgeFiles = knowledge ? await knowledgeIn(door, "") : undefined;
  const { platform, arch, env } = process;
  const shell = basename(env["SHELL"] ?? "");
  const changes = git ? await readGit(door, signal) : undefined;
  signal.throwIfAborted();
  return {
    projectRoot: door.root,
    ...defined({ fileTree, knowledgeFiles }),
    ...(system ? { systemInfo: { platform, arch, shell } } : {}),
    ...(changes && "problem" in changes ? { problems: [changes.problem] } : defined({ gitChanges: changes })),
  };
}
