import { randomUUID } from "node:crypto";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { type NodeToolsOptions, nodeTools } from "agentwire/codebuff-run/tools";
import { describe, expect, test } from "vitest";
import { deferred } from "../../../src/core/deferred.ts";
import { processesWith } from "../../tui/support/processes.ts";
import { read } from "../world.ts";
import { call, calling, folderWorld, replace, runWith, valuesOf, write } from "./tools-world.ts";

// The tools of a folder in real runs, behind the gate.

describe("options", () => {
  test.each<[options: unknown, words: string]>([
    [undefined, "there are no options"],
    ["/project", "there are no options"],
    [{}, "there is no `root`"],
    [{ root: "" }, "`root` is an empty string"],
    [{ root: 5 }, "`root` is 5"],
    [{ root: ".", write: "yes" }, "`write` is a string"],
    [{ root: ".", terminal: 1 }, "`terminal` is 1"],
    [{ root: ".", terminal: { env: { A: 1 } } }, "option terminal.env is an object"],
    [{ root: ".", terminal: { inheritEnv: 0 } }, "option terminal.inheritEnv is 0"],
    [{ root: ".", terminal: { keepEnv: "PATH" } }, "option terminal.keepEnv is a string"],
    [{ root: ".", terminal: { keepEnv: [""] } }, "option terminal.keepEnv is an array"],
    [{ root: ".", terminal: { shell: " " } }, "option terminal.shell is a blank string"],
    [{ root: ".", terminal: { maxTimeoutSeconds: 0 } }, "option terminal.maxTimeoutSeconds is 0"],
    [{ root: ".", terminal: { maxTimeoutSeconds: Number.NaN } }, "option terminal.maxTimeoutSeconds is NaN"],
    [{ root: ".", searchFlags: [] }, "`searchFlags` is an array"],
    [{ root: ".", ripgrepPath: "" }, "`ripgrepPath` is an empty string"],
    [{ root: ".", fileFilter: {} }, "`fileFilter` is an object"],
    [{ root: ".", ignoreFiles: null }, "`ignoreFiles` is null"],
    [{ root: ".", allowEnvFiles: "no" }, "`allowEnvFiles` is a string"],
    [{ root: ".", rot: "." }, "`rot` does not exist"],
    [{ root: ".", terminal: { timeout: 1 } }, "option terminal.timeout does not exist"],
  ])("%j is refused: %s", (options, words) => {
    expect(() => nodeTools(options as NodeToolsOptions)).toThrow(
      expect.objectContaining({ code: "invalid-input", message: expect.stringContaining(words) }),
    );
  });

  const READING = ["read_files", "list_directory", "glob", "code_search"];
  const WRITING = ["write_file", "str_replace", "apply_patch"];

  test.each<[options: Omit<NodeToolsOptions, "root">, names: readonly string[]]>([
    [{}, [...READING, ...WRITING]],
    [{ write: false }, READING],
    [{ terminal: true }, [...READING, ...WRITING, "run_terminal_command"]],
    [{ write: false, terminal: {} }, [...READING, "run_terminal_command"]],
    [{ terminal: false }, [...READING, ...WRITING]],
  ])("%j give exactly the expected tools", (options, names) => {
    const tools = nodeTools({ root: ".", ...options });
    expect(tools.names).toEqual(names);
    expect(Object.keys(tools.handlers)).toEqual(names);
  });
});

