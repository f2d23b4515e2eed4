import { expect, test } from "vitest";
import { backends } from "../../scripts/checks/backends.ts";
import { findingsIn, lines } from "./tree.ts";

const CLEAN = {
  "src/react/index.ts": 'export const label = "the agent";',
  "src/ink/chat.tsx": "export const Chat = () => <Text>codey</Text>;",
  "examples/web-chat/page/backends.ts": 'export const names = ["codey", "cass"];',
  "examples/web-chat/page/cass/avatar.tsx": 'import { cass } from "agentwire/cass";',
};

test("passes UIs that name no backend, the backends table and a backend's own folder", async () => {
  expect(lines(await findingsIn(backends, CLEAN))).toEqual([]);
});

test.each([
  ["a comparison with a name", 'export const isIt = (name: string) => name === "codey";', "codey"],
  ["a template", "export const name = `codebuff-cli`;", "codebuff-cli"],
  ["an import of a client", 'import { cass } from "agentwire/cass";', "cass"],
  ["an import of its source", 'import { x } from "../codebuff/index.ts";', "codebuff"],
])("finds %s", async (_title, code, name) => {
  expect(lines(await findingsIn(backends, { ...CLEAN, "src/react/index.ts": code }))).toEqual([
    `src/react/index.ts:1 names the backend "${name}": show what the chat says, whatever the backend`,
  ]);
});

test("fails for a tree without UIs: there is nothing to check", async () => {
  expect(await findingsIn(backends, { "src/index.ts": "" })).toHaveLength(1);
});
