import { chmod, mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { inputSchemaOf } from "../../../src/codebuff-run/agents/agents.ts";
import { schemaOf } from "../../../src/codebuff-run/calls/tool-schema.ts";
import { type LoadAgentsOptions, loadAgents } from "../../../src/codebuff-run/tools/load-agents.ts";

// The agents of a folder.

const AGENT = { id: "reader", displayName: "Reader", model: "test/model" };
const json = JSON.stringify;

interface Folder extends AsyncDisposable {
  readonly path: string;
  load(options?: LoadAgentsOptions): ReturnType<typeof loadAgents>;
}

/** A folder with these files. */
async function folderOf(files: Readonly<Record<string, string>>): Promise<Folder> {
  const outside = await mkdtemp(join(tmpdir(), "agentwire-agents-"));
  const path = join(outside, ".agents");
  await mkdir(path);
  for (const [name, content] of Object.entries(files)) {
    await mkdir(dirname(join(path, name)), { recursive: true });
    await writeFile(join(path, name), content);
  }
  return {
    path,
    load: (options) => loadAgents(path, options),
    [Symbol.asyncDispose]: () => rm(outside, { recursive: true }),
  };
}

const isRoot = process.getuid?.() === 0; // root reads every folder

test.skipIf(isRoot)("a folder that cannot be read is a problem, and the others are read", async () => {
  await using at = await folderOf({ "a/x.json": json(AGENT), "b.json": json(AGENT) });
  await chmod(join(at.path, "a"), 0);
  const { agents, problems } = await at.load();
  await chmod(join(at.path, "a"), 0o700);
  expect(agents).toEqual([AGENT]);
  expect(problems).toEqual([{ file: "a", kind: "refused", message: "it cannot be read: EACCES" }]);
});

describe("JSON files", () => {
  test("are read, in folders too, in the order of their names", async () => {
    await using at = await folderOf({
      "b.json": json({ ...AGENT, id: "b", toolNames: ["read_files"] }),
      "a/x.json": `\ufeff${json({ ...AGENT, id: "a" })}`,
      "README.md": "no agent",
    });
    const { agents, problems } = await at.load();
    expect(agents).toEqual([
      { ...AGENT, id: "a" },
      { ...AGENT, id: "b", toolNames: ["read_files"] },
    ]);
    expect(problems).toEqual([]);
  });

  test.each([
    ["{ not JSON", "JSON"],
    [json([AGENT]), "an array"],
    [json({ ...AGENT, id: "A B" }), "`id` is a string. It must be"],
    [json({ id: "a", displayName: "A" }), "`model` is missing"],
    [json({ ...AGENT, outputSchema: { type: "array" } }), "no JSON Schema of an object"],
    [json({ ...AGENT, handleSteps: "function* () {}" }), "code in a string is never run"],
    ["[".repeat(10_000), "nested deeper"],
  ])("with invalid content are a problem with the file's name: %s", async (content, words) => {
    await using at = await folderOf({ "deep/bad.json": content, "good.json": json(AGENT) });
    expect(await at.load()).toEqual({
      agents: [AGENT],
      problems: [{ file: "deep/bad.json", kind: "invalid", message: expect.stringContaining(words) }],
    });
  });

  test("are loaded without their `mcpServers`, and a problem says so", async () => {
    const mcpServers = { evil: { command: "sh" } };
    await using at = await folderOf({ "a.json": json({ ...AGENT, mcpServers }) });
    expect(await at.load()).toEqual({
      agents: [AGENT],
      problems: [{ file: "a.json", kind: "ignored", message: expect.stringContaining("`mcpServers`") }],
    });
  });

  test("with a duplicate id are a problem", async () => {
    await using at = await folderOf({ "a.json": json(AGENT), "b.json": json(AGENT) });
    const { agents, problems } = await at.load();
    expect(agents).toHaveLength(1);
    expect(problems).toEqual([{ file: "b.json", kind: "invalid", message: "`id` is also the id of a.json" }]);
  });

  test("have schemas whose patterns the model sees, and which are never run", async () => {
    const slow = { type: "string", pattern: "^(a+)+$" };
    const outputSchema = {
      type: "object",
      properties: { a: slow, b: { oneOf: [slow, { type: "string", pattern: "b" }] } },
      required: ["a"],
      patternProperties: { "^(x+)+$": { type: "number" } },
      additionalProperties: false,
    };
    const inputSchema = { params: { type: "object", properties: { a: slow } } };
    await using at = await folderOf({ "a.json": json({ ...AGENT, outputSchema, inputSchema }) });
    const [agent] = (await at.load()).agents;
    expect(agent).toEqual({ ...AGENT, outputSchema, inputSchema });
    const schema = schemaOf(agent?.outputSchema, "set_output");
    expect(schema.json).toEqual(outputSchema);
    const a = `${"a".repeat(40)}!`; // takes hours
    expect(await schema.check({ a, b: a, x: 1 })).toEqual({ input: { a, b: a, x: 1 } });
    expect(await schema.check({ a: 1 })).toHaveProperty("issues");
    const input = inputSchemaOf({ params: agent?.inputSchema?.["params"] }, "the agent");
    expect(await input.check({ params: { a } })).toEqual({ input: { params: { a } } });
  });

  test("with references that double with each level are a problem", async () => {
    const $defs: Record<string, object> = { d40: {} };
    for (let at = 0; at < 40; at++)
      $defs[`d${at}`] = { allOf: [{ $ref: `#/$defs/d${at + 1}` }, { $ref: `#/$defs/d${at + 1}` }] };
    const outputSchema = { type: "object", $ref: "#/$defs/d0", $defs };
    await using at = await folderOf({ "a.json": json({ ...AGENT, outputSchema }) });
    expect(await at.load()).toEqual({
      agents: [],
      problems: [
        {
          file: "a.json",
          kind: "invalid",
          message: expect.stringContaining("expand to too many characters"),
        },
      ],
    });
  });

  test("larger than 1 MiB are refused", async () => {
    await using at = await folderOf({ "a.json": json({ ...AGENT, systemPrompt: "x".repeat(1_048_577) }) });
    expect(await at.load()).toMatchObject({ agents: [], problems: [{ kind: "refused", message: /larger/ }] });
  });
});

describe("code files", () => {
  const files = {
    "a.ts": `const id: string = "ts";\nexport default { ...${json(AGENT)}, id, *handleSteps() { yield "STEP"; } };`,
    "b.mjs": `export default { ...${json(AGENT)}, id: "mjs" };`,
    "c.cjs": `module.exports = { ...${json(AGENT)}, id: "cjs" };`,
    "types.d.ts": "export interface A {}",
    "a.test.ts": 'throw new Error("a test was run");',
  };

  test("are skipped and reported without `allowCode`, and are not run", async () => {
    await using at = await folderOf({ "a.mjs": "globalThis.agentwireTestRan = true;" });
    expect(await at.load()).toEqual({
      agents: [],
      problems: [{ file: "a.mjs", kind: "skipped", message: expect.stringContaining("allowCode") }],
    });
    expect(Reflect.get(globalThis, "agentwireTestRan")).toBeUndefined();
  });

  test("are loaded with `allowCode`: TypeScript, modules, CommonJS, and programs of agents", async () => {
    await using at = await folderOf(files);
    const { agents, problems } = await at.load({ allowCode: true });
    expect(problems).toEqual([]);
    expect(agents.map(({ id }) => id)).toEqual(["ts", "mjs", "cjs"]);
    expect(agents[0]?.handleSteps).toBeInstanceOf(Function);
  });

  test.each([
    ["export const x = 1;", "ignored", "no default export"],
    ['throw new Error("kaboom");', "invalid", "kaboom"],
    ["export default {", "invalid", ""],
    ["export default { id: 5 };", "invalid", "`displayName` is missing"],
  ])("without a valid agent are a problem: %s", async (content, kind, words) => {
    await using at = await folderOf({ "a.mjs": content });
    expect(await at.load({ allowCode: true })).toEqual({
      agents: [],
      problems: [{ file: "a.mjs", kind, message: expect.stringContaining(words) }],
    });
  });
});

describe("special entries of the folder", () => {
  test("links to files and to folders are refused", async () => {
    await using at = await folderOf({});
    await writeFile(join(at.path, "..", "secret.json"), json(AGENT));
    await symlink("../secret.json", join(at.path, "a.json"));
    await symlink("..", join(at.path, "up"));
    expect(await at.load()).toEqual({
      agents: [],
      problems: [
        { file: "a.json", kind: "refused", message: "it is a link, or no file" },
        { file: "up", kind: "refused", message: "it is a link, or no file" },
      ],
    });
  });

  test("hidden folders and node_modules are not read", async () => {
    await using at = await folderOf({ ".git/a.json": json(AGENT), "node_modules/b.json": json(AGENT) });
    expect(await at.load()).toEqual({ agents: [], problems: [] });
  });
});

test("500 files are read at most, and 5 levels of folders", async () => {
  const many = Array.from({ length: 501 }, (_, at) => [`f${String(at).padStart(3, "0")}.json`, ""]);
  await using wide = await folderOf(Object.fromEntries(many));
  expect((await wide.load()).problems.at(-1)).toMatchObject({ file: "f500.json", kind: "refused" });
  await using deep = await folderOf({ "1/2/3/4/5/6/a.json": json(AGENT), "1/2/3/4/5/b.json": json(AGENT) });
  expect(await deep.load()).toMatchObject({
    agents: [AGENT],
    problems: [{ file: "1/2/3/4/5/6", kind: "refused" }],
  });
});

describe("the path", () => {
  test("of a missing folder gives an empty result", async () => {
    await using at = await folderOf({});
    expect(await loadAgents(join(at.path, "none"))).toEqual({ agents: [], problems: [] });
  });

  test("of a file, an empty path and an unknown option are refused", async () => {
    await using at = await folderOf({ "a.json": json(AGENT) });
    await expect(loadAgents(join(at.path, "a.json"))).rejects.toMatchObject({ code: "invalid-input" });
    await expect(loadAgents("")).rejects.toMatchObject({ code: "invalid-input" });
    await expect(loadAgents(at.path, { allowcode: true } as never)).rejects.toThrow("Did you mean");
  });
});
