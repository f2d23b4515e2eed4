import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { AGENT, read, runWorld } from "../world.ts";
import { call, calling, folderWorld, replace, runWith, valuesOf, write } from "./tools-world.ts";

// What the tools have changed in a turn, and taking it back.

test("`changes()` lists the changes of a turn with their diffs, and `revert()` takes them back", async () => {
  await using folder = await folderWorld({ "a.txt": "one\n", "b.txt": "two\n" });
  const remove = { operation: { type: "delete_file", path: "b.txt" } };
  await using at = await runWith(
    folder,
    calling(replace("a.txt", "one", "1"), call("apply_patch", remove), write("new/c.txt", "three\n")),
  );
  const turn = at.client.prompt("hi");
  await turn.result;
  const changes = folder.tools.changes(turn);
  expect(changes.list()).toEqual([
    { path: "a.txt", action: "update", diff: expect.stringContaining("-one\n+1\n"), isRevertible: true },
    { path: "b.txt", action: "delete", diff: expect.stringContaining("-two\n"), isRevertible: true },
    { path: "new/c.txt", action: "add", diff: expect.stringContaining("+three\n"), isRevertible: true },
  ]);
  expect(await changes.revert()).toEqual({ reverted: ["new/c.txt", "b.txt", "a.txt"], conflicts: [] });
  expect([await folder.text("a.txt"), await folder.text("b.txt")]).toEqual(["one\n", "two\n"]);
  await expect(folder.text("new/c.txt")).rejects.toThrow("ENOENT");
  expect(folder.tools.changes(turn.id).list()).toEqual([]);
});

test("`revert()` keeps and reports a file that has changed since the edit", async () => {
  await using folder = await folderWorld({ "a.txt": "one\n", "b.txt": "two\n" });
  await using at = await runWith(folder, calling(replace("a.txt", "one", "1"), replace("b.txt", "two", "2")));
  const turn = at.client.prompt("hi");
  await turn.result;
  await writeFile(join(folder.root, "a.txt"), "mine\n");
  expect(await folder.tools.changes(turn).revert()).toEqual({
    reverted: ["b.txt"],
    conflicts: [{ path: "a.txt", reason: "The file has changed since the run wrote it." }],
  });
  expect([await folder.text("a.txt"), await folder.text("b.txt")]).toEqual(["mine\n", "two\n"]);
});

test("a turn without changes and an unknown turn have an empty list", async () => {
  await using folder = await folderWorld();
  await using at = await runWith(folder, calling());
  const turn = at.client.prompt("hi");
  await turn.result;
  for (const which of [turn, "unknown"]) {
    expect(folder.tools.changes(which).list()).toEqual([]);
    expect(await folder.tools.changes(which).revert()).toEqual({ reverted: [], conflicts: [] });
  }
});

test("`changes()` from before the turn's first call lists the turn's later changes", async () => {
  await using folder = await folderWorld({ "a.txt": "one\n" });
  await using at = await runWith(folder, calling(replace("a.txt", "one", "1")));
  const turn = at.client.prompt("hi");
  const changes = folder.tools.changes(turn);
  expect(changes.list()).toEqual([]);
  await turn.result;
  expect(changes.list()).toMatchObject([{ path: "a.txt", action: "update" }]);
  expect(await changes.revert()).toEqual({ reverted: ["a.txt"], conflicts: [] });
});

test("after `close()`, changes are listed but not reverted", async () => {
  await using folder = await folderWorld({ "a.txt": "one\n" });
  await using at = await runWith(folder, calling(replace("a.txt", "one", "1")));
  const turn = at.client.prompt("hi");
  await turn.result;
  await folder.tools.close();
  const changes = folder.tools.changes(turn);
  expect(changes.list()).toHaveLength(1);
  expect(await changes.revert()).toEqual({
    reverted: [],
    conflicts: [{ path: "a.txt", reason: expect.stringContaining("closed") }],
  });
  expect(await folder.text("a.txt")).toBe("1\n");
});

