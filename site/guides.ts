/** The guides by what people want: each page by its name in docs/ and its title in the sidebar. */
export const GUIDES: readonly {
  readonly title: string;
  readonly pages: readonly (readonly [string, string])[];
}[] = [
  {
    title: "Start",
    pages: [
      ["start", "Start"],
      ["program", "The program agentwire"],
      ["examples", "Examples"],
      ["runtimes", "Where it runs"],
    ],
  },
  {
    title: "Backends",
    pages: [
      ["backends", "Which one, and a new one"],
      ["codebuff", "Codebuff"],
      ["codey", "codey-server"],
      ["cass", "Cass"],
      ["codebuff-run", "An agent in this process"],
      ["codebuff-cli", "The Codebuff CLI"],
      ["acp", "Any ACP agent"],
    ],
  },
  {
    title: "A UI",
    pages: [
      ["tui", "In the terminal"],
      ["react", "In the browser"],
      ["frameworks", "In your framework"],
      ["ui", "The chat under every UI"],
    ],
  },
  {
    title: "Every day",
    pages: [
      ["tools", "Approvals and safety"],
      ["errors", "Errors, delivery, reconnecting"],
      ["turns", "The life of a turn"],
      ["sessions", "Sessions that outlive a page"],
      ["testing", "Testing your app, recording"],
    ],
  },
  {
    title: "With other tools",
    pages: [
      ["ai-sdk", "AI SDK"],
      ["ag-ui", "AG-UI"],
      ["acp-agent", "Editors (ACP)"],
      ["otel", "OpenTelemetry"],
      ["universal", "Universal events"],
    ],
  },
];