describe("in a run", () => {
  test("an agent reads, searches and edits the folder", async () => {
    await using folder = await folderWorld({ "src/a.txt": "one\ntwo\n" });
    const patch = { type: "create_file", path: "src/c.txt", diff: "@@\n+three" };
    await using at = await runWith(
      folder,
      calling(
        call("read_files", { paths: ["src/a.txt", "../outside"] }),
        call("list_directory", { path: "src" }),
        call("glob", { pattern: "**/*.txt" }),
        call("code_search", { pattern: "tw." }),
        replace("src/a.txt", "two", "2"),
        write("src/b.txt", "new\n"),
        call("apply_patch", { operation: patch }),
      ),
    );
    const events = await read(at.client.prompt("hi"));
    expect(valuesOf(events)).toMatchObject([
      [
        { path: "src/a.txt", content: "one\ntwo\n" },
        { path: "../outside", content: "[FILE_OUTSIDE_PROJECT]" },
      ],
      { files: ["a.txt"] },
      { files: ["src/a.txt"] },
      { stdout: expect.stringContaining("two") },
      { file: "src/a.txt", unifiedDiff: expect.stringContaining("-two\n+2\n") },
      { file: "src/b.txt", message: "Created new file" },
      {},
    ]);
    expect(await Promise.all(["a", "b", "c"].map((name) => folder.text(`src/${name}.txt`)))).toEqual([
      "one\n2\n",
      "new\n",
      "three",
    ]);
    const told = JSON.stringify(at.chats());
    expect(told).not.toContain(folder.root);
  });

  test.each<[what: string, options: Omit<NodeToolsOptions, "root">, seen: readonly string[]]>([
    ["by default", {}, ["plain"]],
    ["with ignored files", { ignoreFiles: false }, ["ignored", "plain"]],
    ["with files of secrets", { allowEnvFiles: true }, [".env", "plain"]],
    ["with a filter", { fileFilter: (path) => ({ status: path === "plain" ? "blocked" : "allow" }) }, []],
  ])("%s all tools see the same files", async (_, options, seen) => {
    const files = { ".gitignore": "ignored\n", ".env": "word\n", ignored: "word\n", plain: "word\n" };
    await using folder = await folderWorld(files, options);
    await using at = await runWith(
      folder,
      calling(
        call("glob", { pattern: "{.env,ignored,plain}" }),
        call("read_files", { paths: [".env", "ignored", "plain"] }),
        call("code_search", { pattern: "word" }),
      ),
    );
    const [globbed, texts, found] = valuesOf(await read(at.client.prompt("hi")));
    const shown = (value: unknown) => JSON.stringify(value);
    for (const name of [".env", "ignored", "plain"]) {
      const isSeen = seen.includes(name);
      if (name !== ".env") expect(shown(globbed).includes(`"${name}"`)).toBe(isSeen);
      expect(shown(texts).includes(`{"path":"${name}","content":"word\\n"}`)).toBe(isSeen);
      if (name !== ".env") expect(shown(found).includes(name)).toBe(isSeen); // hidden files are not searched
    }
  });

  test("a command runs in the folder, and its output is reported while it runs", async () => {
    await using folder = await folderWorld({ "a.txt": "" }, { terminal: true });
    await using at = await runWith(
      folder,
      calling(call("run_terminal_command", { command: "ls; echo sorry >&2; exit 3" })),
    );
    const events = await read(at.client.prompt("hi"));
    expect(valuesOf(events)).toEqual([
      expect.objectContaining({ stdout: "a.txt\n", stderr: "sorry\n", exitCode: 3 }),
    ]);
    const told = events.flatMap((event) => (event.type === "tool_progress" ? [event.output] : []));
    expect(told.join("")).toContain("a.txt\n");
    const types = events.map(({ type }) => type);
    expect(types.indexOf("tool_progress")).toBeLessThan(types.indexOf("tool_result"));
  });

  test("a cancel during a command leaves no process, and the turn ends as cancelled", async () => {
    const mark = randomUUID();
    await using folder = await folderWorld({}, { terminal: { env: { AGENTWIRE_TEST_MARK: mark } } });
    const command = "sleep 1000 & sleep 1000 & echo started; wait";
    await using at = await runWith(
      folder,
      calling(call("run_terminal_command", { command, timeout_seconds: -1 })),
    );
    const turn = at.client.prompt("hi");
    const started = new Promise<void>((resolve) =>
      turn.on("event", (event) => {
        if (event.type === "tool_progress" && event.output.includes("started")) resolve();
      }),
    );
    await started;
    expect(processesWith("AGENTWIRE_TEST_MARK", mark).length).toBeGreaterThan(0);
    await turn.cancel();
    expect(await turn.outcome).toMatchObject({ status: "cancelled" });
    expect(processesWith("AGENTWIRE_TEST_MARK", mark)).toEqual([]);
  });

  test("with `write: false` an edit is not offered, and has no effect", async () => {
    await using folder = await folderWorld({ "a.txt": "one\n" }, { write: false });
    await using at = await runWith(folder, calling(replace("a.txt", "one", "1")));
    const turn = at.client.prompt("hi");
    await read(turn);
    const offered = at.chats()[0]?.tools?.map((tool) => tool.function.name);
    expect(offered).toEqual(folder.tools.names);
    expect(await folder.text("a.txt")).toBe("one\n");
  });

  test("a root that is no folder fails the call, until the folder exists", async () => {
    await using folder = await folderWorld();
    const root = join(folder.root, "later");
    const tools = nodeTools({ root });
    await using at = await runWith({ ...folder, tools }, calling(call("list_directory", { path: "." })));
    expect(valuesOf(await read(at.client.prompt("hi")))).toEqual([
      { errorMessage: expect.stringContaining("does not lead to a directory") },
    ]);
    await mkdir(root);
    expect(valuesOf(await read(at.client.prompt("again")))).toMatchObject([{ files: [] }]);
    await tools.close();
  });

  test("closed tools fail each call with the reason", async () => {
    await using folder = await folderWorld({ "a.txt": "one\n" });
    await using at = await runWith(folder, calling(call("read_files", { paths: ["a.txt"] })));
    await read(at.client.prompt("hi"));
    await folder.tools.close();
    await folder.tools.close();
    const [value] = valuesOf(await read(at.client.prompt("again")));
    expect(value).toEqual({ errorMessage: expect.stringContaining("the tools were closed") });
    await expect(folder.tools.readFiles(["a.txt"])).rejects.toThrow("the tools were closed");
    await expect(folder.tools.preview({ name: "write_file", input: {} })).rejects.toThrow("closed");
  });
});

