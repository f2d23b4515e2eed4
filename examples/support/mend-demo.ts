import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { CodebuffRun } from "agentwire/codebuff-run";
import { nodeTools } from "agentwire/codebuff-run/tools";
import { MockCodebuffBackend } from "agentwire/testing";
import { label, type Stage } from "./stage.ts";
import { quoted } from "./terminal.ts";

const PROMPT = "Mend the greeting.";
const FILE = "greeting.txt";
const BEFORE = "Hello, wrld!\n";

/**
 * An agent that mends a file in a temporary folder: the user sees the change before it happens, and it is taken back. Returns what there is to say of it in the summary.
 */
export async function mended(stage: Stage, pace: number): Promise<string> {
  const root = await mkdtemp(join(tmpdir(), "agentwire-demo-"));
  const tools = nodeTools({ root });
  await using backend = await MockCodebuffBackend.start({ answer: script(pace) });
  const client = new CodebuffRun({
    baseUrl: backend.url,
    apiKey: backend.apiKey,
    agent: { id: "mender", displayName: "Mender", model: "openai/gpt-5-mini", toolNames: tools.names },
    overrideTools: tools.handlers,
    toolPolicy: [{ tool: "read_files", then: "allow" }],
    onToolApproval: ({ preview = [] }) => {
      stage.line();
      stage.line(quoted(preview.map(({ diff }) => diff).join("")));
      stage.note(`may I change ${FILE}?`);
      stage.line(`${label("you")}yes`);
      return true;
    },
  });
  try {
    await writeFile(join(root, FILE), BEFORE);
    stage.line(`${label("you")}${PROMPT}`);
    const turn = client.prompt(PROMPT);
    let speaks = false;
    turn.on("event", (event) => {
      if (event.type === "tool_result") speaks = false;
      if (event.type !== "chunk") return;
      if (!speaks) stage.write(label("agent"));
      speaks = true;
      stage.write(event.chunk);
    });
    await turn.result;
    stage.line();
    const changes = tools.changes(turn);
    const count = changes.list().length;
    const { reverted } = await changes.revert();
    const isAsBefore = (await readFile(join(root, FILE), "utf8")) === BEFORE;
    stage.note(`taken back: ${reverted.join(", ")}, which ${isAsBefore ? "is as it was" : "has changed"}`);
    return `${count} change of a file, shown before it happened; ${reverted.length} taken back`;
  } finally {
    await client.close();
    await tools.close();
    await rm(root, { recursive: true });
  }
}

/** Reads the file, changes it, and says so. */
function script(pace: number) {
  const said = (text: string) => ({ text: text.split(/(?<= )/), gapMs: pace });
  const replacements = [{ old: "wrld", new: "world" }];
  return [
    { toolCalls: [{ name: "read_files", arguments: { paths: [FILE] } }] },
    {
      ...said("A letter is missing. "),
      toolCalls: [{ name: "str_replace", arguments: { path: FILE, replacements } }],
    },
    said("It is mended."),
  ];
}
