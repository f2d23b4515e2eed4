import type { BackendToolCall } from "agentwire/testing";
import {
  glob,
  type LocalJob,
  list,
  localJob,
  patch,
  read,
  remove,
  replace,
  run,
  search,
  write,
} from "./local-job.ts";

/** A call that leaves the project, and what the original client does. */
export interface Attack {
  readonly call: BackendToolCall;
  readonly sdk: "leaves the project" | "stays in the project" | "ends the run";
}

/** In the file beside the project that every call is after. No call says it. */
export const SECRET = "sesame";
/** A file beside the secret one, which no call names. */
export const UNNAMED = "unnamed.txt";

export const OUTSIDE = {
  "../outside/secret.txt": `password: ${SECRET}\n`,
  [`../outside/${UNNAMED}`]: "x\n",
  "../project-evil/secret.txt": `password: ${SECRET}\n`,
  [`../project-evil/${UNNAMED}`]: "x\n",
};

const leaves = (...calls: readonly BackendToolCall[]) =>
  calls.map((call): Attack => ({ call, sdk: "leaves the project" }));
const stays = (...calls: readonly BackendToolCall[]) =>
  calls.map((call): Attack => ({ call, sdk: "stays in the project" }));

/** `out` is a link to the folder, `leak.txt` to the file, and `dangling` to a file that is not there. */
export const ATTACKS: readonly Attack[] = [
  ...leaves(
    write("out/written.txt", "x"),
    write("leak.txt", "x"),
    write("dangling", "x"),
    replace("out/secret.txt", ["password", "found"]),
    patch("out/patched.txt", "+x\n", "create_file"),
    remove("out/secret.txt"),
    read("out/secret.txt"),
    read("leak.txt"),
    list("out"),
    list("../project-evil"),
    glob("out/**"),
    glob("**/*"),
    search("password", { cwd: "out" }),
    search("password", { flags: "-L" }),
    search("password", { flags: "--follow" }),
    run("ls", { cwd: "../outside" }),
    run("ls", { cwd: "out" }),
  ),
  ...stays(
    write("../outside/written.txt", "x"),
    replace("../outside/secret.txt", ["password", "found"]),
    patch("../outside/patched.txt", "+x\n", "create_file"),
    remove("../outside/secret.txt"),
    read("../outside/secret.txt"),
    list("../outside"),
    glob("../outside/*"),
    search("password", { cwd: "../outside" }),
    search("password", { cwd: "../project-evil" }),
  ),
  { call: read("../project-evil/secret.txt"), sdk: "ends the run" },
];

/** A job for each: some ends its run. */
export const ATTACK_JOBS: readonly LocalJob[] = ATTACKS.map(({ call }) =>
  localJob(titleOf(call), [call], {
    files: { "a.txt": "hello\n", ...OUTSIDE },
    links: { out: "../outside", "leak.txt": "../outside/secret.txt", dangling: "../outside/made.txt" },
  }),
);

export function titleOf({ name, arguments: given }: BackendToolCall): string {
  return `${name} ${JSON.stringify(given)}`;
}