test("`close()` ends the running command and its processes before it resolves", async () => {
  const mark = randomUUID();
  await using folder = await folderWorld({}, { terminal: { env: { AGENTWIRE_TEST_MARK: mark } } });
  const { run_terminal_command: run } = folder.tools.handlers;
  const command = "sleep 1000 & echo started; wait";
  const started = deferred<string>();
  const { signal } = new AbortController();
  const result = run?.(
    { name: "run_terminal_command", input: { command, timeout_seconds: -1 } },
    { signal, onProgress: started.resolve },
  );
  expect(await started.promise).toBe("started\n");
  const order: string[] = [];
  void result?.then(() => order.push("result"));
  await Promise.all([folder.tools.close(), folder.tools.close()]);
  order.push("closed");
  expect(processesWith("AGENTWIRE_TEST_MARK", mark)).toEqual([]);
  expect(order).toEqual(["result", "closed"]);
  const message = "Command interrupted: the run was aborted.";
  expect(await result).toEqual([{ type: "json", value: { command, stdout: "started\n", message } }]);
});

describe("approvals", () => {
  test("a rule allows reading, and an edit that the user denies is not made", async () => {
    await using folder = await folderWorld({ "a.txt": "one\n" });
    const asked: string[] = [];
    await using at = await runWith(
      folder,
      calling(call("read_files", { paths: ["a.txt"] }), replace("a.txt", "one", "1"), write("b.txt", "x")),
      {
        toolPolicy: [
          { tool: /^read_files$/, then: "allow" },
          { tool: "write_file", then: "deny" },
        ],
        onToolApproval: ({ name }) => asked.push(name) === 0,
      },
    );
    const turn = at.client.prompt("hi");
    const values = valuesOf(await read(turn));
    expect(asked).toEqual(["str_replace"]);
    expect(values).toEqual([
      [{ path: "a.txt", content: "one\n" }],
      { errorMessage: "denied by the user" },
      { errorMessage: "denied by `toolPolicy`" },
    ]);
    expect(await folder.text("a.txt")).toBe("one\n");
    expect(folder.tools.changes(turn).list()).toEqual([]);
  });

  test("`preview` shows the diff that the call then makes", async () => {
    await using folder = await folderWorld({ "a.txt": "one\ntwo\n" });
    const { tools } = folder;
    const shown: (string | undefined)[] = [];
    await using at = await runWith(
      folder,
      calling(call("glob", { pattern: "*" }), replace("a.txt", "two", "2"), replace("a.txt", "nope", "x")),
      {
        onToolApproval: async (asked) => {
          shown.push(await tools.preview(asked));
          return true;
        },
      },
    );
    const values = valuesOf(await read(at.client.prompt("hi")));
    expect(shown[0]).toBeUndefined();
    expect(shown[1]).toContain("-two\n+2\n");
    expect(values[1]).toMatchObject({ unifiedDiff: shown[1] });
    expect(values[2]).toMatchObject({ errorMessage: shown[2] });
  });

  test("a file that changes between the request and the decision is not overwritten", async () => {
    await using folder = await folderWorld({ "a.txt": "one\n" });
    const { tools } = folder;
    const elsewhere = nodeTools({ root: folder.root });
    await using at = await runWith(folder, calling(replace("a.txt", "one", "1")), {
      onToolApproval: async (asked, { signal }) => {
        await tools.preview(asked);
        const input = { path: "a.txt", instructions: "", content: "one, and more\n" };
        await elsewhere.handlers["write_file"]?.({ name: "write_file", input }, { signal });
        return true;
      },
    });
    const [value] = valuesOf(await read(at.client.prompt("hi")));
    await elsewhere.close();
    expect(value).toMatchObject({ errorMessage: expect.stringContaining("changed since") });
    expect(await folder.text("a.txt")).toBe("one, and more\n");
  });
});
