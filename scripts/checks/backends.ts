import { readFile } from "node:fs/promises";
import { join, posix } from "node:path";
import ts from "typescript";
import { listFiles } from "../support/list-files.ts";
import { ALL_FLATS } from "../support/rooms.ts";
import type { Check, Finding } from "./finding.ts";

/** Where user interfaces are. */
const FOLDERS: readonly string[] = [
  "src/chat",
  "src/react",
  "src/ink",
  "src/ai-sdk",
  "src/ag-ui",
  "src/acp-agent",
  "src/otel",
  "src/server",
  "src/program/chat",
  "src/program/lines",
  "src/program/tui",
  "examples/web-chat/page",
  "examples/relay/page",
];

/** The files that may name backends: the table to choose one from, and the parts that only one backend has. */
const NAMED_FOR_A_BACKEND = /(?:^|\/)(?:backends\.tsx?$|cass\/)/;

const NAMES: ReadonlySet<string> = new Set([...ALL_FLATS, "cli"]);

/** No user interface depends on which backend it shows: none names a backend, so none can branch on its name. */
export const backends: Check = async (root, note) => {
  const findings: Finding[] = [];
  let count = 0;
  for (const folder of FOLDERS) {
    const files = await listFiles(join(root, folder), (path) => /\.tsx?$/.test(path)).catch(() => []);
    for (const path of files.filter((name) => !NAMED_FOR_A_BACKEND.test(name))) {
      count++;
      const file = posix.join(folder, path);
      for (const { name, line } of namesIn(file, await readFile(join(root, file), "utf8")))
        findings.push({
          file,
          line,
          message: `names the backend "${name}": show what the chat says, whatever the backend`,
        });
    }
  }
  if (count === 0)
    findings.push({ file: "src", message: "has no user interface: there is nothing to check" });
  note(`${count} files of user interfaces`);
  return findings;
};

/** The backends that a file names in a string, and the entries of backends that it imports. */
function namesIn(file: string, text: string): readonly { readonly name: string; readonly line: number }[] {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const found: { name: string; line: number }[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isStringLiteralLike(node)) {
      const name = node.text.replace(/^(?:agentwire|\.\.)\//, "").split("/", 1)[0] ?? "";
      const line = source.getLineAndCharacterOfPosition(node.getStart(source)).line + 1;
      if (NAMES.has(name)) found.push({ name, line });
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}
