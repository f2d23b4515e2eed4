import { fails, glob, type LocalJob, list, localJob, read, run, search } from "./local-job.ts";

const found = (pattern: string, files: readonly string[], place = "") => ({
  files,
  count: files.length,
  message: `Found ${files.length} file(s) matching pattern "${pattern}"${place}`,
});
const matches = (stdout: string) => ({ stdout, message: `Exit code: ${stdout === "No results" ? 1 : 0}` });
const notAllowed = (flag: string) =>
  `The flag "${flag}" is not allowed. Allowed flags: -i -S -s -w -x -F -U --multiline-dotall -A <n> -B <n> -C <n> -m <n> -g <glob> -t <type> -T <type>`;

/** Tools that read, and commands. */
export const READ_JOBS: readonly LocalJob[] = [
  localJob("folders and patterns", [
    list("."),
    list(""),
    list("./src/"),
    list("src/../docs"),
    list(".."),
    glob("**/*.ts"),
    glob("*.md"),
    glob("none/**"),
    glob("src/**"),
    glob("**/*.ts", "src"),
    glob("*.{txt,md}"),
    glob("!**/*.ts"),
  ]),
  localJob(
    "folders that are not there",
    [list("none"), list("a.txt"), glob("*", "none"), run("echo x", { cwd: "none" })],
    {
      differs: {
        0: fails(
          "paths-of-the-machine",
          "Failed to list directory: ENOENT: no such file or directory, scandir '<project>/none'",
          "Failed to list directory: Path 'none' does not exist.",
        ),
        1: fails(
          "paths-of-the-machine",
          "Failed to list directory: ENOTDIR: not a directory, scandir '<project>/a.txt'",
          "Failed to list directory: Path 'a.txt' goes through a file.",
        ),
        2: {
          why: "missing-folders",
          sdk: found("*", [], ' in directory "none"'),
          own: { errorMessage: "Failed to search for files: Path 'none' does not exist." },
        },
        3: fails("missing-folders", "Failed to spawn command: spawn bash ENOENT", {
          command: "echo x",
          errorMessage: "Invalid cwd: Path 'none' does not exist.",
        }),
      },
    },
  ),
  localJob("patterns that differ", [glob("*.ts", "src"), glob("**/*.js"), glob("way/**"), glob("*", "..")], {
    files: { "src/b.ts": "x", "node_modules/m/x.js": "x", "dist/x.min.js": "x", "dist/x.js": "x" },
    links: { way: "src" },
    differs: {
      0: {
        why: "patterns-below-cwd",
        sdk: found("*.ts", [], ' in directory "src"'),
        own: found("*.ts", ["src/b.ts"], ' in directory "src"'),
      },
      1: {
        why: "built-in-ignores",
        sdk: found("**/*.js", ["dist/x.js"]),
        own: found("**/*.js", ["dist/x.js", "dist/x.min.js", "node_modules/m/x.js"]),
      },
      2: { why: "links-within", sdk: found("way/**", ["way/b.ts"]), own: found("way/**", []) },
      3: {
        why: "outside-of-the-project",
        sdk: found("*", [], ' in directory ".."'),
        own: { errorMessage: "Failed to search for files: Path '..' is outside the project directory." },
      },
    },
  }),
  localJob("searches", [
    search("export"),
    search("const (x|y)", { maxResults: 1 }),
    search("export", { cwd: "src/deep" }),
    search("nowhere to be found"),
    search("EXPORT", { flags: "-i" }),
    search("export", { flags: "-g *.md" }),
    search("export", { flags: "-g '*.md'" }),
    search("export", { flags: "-t ts" }),
    search("# P"),
    search("-x"),
    search("x", { cwd: ".." }),
    search("("),
  ]),
  localJob(
    "searches at their limits",
    [
      search("match"),
      search("match", { maxResults: 300 }),
      search("wide", { maxResults: 100 }),
      search("huge"),
    ],
    {
      files: {
        "many.txt": "match\n".repeat(300),
        "wide.txt": `wide ${"x".repeat(1_000)}\n`.repeat(30),
        "huge.txt": `huge ${"x".repeat(30_000)}\n`,
      },
    },
  ),
  localJob(
    "searches with flags",
    [
      search("foo", { flags: "-w -i" }),
      search("FOO", { flags: "-S" }),
      search("foo", { flags: "-x" }),
      search("f.o", { flags: "-F" }),
      search("foo", { flags: "-m 1 -g !b.txt" }),
      search("foo", { flags: "-T txt" }),
      search("^$"),
    ],
    { files: { "a.txt": "foo\nbar\n\nfood\n", "b.txt": "foo bar\nfoo\n", "c.ts": "foo\n" } },
  ),
  localJob(
    "searches that differ",
    [
      search("world", { flags: "-C 1" }),
      search("hello", { flags: "--glob=*.txt" }),
      search("hello", { flags: "-l" }),
      search("ignored"),
      search("hello\\nw", { flags: "-U" }),
      search("hello", { flags: "--pre cat" }),
    ],
    {
      files: { "b.txt": "hello\nworld\nthere\n", ".gitignore": "*.log\n", "y.log": "ignored\n" },
      differs: {
        0: {
          why: "lines-of-context",
          sdk: matches("./b.txt:\n1:hello\n2:world\n3:there"),
          own: matches("./b.txt:\n1-hello\n2:world\n3-there"),
        },
        1: {
          why: "flags-of-searches",
          sdk: matches("./b.txt:\n1:hello"),
          own: { errorMessage: notAllowed("--glob=*.txt") },
        },
        2: {
          why: "flags-of-searches",
          sdk: { stdout: "No results", message: "Exit code: 0" },
          own: { errorMessage: notAllowed("-l") },
        },
        3: { why: "ignored-without-git", sdk: matches("./y.log:\n1:ignored"), own: matches("No results") },
        4: {
          why: "matches-of-many-lines",
          sdk: matches("./b.txt:\n1:hello\nworld"),
          own: matches("./b.txt:\n1:hello\n2:world"),
        },
        5: {
          why: "flags-of-searches",
          sdk: matches("./b.txt:\n1:hello"),
          own: { errorMessage: notAllowed("--pre") },
        },
      },
    },
  ),
  localJob(
    "files that are not there, or not to be read",
    [read("none.txt", "src", "a.txt", "a.txt", ".env", ".git/HEAD", "y.log", "big.txt"), read()],
    {
      files: {
        "a.txt": "hello\n",
        "src/b.ts": "x",
        ".env": "S=1\n",
        ".git/HEAD": "x\n",
        ".gitignore": "*.log\n",
        "y.log": "y\n",
        "big.txt": "x".repeat(1_100_000),
      },
    },
  ),
  localJob(
    "files that are read otherwise",
    [read(".env.example", "bytes"), read("package-lock.json", "node_modules/m.js"), read("a.txt", "./a.txt")],
    {
      files: {
        "a.txt": "hello\n",
        ".env.example": "S=\n",
        bytes: "a\u0000b",
        "package-lock.json": "{}",
        "node_modules/m.js": "x",
      },
      differs: {
        0: {
          why: "templates-and-bytes",
          sdk: [
            { path: ".env.example", content: "[BLOCKED]" },
            { path: "bytes", content: "a\u0000b" },
          ],
          own: [
            { path: ".env.example", content: "[TEMPLATE]\nS=\n" },
            { path: "bytes", content: "[FILE_READ_ERROR] [not UTF-8 text]" },
          ],
        },
        1: {
          why: "built-in-ignores",
          sdk: [
            { path: "package-lock.json", content: "[BLOCKED]" },
            { path: "node_modules/m.js", content: "[BLOCKED]" },
          ],
          own: [
            { path: "package-lock.json", content: "{}" },
            { path: "node_modules/m.js", content: "x" },
          ],
        },
        2: {
          why: "one-file-twice",
          sdk: [
            { path: "a.txt", content: "hello\n" },
            { path: "./a.txt", content: "hello\n" },
          ],
          own: [{ path: "a.txt", content: "hello\n" }],
        },
      },
    },
  ),
  localJob("commands", [
    run("echo hi; exit 3"),
    run("echo out; echo err >&2"),
    run("cat a.txt", { cwd: "." }),
    run("pwd | sed 's#.*/##'", { cwd: "src" }),
    run("printf made > made.txt"),
    run("echo x", { timeout_seconds: -1 }),
    run("printf '\\033[31mred\\033[0m\\n'"),
    run("head -c 60000 /dev/zero | tr '\\0' a"),
    run("no-such-command"),
    run("(sleep 0.1; echo late) & echo now"),
    run("printf 'a\\rb \\xff'"),
  ]),
  localJob(
    "commands that differ",
    [
      run("echo x", { process_type: "BACKGROUND" }),
      run("echo x; sleep 30", { timeout_seconds: 0.2 }),
      run("test -c /dev/stdin && echo nothing || echo pipe"),
      run('echo "key: $CODEBUFF_API_KEY"'),
      run("echo x", { cwd: "/etc" }),
      run('echo "pager: $PAGER"'),
      run("kill -9 $$"),
    ],
    {
      differs: {
        0: fails("commands-in-failures", "BACKGROUND process_type not implemented", {
          command: "echo x",
          errorMessage: "BACKGROUND process_type not implemented",
        }),
        1: fails("commands-in-failures", "Command timed out after 0.2 seconds", {
          command: "echo x; sleep 30",
          errorMessage: "Command timed out after 0.2 seconds",
        }),
        2: {
          why: "input-of-commands",
          sdk: { command: "test -c /dev/stdin && echo nothing || echo pipe", stdout: "pipe\n", exitCode: 0 },
          own: {
            command: "test -c /dev/stdin && echo nothing || echo pipe",
            stdout: "nothing\n",
            exitCode: 0,
          },
        },
        3: {
          why: "keys-for-commands",
          sdk: {
            command: 'echo "key: $CODEBUFF_API_KEY"',
            stdout: "key: key-of-the-environment\n",
            exitCode: 0,
          },
          own: { command: 'echo "key: $CODEBUFF_API_KEY"', stdout: "key: \n", exitCode: 0 },
        },
        4: {
          why: "outside-of-the-project",
          sdk: { command: "echo x", stdout: "x\n", exitCode: 0 },
          own: {
            command: "echo x",
            errorMessage: "Invalid cwd: Path '/etc' is outside the project directory.",
          },
        },
        5: {
          why: "pagers",
          sdk: { command: 'echo "pager: $PAGER"', stdout: "pager: \n", exitCode: 0 },
          own: { command: 'echo "pager: $PAGER"', stdout: "pager: cat\n", exitCode: 0 },
        },
        6: {
          why: "signals",
          sdk: { command: "kill -9 $$", stdout: "" },
          own: { command: "kill -9 $$", stdout: "", signal: "SIGKILL" },
        },
      },
    },
  ),
];
