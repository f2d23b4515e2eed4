import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { fastStart } from "../helpers/sources.ts";
import { projectsOf } from "./project.ts";
import type { Heard, Said } from "./said.ts";
import type { Scenario } from "./scenario.ts";
import type { Job } from "./sdk-run.ts";

const PROGRAM = fileURLToPath(new URL("./sdk-run.ts", import.meta.url));

/** The key that the client takes from the environment, to count tokens with. */
export const KEY_OF_ENVIRONMENT = "key-of-the-environment";

/** ms after which a child that hangs is killed, so that its tests fail with what it has said. */
const LIMIT = 50_000;

/** A user of the original client, and the server that answers. */
export interface SdkUser {
  readonly scenario: Scenario;
  readonly url: string;
  readonly apiKey: string;
}

/** What became of a user of a client. */
export interface Story {
  readonly heard: readonly Heard[];
  /** The files of the project behind the runs, and those beside the project, by path from the project. */
  readonly files: Readonly<Record<string, string>>;
  /** The project's folder. */
  readonly cwd: string;
}

/**
 * Lets the original client work for some users at once, in a process of its own: with a project for each in a temporary folder, an empty
 * home, nothing of this machine's environment but `PATH` and what makes it start fast, and no way to any other machine. The process must end by itself.
 * @returns the stories in the order of the users
 */
export async function sdkRuns(users: readonly SdkUser[]): Promise<readonly Story[]> {
  await using projects = await projectsOf(
    users.map(({ scenario }) => scenario),
    { "home/.profile": "" },
  );
  const { cwd, files } = projects;
  const job: Job = { runs: users.map((user, place) => ({ ...user, run: place, cwd: cwd(place) })) };
  const said = await saidBy(job, projects.path);
  return await Promise.all(
    users.map(async (_, place) => ({
      heard: said.filter((each) => "run" in each && each.run === place) as Heard[],
      files: await files(place),
      cwd: cwd(place),
    })),
  );
}

/** What the child says until it ends. @throws if it does not end well and by itself, or says what it was not to say. */
async function saidBy(job: Job, folder: string): Promise<readonly Said[]> {
  const child = spawn(process.execPath, [PROGRAM], {
    cwd: folder,
    env: {
      PATH: process.env["PATH"],
      ...fastStart(),
      HOME: join(folder, "home"),
      CODEBUFF_API_KEY: KEY_OF_ENVIRONMENT,
    },
    stdio: "pipe",
    // A group of its own, so that what it starts ends with it.
    detached: true,
  });
  const kill = () => {
    if (child.pid === undefined) return;
    try {
      process.kill(-child.pid, "SIGKILL");
    } catch {
      // Nothing is left of the group.
    }
  };
  process.once("exit", kill);
  let overdue = false;
  const timer = setTimeout(() => {
    overdue = true;
    kill();
  }, LIMIT);
  child.stdin.on("error", () => {}); // its end is told by its exit code
  child.stdin.end(JSON.stringify(job));
  let stderr = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    stderr += text;
  });
  const said: Said[] = [];
  createInterface({ input: child.stdout }).on("line", (line) => said.push(JSON.parse(line)));
  const [code, signal] = await once(child, "close");
  clearTimeout(timer);
  process.off("exit", kill);
  kill();
  const lastly = overdue ? `killed after ${LIMIT / 1000} s` : (signal ?? `exit code ${code}`);
  const mustNot = said.filter((each) => each.said === "refused" || each.said === "unhandled");
  if (lastly === "exit code 0" && mustNot.length === 0) return said;
  const lines = (mustNot.length > 0 ? mustNot : said).map((each) => JSON.stringify(each)).join("\n");
  throw new Error(`The original client: ${lastly}. It has said:\n${lines}\n${stderr}`);
}
