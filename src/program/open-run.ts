// Makes the source of an agent that runs in the program.
import { codebuffRun, openAiCompatible } from "../codebuff-run/index.ts";
import type { OpenedBackend, Opening } from "./backend.ts";
import { folderTools, READING } from "./open-options.ts";

const INSTRUCTIONS =
  "You work in a folder of the user. Use your tools. Be short. Write a plan of several steps with write_todos, and again when a step is done.";
const PROJECT = "{CODEBUFF_FILE_TREE_PROMPT}\n\n{CODEBUFF_KNOWLEDGE_FILES_CONTENTS}";

/** With `--model`, an agent of the program's own on that model. Otherwise the agent that the backend knows. */
export async function openRun({ given, secret, rules }: Opening): Promise<OpenedBackend> {
  const folder = await folderTools(given, { terminal: true });
  const tools = folder?.tools;
  const model = given.text("model");
  const baseUrl = given.text("url");
  const key = process.env["OPENAI_API_KEY"];
  const allowInsecure = given.flag("allow-insecure");
  const agent = model !== undefined && {
    agent: {
      id: "agentwire",
      displayName: "agentwire",
      model,
      systemPrompt: tools ? `${INSTRUCTIONS}\n\n${PROJECT}` : "You answer questions. Be short.",
      toolNames: ["ask_user", "write_todos", ...(tools?.names ?? [])],
    },
  };
  const server =
    model !== undefined && baseUrl !== undefined
      ? { providers: [openAiCompatible({ baseUrl, model, allowInsecure, ...(key ? { apiKey: key } : {}) })] }
      : {
          ...(baseUrl === undefined ? {} : { baseUrl }),
          ...(secret === undefined ? {} : { apiKey: secret }),
        };
  const options = {
    ...server,
    ...agent,
    ...(folder && {
      overrideTools: folder.handlers,
      project: folder.tools.project,
      files: folder.tools,
    }),
    allowInsecure,
    onToolApproval: "manual",
    onQuestion: "manual",
    toolPolicy: [...rules, ...(tools ? READING : [])],
  } as const;
  return {
    source: () => codebuffRun(options),
    ...(folder && { folder: folder.tools.root, undo: folder.undo }),
    close: async () => tools?.close(),
  };
}
