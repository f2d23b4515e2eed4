import { type Mutant, mutantsOf } from "./mutant.ts";

/** What the messages of a Codey server mean: for a call, for a turn, and as they are. */
export const CODEY_CALLS: readonly Mutant[] = [
  ...mutantsOf(
    "codey/calls.ts",
    ["codey/calls.test.ts"],
    [
      {
        name: "codey-asked-twice",
        breaks: "a call that is asked about again is asked again",
        find: '  if (call.state !== "requested") return { call, tell: false };',
        replace: "",
      },
      {
        name: "codey-question-keeps-request",
        breaks: "what a question says of a call is not shown",
        find: 'call: { ...call, name, input: params, background, raw: message, state: "awaiting" },',
        replace: 'call: { ...call, state: "awaiting" },',
      },
      {
        name: "codey-started-twice",
        breaks: "a call that runs is told to start again",
        find: '  if (call.state === "running") return { call, tell: false };',
        replace: "",
      },
      {
        name: "codey-started-unnamed",
        breaks: "a call that nobody named does not get its name when it starts",
        find: "name: call.name === UNKNOWN ? name : call.name",
        replace: "name: call.name",
      },
      {
        name: "codey-piece-replaces",
        breaks: "a piece of output replaces those before",
        find: "output: before + content }",
        replace: "output: content }",
      },
      {
        name: "codey-denied-output-silent",
        breaks: "output of a call that was denied is not warned of",
        find: '  if (call.state === "denied") return { call, tell: true, warning: "sends output although it was denied" };',
        replace: "",
      },
      {
        name: "codey-denied-fails",
        breaks: "a call that was denied here is told as failed",
        find: '  if (call.state === "denied") return { call: { ...call, error }, tell: true };',
        replace: "",
      },
      {
        name: "codey-filter-denial-fails",
        breaks: "a call that the server's filter has denied is told as failed",
        find: '  if (error === DENIED && call.state === "requested")',
        replace: '  if (error === DENIED && call.state === "done")',
      },
      {
        name: "codey-asked-denial-is-servers",
        breaks: "a call that was asked about counts as denied by the server's filter",
        find: '  if (error === DENIED && call.state === "requested")',
        replace: "  if (error === DENIED)",
      },
      {
        name: "codey-began-stays-open",
        breaks: "a call that runs without its decision still waits for one",
        find: 'return call.state === "awaiting" ? { call: next, tell: true, decided: true } : { call: next, tell: true };',
        replace: "return { call: next, tell: true };",
      },
      {
        name: "codey-denied-run-silent",
        breaks: "a call that runs although it was denied is not warned of by the message that says so",
        find: 'if (call.state === "denied") return { call: next, tell: true, warning: "runs although it was denied" };',
        replace: "",
      },
      {
        name: "codey-ended-stays-open",
        breaks: "a call that has ended without its decision still waits for one",
        find: '  const decided = call.state === "awaiting" ? { decided: true as const } : {};',
        replace: '  const decided = call.state === "done" ? { decided: true as const } : {};',
      },
      {
        name: "codey-reject-approves",
        breaks: "a call that was rejected is approved",
        find: '  if (decision !== "reject") return { ...call, state: "approved" };',
        replace: '  if (decision !== undefined) return { ...call, state: "approved" };',
      },
      {
        name: "codey-policy-is-user",
        breaks: "what a rule denied is told as denied by the user",
        find: ' ? "user" : "policy";',
        replace: ' ? "user" : "user";',
      },
      {
        name: "codey-reason-lost",
        breaks: "why a call was denied is not told",
        find: "deniedBy, ...(reason === undefined ? {} : { reason }) };",
        replace: "deniedBy };",
      },
      {
        name: "codey-start-not-inferred",
        breaks: "a start that was concluded looks like one that was told",
        find: 'state: "running", startInferred: true };',
        replace: 'state: "running" };',
      },
    ],
  ),
  ...mutantsOf(
    "codey/turn.ts",
    ["codey/turn.test.ts"],
    [
      {
        name: "codey-retries-not-in-a-row",
        breaks: "retries are counted although the server has said something between them",
        find: '  if (message.type !== "Retrying") state.retries = 0;',
        replace: "",
      },
      {
        name: "codey-sub-agent-in-rounds",
        breaks: "what a sub-agent says is in the text of the rounds",
        find: "      if (message.agent_id === state.root) {",
        replace: "      if (message) {",
      },
      {
        name: "codey-thinking-is-text",
        breaks: "thinking is taken for text",
        find: '        (message.type === "TextDelta" ? text : thinking).add(message.content);',
        replace: "        (message.type !== undefined ? text : thinking).add(message.content);",
      },
      {
        name: "codey-request-no-root",
        breaks: "the agent that asks for calls first is not the root",
        find: "      state.root ??= message.agent_id;\n      return { event: message, changed: onRequest(state, message) };",
        replace: "\n      return { event: message, changed: onRequest(state, message) };",
      },
      {
        name: "codey-sub-agent-ends-turn",
        breaks: "the end of a sub-agent is the turn's",
        find: "      if (!isOfRoot(state, message)) return { event: message, changed: NOTHING };",
        replace: "",
      },
      {
        name: "codey-any-agent-is-root",
        breaks: "the end of any agent is the turn's before one has spoken",
        find: "{ root = 0 }: TurnState, { agent_id }: { readonly agent_id: number }): boolean {\n  return agent_id === root;",
        replace:
          "{ root = 0 }: TurnState, { agent_id }: { readonly agent_id: number }): boolean {\n  return root === 0 || agent_id === root;",
      },
      {
        name: "codey-sub-agent-in-text",
        breaks: "what a sub-agent says is in the turn's text",
        find: 'event.type === "TextDelta" && event.agent_id === state.root ?',
        replace: 'event.type === "TextDelta" ?',
      },
      {
        name: "codey-inferred-unmarked",
        breaks: "the event of a start that was concluded is not marked",
        find: "    inferred: true,\n  };",
        replace: "\n  };",
      },
      {
        name: "codey-approved-untold",
        breaks: "users do not see that a call was approved",
        find: "return { event, changed: [decided, running], approved: true };",
        replace: "return { event, changed: [running], approved: true };",
      },
      {
        name: "codey-one-round",
        breaks: "text behind calls is in the round of the calls",
        find: "  return last && last.calls.length === 0 ? last : newRound(state);",
        replace: "  return last ?? newRound(state);",
      },
      {
        name: "codey-counting-is-flood",
        breaks: "a server that counts its attempts is given up",
        find: "  state.retries = counts ? 1 : state.retries + 1;",
        replace: "  state.retries = state.retries + 1;",
      },
      {
        name: "codey-flood-from-start",
        breaks: "attempts are compared with the first, not with the last",
        find: "  state.attempt = message.attempt;",
        replace: "",
      },
      {
        name: "codey-flood-late",
        breaks: "one attempt too many is waited for",
        find: "  return state.retries < MAX_RETRIES ?",
        replace: "  return state.retries <= MAX_RETRIES ?",
      },
    ],
  ),
  ...mutantsOf(
    "codey/usage.ts",
    ["codey/usage.test.ts"],
    [
      {
        name: "codey-use-of-session",
        breaks: "a turn is told what the session has used",
        find: "    const difference = told.output_tokens - this.#total;",
        replace: "    const difference = told.output_tokens;",
      },
      {
        name: "codey-total-not-kept",
        breaks: "the count of the session is forgotten",
        find: "    this.#total = told.output_tokens;",
        replace: "",
      },
      {
        name: "codey-negative-use",
        breaks: "a turn is told less than nothing",
        find: "outputTokens: odd ? told.output_tokens : difference,",
        replace: "outputTokens: difference,",
      },
      {
        name: "codey-never-inexact",
        breaks: "an upper bound looks exact",
        find: "      ...(this.#inexact ? { inexact: true } : {}),",
        replace: "",
      },
      {
        name: "codey-inexact-for-ever",
        breaks: "a use stays inexact",
        find: "    this.#inexact = false;",
        replace: "",
      },
    ],
  ),
  ...mutantsOf(
    "codey/errors.ts",
    ["codey/errors.test.ts"],
    [
      {
        name: "codey-fatal-retryable",
        breaks: "a fatal error says that trying again may help",
        find: "    !fatal && (kind",
        replace: "    (kind",
      },
      {
        name: "codey-http-always-retryable",
        breaks: "a refused request says that trying again may help",
        find: "status === 408 || status === 429 || status >= 500;",
        replace: "status === 408 || status === 429 || status >= 400;",
      },
      {
        name: "codey-http-anywhere",
        breaks: "a status is read from the middle of other words",
        find: "const HTTP = /^Stream",
        replace: "const HTTP = /Stream",
      },
    ],
  ),
];
