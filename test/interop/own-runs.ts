import { nodeTools } from "agentwire/codebuff-run/tools";
import { ownRun } from "./own-run.ts";
import { projectsOf } from "./project.ts";
import type { SdkUser, Story } from "./sdk-child.ts";

/** The story of a user of this library: without files and a folder, unless its own tools have worked in a project. */
export type OwnStory = Omit<Story, "cwd"> & Partial<Pick<Story, "cwd">>;

/** Lets this library work for some users at once: in projects of their own, with its own tools, where the scenario is local. */
export async function ownRuns(users: readonly SdkUser[]): Promise<readonly OwnStory[]> {
  await using projects = await projectsOf(users.map(({ scenario }) => scenario));
  const { cwd, files } = projects;
  return await Promise.all(
    users.map(async (user, place) => {
      if (!user.scenario.isLocal) return { heard: await ownRun(user), files: {} };
      const tools = nodeTools({ root: cwd(place), terminal: true, searchFlags: true });
      try {
        return { heard: await ownRun(user, tools.handlers), files: await files(place), cwd: cwd(place) };
      } finally {
        await tools.close();
      }
    }),
  );
}
