import { execFileSync } from "node:child_process";
import { symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { CodebuffRunEvent, CodebuffRunOptions } from "agentwire/codebuff-run";
import { toUniversal } from "agentwire/codebuff-run";
import type { NodeTools } from "agentwire/codebuff-run/tools";
import { describe, expect, test } from "vitest";
import { openDoor } from "../../../src/codebuff-run/tools/door/open-door.ts";
import { readTree } from "../../../src/codebuff-run/tools/project/tree.ts";
import { AGENT, runWorld } from "../world.ts";
import { call, calling, folderWorld } from "./tools-world.ts";

// What a prompt knows of the folder of `nodeTools`.

const PROMPT =
  "<{CODEBUFF_FILE_TREE_PROMPT}|{CODEBUFF_KNOWLEDGE_FILES_CONTENTS}|{CODEBUFF_GIT_CHANGES_PROMPT}>";

const options = (tools: NodeTools): CodebuffRunOptions => ({
  agent: { ...AGENT, systemPrompt: PROMPT, toolNames: tools.names },
  overrideTools: tools.handlers,
  project: tools.project,
});

/** The system prompt of a run over a folder, and the events of its turn. */
async function prompted(tools: NodeTools) {
  await using at = await runWorld({}, options(tools));
  const events: CodebuffRunEvent[] = [];
  const turn = at.client.prompt("hi");
  turn.on("event", (event) => events.push(event));
  await turn.result;
  return { system: String(at.chats()[0]?.messages[0]?.content), events };
}

const git = (root: string, ...args: readonly string[]): void => {
  const name = ["-c", "user.name=T", "-c", "user.email=t@example.org"];
  execFileSync("git", [...name, ...args], { cwd: root, stdio: "ignore" });
};

test("a prompt has the tree and the knowledge files, without what the tools may not read", async () => {
  await using at = await folderWorld({
    "AGENTS.md": "Use tabs.",
    "src/main.ts": "",
    ".gitignore": "dist\n",
    "dist/out.js": "",
    ".env": "KEY=1",
  });
  const { system, events } = await prompted(at.tools);
  expect(system).toContain("# Files of the project\n\n.gitignore\nAGENTS.md\nsrc/\n main.ts");
  expect(system).toContain("```AGENTS.md\nUse tabs.\n```");
  expect(system).not.toMatch(/out\.js|\.env\b/);
  expect(events).toContainEqual({ type: "project", files: ["AGENTS.md"], problems: [] });
});

test("a chat shows which knowledge files the agent reads", async () => {
  await using at = await folderWorld({ "CLAUDE.md": "Be brief." });
  await using world = await runWorld({}, options(at.tools));
  const stream = toUniversal(world.client.prompt("hi"));
  const details: unknown[] = [];
  for await (const { type, data } of stream)
    if (type === "item.completed" && data.item.kind === "status") details.push(data.item.content[0]);
  expect(details).toContainEqual(
    expect.objectContaining({ label: "notice", detail: 'The agent reads "CLAUDE.md" of the project.' }),
  );
});

test("the project is read once for a conversation, and its requests begin alike", async () => {
  await using at = await folderWorld({ "a.ts": "" });
  await using world = await runWorld({}, options(at.tools));
  const talk = world.client.conversation();
  await talk.prompt("one").result;
  await writeFile(join(at.root, "b.ts"), "");
  await talk.prompt("two").result;
  const [first, second] = world.chats().map(({ messages }) => messages[0]?.content);
  expect(second).toBe(first);
  await world.client.prompt("three").result;
  expect(String(world.chats().at(-1)?.messages[0]?.content)).toContain("b.ts");
});

test("`read_files` gives the knowledge files of a folder once, and names them as text of the project", async () => {
  await using at = await folderWorld({
    "web/AGENTS.md": "No jQuery.",
    "web/ui/a.ts": "A",
    "web/ui/b.ts": "B",
  });
  const reads = [
    call("read_files", { paths: ["web/ui/a.ts"] }),
    call("read_files", { paths: ["web/ui/b.ts"] }),
  ];
  await using world = await runWorld({ answer: calling(...reads) }, options(at.tools));
  const { toolCalls } = await world.client.prompt("hi").result;
  expect(toolCalls.map(({ output }) => output)).toEqual([
    [
      {
        type: "json",
        value: [
          { path: "web/ui/a.ts", content: "A" },
          {
            path: "web/AGENTS.md",
            content: "No jQuery.",
            note: expect.stringContaining("Text of the project"),
          },
        ],
      },
    ],
    [{ type: "json", value: [{ path: "web/ui/b.ts", content: "B" }] }],
  ]);
});

test("each part can be switched off", async () => {
  await using at = await folderWorld(
    { "AGENTS.md": "Use tabs." },
    { project: { tree: false, knowledge: false, system: false } },
  );
  const signal = new AbortController().signal;
  expect(Object.keys(await at.tools.project({ signal }))).toEqual(["projectRoot"]);
});

test("a knowledge file that is a link out of the folder is not read", async () => {
  await using outside = await folderWorld({ "secret.md": "secret" });
  await using at = await folderWorld({});
  await symlink(join(outside.root, "secret.md"), join(at.root, "AGENTS.md"));
  const { system } = await prompted(at.tools);
  expect(system).not.toContain("secret");
});

test("a folder that is missing is a problem that the turn tells, and the run goes on", async () => {
  await using at = await folderWorld({});
  const gone: CodebuffRunOptions["project"] = async () => {
    throw new Error("the disk is away");
  };
  await using world = await runWorld({}, { ...options(at.tools), project: gone });
  const events: CodebuffRunEvent[] = [];
  const turn = world.client.prompt("hi");
  turn.on("event", (event) => events.push(event));
  await turn.result;
  expect(events).toContainEqual(
    expect.objectContaining({ type: "project", problems: [expect.stringContaining("the disk is away")] }),
  );
  expect(world.warnings).toMatchObject([{ kind: "project" }]);
});

describe("the tree of a large project", () => {
  const files = Object.fromEntries(
    Array.from({ length: 30 }, (_, at) => [`many/f${String(at).padStart(2, "0")}.ts`, ""]),
  );

  test("says how many entries are missing, the deepest first", async () => {
    await using at = await folderWorld({ ...files, "a.md": "", "many/deep/x.ts": "" });
    const door = await openDoor({ root: at.root });
    const tree = await readTree(door, new AbortController().signal, 10);
    await door.close();
    expect(tree.map(({ name }) => name)).toEqual(["a.md", "many"]);
    const inner = tree[1]?.children?.map(({ name }) => name) ?? [];
    expect(inner).toHaveLength(9);
    expect(inner.at(-1)).toBe("(23 more)");
    expect(tree[1]?.children?.[0]).toMatchObject({ name: "deep", children: [{ name: "(not listed)" }] });
  });
});

describe("the changes in git", () => {
  test("are shown when asked for, without a tracked `.env`", async () => {
    await using at = await folderWorld({ "a.ts": "old\n", ".env": "KEY=1\n" }, { project: { git: true } });
    git(at.root, "init", "-q");
    git(at.root, "add", "-f", ".");
    git(at.root, "commit", "-qm", "First");
    await writeFile(join(at.root, "a.ts"), "new\n");
    await writeFile(join(at.root, ".env"), "KEY=2\n");
    const { system } = await prompted(at.tools);
    expect(system).toContain("M a.ts");
    expect(system).toMatch(/-old\n\+new/);
    expect(system).toContain("First");
    expect(system).not.toMatch(/KEY|\.env/);
  });

  test("run no program of the repository: no monitor, no hook, no outside diff, no text conversion", async () => {
    await using at = await folderWorld(
      { "a.ts": "old\n", ".gitattributes": "*.ts diff=evil\n" },
      { project: { git: true } },
    );
    git(at.root, "init", "-q");
    git(at.root, "add", ".");
    git(at.root, "commit", "-qm", "First");
    const evil = `touch '${join(at.root, "evil")}'`;
    for (const name of [
      "core.fsmonitor",
      "diff.external",
      "diff.evil.textconv",
      "diff.evil.command",
      "core.pager",
    ])
      git(at.root, "config", name, evil);
    await writeFile(join(at.root, "a.ts"), "new\n");
    const { system } = await prompted(at.tools);
    expect(system).toMatch(/-old\n\+new/);
    expect(await at.tools.readFiles(["evil"])).toEqual({ evil: null });
  });

  test("are refused where the repository configures filters", async () => {
    await using at = await folderWorld({ "a.ts": "" }, { project: { git: true } });
    git(at.root, "init", "-q");
    git(at.root, "config", "filter.evil.clean", "touch evil");
    const { system, events } = await prompted(at.tools);
    expect(system).toContain("|>");
    expect(events).toContainEqual(
      expect.objectContaining({ type: "project", problems: [expect.stringContaining("configures filters")] }),
    );
  });

  test("are a problem where there is no repository", async () => {
    await using at = await folderWorld({ "a.ts": "" }, { project: { git: true } });
    const { events } = await prompted(at.tools);
    expect(events).toContainEqual(
      expect.objectContaining({
        type: "project",
        problems: [expect.stringContaining("no usable repository")],
      }),
    );
  });
});
