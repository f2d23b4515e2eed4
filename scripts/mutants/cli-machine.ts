import { type Mutant, mutantsOf } from "./mutant.ts";

/** What the program needs of this machine: where it is, folders, variables, a key; and what it can do. */
export const CLI_MACHINE: readonly Mutant[] = [
  ...mutantsOf(
    "codebuff-cli/command.ts",
    ["codebuff-cli/command.test.ts"],
    [
      {
        name: "cli-command-cwd",
        breaks: "a relative path is left relative",
        find: "isAbsolute(candidate) ? candidate : resolve(system.cwd, candidate)",
        replace: "candidate",
      },
      {
        name: "cli-command-cwd-asked",
        breaks: "the folder of this process is asked for by every path",
        find: "isAbsolute(candidate) ? candidate : resolve(system.cwd, candidate)",
        replace: "resolve(system.cwd, candidate)",
      },
      {
        name: "cli-command-empty-path",
        breaks: "an empty entry of PATH is this process's folder",
        find: '    .filter((folder) => folder !== "");',
        replace: '    .filter((folder) => folder !== "/");',
      },
      {
        name: "cli-command-usual",
        breaks: "without PATH nothing is found",
        find: '(isWindows ? "" : USUAL_PATH)',
        replace: '""',
      },
      {
        name: "cli-command-path-first",
        breaks: "a path is looked for in PATH",
        find: 'command.includes("/") ||',
        replace: 'command.includes("\\0") ||',
      },
      {
        name: "cli-command-access",
        breaks: "what may not be executed is not there",
        find: '    if (kind === "other") missing = { code: "EACCES" };',
        replace: "",
      },
      {
        name: "cli-command-shim",
        breaks: "on Windows a shim is started",
        find: "SHIM.test(path) && isWindows ? targetOf(path, system) : plain(path)",
        replace: "plain(path)",
      },
      {
        name: "cli-command-shim-elsewhere",
        breaks: "a file that looks like a shim is read as one elsewhere, too",
        find: "SHIM.test(path) && isWindows",
        replace: "SHIM.test(path)",
      },
      {
        name: "cli-command-bare-script",
        breaks: "on Windows the script without an ending is taken",
        find: "  return hasEnding ? [command] : endings",
        replace: '  return hasEnding ? [command] : ["", ...endings]',
      },
      {
        name: "cli-command-last",
        breaks: "the first target of a shim is taken",
        find: ".at(-1)?.[1]",
        replace: ".at(0)?.[1]",
      },
      {
        name: "cli-command-node",
        breaks: "a script is started without Node",
        find: "{ command: node, args: [path] }",
        replace: "{ command: path, args: [] }",
      },
      {
        name: "cli-command-target",
        breaks: "a target that is not there is started",
        find: '  if (kind(path) !== "program") return { code: "ENOENT" };',
        replace: "  void kind;",
      },
      {
        name: "cli-command-file",
        breaks: "a folder is a program",
        find: '    if (!statSync(path).isFile()) return "other";',
        replace: "    statSync(path);",
      },
      {
        name: "cli-command-executable",
        breaks: "any file is a program",
        find: "    accessSync(path, constants.X_OK);",
        replace: "    accessSync(path, constants.R_OK);",
      },
    ],
  ),
  ...mutantsOf(
    "codebuff-cli/environment.ts",
    ["codebuff-cli/invocation.test.ts", "codebuff-cli/keys.test.ts"],
    [
      {
        name: "cli-env-colours",
        breaks: "a program may colour what it says",
        find: ', NO_COLOR: "1" }',
        replace: " }",
        tests: ["codebuff-cli/environment.test.ts"],
      },
      {
        name: "cli-env-key",
        breaks: "the key does not get there",
        find: '  if (apiKey !== undefined) made["CODEBUFF_API_KEY"] = apiKey;',
        replace: "  void apiKey;",
      },
      {
        name: "cli-env-empty-key",
        breaks: "an empty key gets there",
        find: '  if (made["CODEBUFF_API_KEY"] === "") delete made["CODEBUFF_API_KEY"]; // an empty one counts as one for some',
        replace: "",
      },
      {
        name: "cli-env-profile",
        breaks: "on Windows the home is the user's own",
        find: "{ ...made, HOME: home, USERPROFILE: home }",
        replace: "{ ...made, HOME: home }",
      },
      {
        name: "cli-env-order",
        breaks: "this process's variables go before those that were added",
        find: "{ ...own, ...env,",
        replace: "{ ...env, ...own,",
        tests: ["codebuff-cli/environment.test.ts"],
      },
      {
        name: "cli-env-forced-colours",
        breaks: "colours that somebody forces are forced on the program",
        find: "FORCE_COLOR: _, CLICOLOR_FORCE: __, ...own",
        replace: "CLICOLOR_FORCE: __, ...own",
        tests: ["codebuff-cli/endings.test.ts"],
      },
    ],
  ),
  ...mutantsOf(
    "codebuff-cli/folder.ts",
    ["codebuff-cli/poor-system.test.ts", "codebuff-cli/options.test.ts"],
    [
      {
        name: "cli-folder-file",
        breaks: "a file is a folder",
        find: "    return statSync(path).isDirectory();",
        replace: "    return statSync(path) !== undefined;",
        tests: ["codebuff-cli/options.test.ts"],
      },
      {
        name: "cli-home-throws",
        breaks: "a user without a home can have no client",
        find: "    return undefined;\n  }\n}",
        replace: '    throw new Error("no home");\n  }\n}',
        tests: ["codebuff-cli/poor-system.test.ts"],
      },
      {
        name: "cli-home-empty",
        breaks: "an empty home is the folder of this process",
        find: "    return homedir() || undefined; // an empty",
        replace: "    return homedir(); // an empty",
        tests: ["codebuff-cli/poor-system.test.ts"],
      },
      {
        name: "cli-home-neighbour",
        breaks: "the folder of a user whose name begins alike is taken for the user's own",
        find: '/^[\\w-]/.test(rest) ? folder : "~"',
        replace: '/^[\\w-]/.test(rest) ? "~" : "~"',
        tests: ["codebuff-cli/folder.test.ts"],
      },
      {
        name: "cli-home-slash",
        breaks: "a home that is told with a slash at its end is shown",
        find: 'home?.replace(/[\\\\/]+$/, "") ?? ""',
        replace: 'home ?? ""',
        tests: ["codebuff-cli/folder.test.ts"],
      },
      {
        name: "cli-home-root",
        breaks: "a home that is the root is in every path",
        find: 'if (folder === "") return text;',
        replace: 'if (folder === "") return text.replaceAll("/", "~");',
        tests: ["codebuff-cli/folder.test.ts"],
      },
    ],
  ),
];
