// `npm run mutation`: StrykerJS breaks the source in small ways and runs the tests that cover each place.

const MESSAGES = "the words of a message";

/** @param {import("@babel/core").NodePath} path */
function isMessage({ node, parent }) {
  if (node.type !== "StringLiteral" && node.type !== "TemplateLiteral") return false;
  const { type, callee } = parent;
  if (type === "NewExpression") return /(?:Error|Notice)$/.test(callee.name ?? "");
  return (
    type === "CallExpression" && /^#?warn$/.test(callee.property?.name ?? callee.property?.id?.name ?? "")
  );
}

// Stryker takes this file for its configuration and, below, for a plugin.
export const strykerPlugins = [
  {
    kind: "Ignore",
    name: "messages",
    // Tests pin the type and the code of an error, and of its words what helps the caller.
    value: { shouldIgnore: (path) => (isMessage(path) ? MESSAGES : undefined) },
  },
];

export default {
  mutate: ["src/core/**/*.ts", "!src/core/**/socket.*ts"],
  testRunner: "vitest",
  vitest: { configFile: "vitest.mutation.config.ts" },
  plugins: ["@stryker-mutator/vitest-runner", "./stryker.config.mjs"],
  ignorers: ["messages"],
  // The sandbox is a copy: only what the tests read.
  ignorePatterns: ["**", "!src/**", "!test/**", "!scripts/**", "!*.json", "!*.config.{ts,mjs}"],
  concurrency: 1,
  reporters: ["clear-text", "json"],
  clearTextReporter: {
    allowColor: false,
    allowEmojis: false,
    logTests: false,
    reportTests: false,
    skipFull: true,
  },
  jsonReporter: { fileName: ".stryker/report.json" },
  tempDirName: ".stryker/tmp",
};
