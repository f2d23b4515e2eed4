// #region tools-first
import { mkdtemp, writeFile } from "node:fs/promises";
import { inert, reveal } from "agentwire/chat";
import { CodebuffRun } from "agentwire/codebuff-run";
import { nodeTools } from "agentwire/codebuff-run/tools";
import { MockCodebuffBackend } from "agentwire/testing";

const root = await mkdtemp("project-"); // a folder to play in
await writeFile(`${root}/greeting.txt`, "Hello, wrld!\n");
const replacement = { old: "wrld", new: "world" };
const backend = await MockCodebuffBackend.start({
  answer: [
    { toolCalls: [{ name: "read_files", arguments: { paths: ["greeting.txt"] } }] },
    {
      toolCalls: [{ name: "str_replace", arguments: { path: "greeting.txt", replacements: [replacement] } }],
    },
    "The greeting is mended.",
  ],
});

const tools = nodeTools({ root });
const client = new CodebuffRun({
  baseUrl: backend.url, // without both: the Codebuff backend, with the key CODEBUFF_API_KEY
  apiKey: backend.apiKey,
  agent: { id: "mender", displayName: "Mender", model: "openai/gpt-5-mini", toolNames: tools.names },
  overrideTools: tools.handlers,
  toolPolicy: [{ tool: /^(read_files|list_directory|glob|code_search)$/, then: "allow" }],
  onToolApproval: ({ name, preview = [] }) => {
    for (const { path, diff } of preview) {
      console.log(`${name} wants to change ${reveal(JSON.stringify(path))}:`);
      console.log(reveal(diff)); // text of the agent: it could rewrite the screen
    }
    return true; // ask your user here
  },
});
try {
  const turn = client.prompt("Mend the greeting.");
  console.log(inert((await turn.result).text));
  for (const { path, action } of tools.changes(turn).list())
    console.log(action, reveal(JSON.stringify(path)));
} finally {
  await client.close();
  await tools.close();
  await backend.stop();
}
// #endregion
