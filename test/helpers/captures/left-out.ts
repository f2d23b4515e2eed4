// The files of captures that give no stream, and why.

const LEFT_OUT: readonly (readonly [files: RegExp, reason: string])[] = [
  [/^(.*\/)?README\.md$/, "a text about the captures"],
  [/^acp-shapes\.json$/, "the shapes of messages"],
  [/^chat(s|-store)\//, "a saved chat"],
  [/\.result\.json$/, "how the SDK's run ended, without its events"],
  [/\.(runstate|messageHistory)\.json$/, "the state behind the SDK's run, without its events"],
  [/^acp\/[^/]+\/0[12]-/, "a handshake, or a new session: no prompt"],
  [/^cass-(v1\/71|v2\/(01|02|07|10|11))-/, "greetings, credentials and pings: no prompt"],
  [
    /^codebuff-proxy\/(01|03|05|16|17|20|21|24|f5|h1|h5)-/,
    "handshakes, inits, pings and refused messages: no prompt",
  ],
  [
    /^codebuff-cli-\w+\/(no-key|unknown-flag)\.http\.jsonl$/,
    "the program asked its backend for nothing: no line",
  ],
];

/** Why a file gives no stream. Undefined: it must give one. */
export function reasonOf(file: string): string | undefined {
  return LEFT_OUT.find(([files]) => files.test(file))?.[1];
}
