import type { Outcome, Row } from "./outcome.ts";

/** How an outcome stands in the table, and in the lines of progress. */
export function wordsOf(outcome: Outcome): string {
  switch (outcome.kind) {
    case "none":
      return "-";
    case "untried":
      return "not tried here";
    case "passed":
    case "failed":
      return outcome.words;
  }
}

const nameOf = (title: string, version: string): string => `${title} ${version}`.trim();

/** Why an outcome is no pass, in one line. */
export function reasonOf(outcome: Outcome): string | undefined {
  if (outcome.kind === "untried") return `not tried here: ${outcome.reason}`;
  return outcome.kind === "failed" ? `failed: ${outcome.first.split("\n")[0]}` : undefined;
}

/** `docs/runtimes.md`. */
export function pageOf(table: readonly (readonly [title: string, row: Row])[]): string {
  const rows = table.map(
    ([title, { version, module, commonJs }]) =>
      `|${nameOf(title, version)}|${wordsOf(module)}|${wordsOf(commonJs)}|`,
  );
  const reasons = table.flatMap(([title, { version, module, commonJs }]) =>
    [module, commonJs].flatMap((outcome) => {
      const reason = reasonOf(outcome);
      return reason === undefined ? [] : [`- ${nameOf(title, version)}: ${reason}`];
    }),
  );
  return `${HEAD}
|in|ES module|CommonJS|
|---|---|---|
${rows.join("\n")}

${reasons.length === 0 ? "" : `${reasons.join("\n")}\n\n`}${FOOT}`;
}

const HEAD = `# Where it works

\`npm run matrix\`, in the repository, makes this page. It installs the package in an empty project, and runs one program:
an answer that streams, an approval, a cancelled turn, an error and its code, a chat that survives a cut link, JSONL, a relay, and what every client promises. Servers are
mocks on loopback, in Node. \`39/39\`: all of 39 held. Node, Bun and Deno also start programs and keep files. A dash: there is no such thing to try.
`;

const FOOT = `- **workerd, Chromium, Firefox**: bundled by esbuild.
- **esbuild**: bundles for Node, run there. An ES module needs \`createRequire\` in a \`banner\`, because \`ws\` is CommonJS. Leave \`agentwire/testing\` and \`codebuff-run/tools\` out of bundles: they start files of the package.
- **Vite**, **Next**: built for production; pages in Chromium, the route in Node.
- **TypeScript**: \`nodenext\`, strict, without \`skipLibCheck\`; all entries that need no peer.
- **CommonJS** is a line that loads the ES module: one copy of each class. Jest before 30.5, or on Node before 24.9, needs a transform. \`agentwire/ink\` has none.
- **Bun**: the switch \`grandchild\` of \`FakeCodebuffCli\` hangs.

Not tried: peers, Safari, Alpine.

## Windows and macOS

Nothing was run there. By reading the code:

- Sockets, HTTP and chats have nothing of one system.
- **Processes** are started without a shell. On macOS they get a group, which signals end as on Linux. Windows has neither: \`taskkill /T /F\`
  ends the tree at once, without a chance to clean up. What left its group is found by \`/proc\`, so on Linux alone.
- **Paths**: both kinds are read. \`nodeTools\` opens files without a race only where there is \`/proc\`; elsewhere it checks before and after.
- **Terminals**: the program and Ink need a terminal that Node calls a TTY; ConPTY is one. Pseudo-terminals of the tests were those of Linux.
`;