test("sub-agents share the changes of their turn", async () => {
  await using folder = await folderWorld({ "a.txt": "one\n" });
  const { tools } = folder;
  const agents = [{ agent_type: "helper", prompt: "do" }];
  const ofHelper = calling(replace("a.txt", "one", "1"));
  const ofLead = calling(call("spawn_agents", { agents }), write("b.txt", "two\n"));
  await using at = await runWorld(
    { answer: (asked) => (asked.agentId === "helper" ? ofHelper : ofLead)(asked) },
    {
      agent: { ...AGENT, toolNames: [...tools.names, "spawn_agents"], spawnableAgents: ["helper"] },
      agentDefinitions: [{ ...AGENT, id: "helper", toolNames: tools.names }],
      overrideTools: tools.handlers,
    },
  );
  const turn = at.client.prompt("hi");
  await turn.result;
  expect(
    tools
      .changes(turn)
      .list()
      .map(({ path }) => path),
  ).toEqual(["a.txt", "b.txt"]);
});

test("if two runs have read a file and one edits it, the other has to read it again", async () => {
  await using folder = await folderWorld({ "a.txt": "one\n" });
  let open = (): void => {};
  const bothAsk = new Promise<void>((resolve) => {
    open = resolve;
  });
  let asking = 0;
  await using at = await runWith(
    folder,
    calling(call("read_files", { paths: ["a.txt"] }), replace("a.txt", "one", "1")),
    {
      toolPolicy: [{ tool: "read_files", then: "allow" }],
      onToolApproval: async () => {
        asking++;
        if (asking === 2) open();
        await bothAsk;
        return true;
      },
    },
  );
  const turns = [at.client.prompt("first"), at.client.prompt("second")];
  const edits = (await Promise.all(turns.map(read))).map((events) => valuesOf(events)[1]);
  const refused = edits.findIndex((value) => JSON.stringify(value).includes("errorMessage"));
  expect(edits[refused]).toMatchObject({ errorMessage: expect.stringContaining("Read it again") });
  expect(edits[1 - refused]).toMatchObject({ unifiedDiff: expect.stringContaining("-one\n+1\n") });
  const counts = turns.map((turn) => folder.tools.changes(turn).list().length);
  expect(counts).toEqual(refused === 0 ? [0, 1] : [1, 0]);
});

test("a later turn has to read a file again that has changed since an earlier turn saw it", async () => {
  await using folder = await folderWorld({ "a.txt": "one\n", "b.txt": "two\n" });
  const { signal } = new AbortController();
  const use = async (turnId: string, { name, arguments: input }: ReturnType<typeof call>) =>
    JSON.stringify(await folder.tools.handlers[name]?.({ name, input, turnId }, { signal }));
  const readFile = call("read_files", { paths: ["a.txt"] });
  await use("first", readFile);
  await use("first", replace("b.txt", "two", "2"));
  await writeFile(join(folder.root, "a.txt"), "mine\n");
  await writeFile(join(folder.root, "b.txt"), "2, mine\n");
  expect(await use("second", write("a.txt", "agent's\n"))).toContain("Read it again");
  expect(await use("second", replace("b.txt", "2", "3"))).toContain("Read it again");
  expect([await folder.text("a.txt"), await folder.text("b.txt")]).toEqual(["mine\n", "2, mine\n"]);
  await use("second", readFile);
  expect(await use("second", write("a.txt", "agent's\n"))).toContain("Updated file");
  expect(await use("third", write("a.txt", "agent's again\n"))).toContain("Updated file");
});

test("the changes of an active turn are kept while a hundred other turns come and go", async () => {
  await using folder = await folderWorld({ "a.txt": "one\n" });
  const { tools } = folder;
  const { signal } = new AbortController();
  const use = (turnId: string, { name, arguments: input }: ReturnType<typeof call>) =>
    tools.handlers[name]?.({ name, input, turnId }, { signal });
  await use("long", replace("a.txt", "one", "1"));
  const look = call("list_directory", { path: "." });
  for (let turn = 0; turn < 99; turn++) await use(`before ${turn}`, look);
  await use("long", look);
  for (let turn = 0; turn < 99; turn++) await use(`after ${turn}`, look);
  expect(tools.changes("long").list()).toHaveLength(1);
  await use("one more", look);
  expect(tools.changes("long").list()).toEqual([]);
});

test("`changes()` refuses a value that is no turn", async () => {
  await using folder = await folderWorld({});
  const { changes } = folder.tools as unknown as { changes: (turn?: unknown) => unknown };
  expect(() => changes.call(folder.tools)).toThrow("the turn is undefined");
  expect(() => changes.call(folder.tools, {})).toThrow("the turn is an object");
});
