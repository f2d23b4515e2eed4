import { type Mutant, mutantsOf } from "./mutant.ts";

/** What events mean for a turn, questions, and conversations. */
export const CLI_TURNS: readonly Mutant[] = [
  ...mutantsOf(
    "codebuff-cli/turn.ts",
    ["codebuff-cli/turn.test.ts"],
    [
      {
        name: "cli-turn-repeats",
        breaks: "a block that repeats its chunks is text again",
        find: '  if (chunked.endsWith(text)) return "";',
        replace: "",
      },
      {
        name: "cli-turn-longer",
        breaks: "a block that goes on behind its chunks is told as a whole",
        find: "text.startsWith(chunked) ? text.slice(chunked.length) : text",
        replace: "text",
      },
      {
        name: "cli-turn-chunks-stay",
        breaks: "chunks of the block before count for the next",
        find: '  state.chunked = "";',
        replace: "",
        tests: ["codebuff-cli/client.test.ts"],
      },
      {
        name: "cli-turn-chunks-grow",
        breaks: "chunks are remembered without end",
        find: "    if (state.chunked.length < state.maxChunked) state.chunked",
        replace: "    state.chunked",
      },
      {
        name: "cli-turn-subagent-text",
        breaks: "a sub-agent's text is the answer",
        find: "  return agentId === started && !subagents.has(agentId);",
        replace: "  return agentId !== started || !subagents.has(agentId);",
      },
      {
        name: "cli-turn-main-text",
        breaks: "the text of the main agent is a sub-agent's",
        find: "agentId === undefined || agentId === MAIN_AGENT)",
        replace: "agentId === undefined)",
      },
      {
        name: "cli-turn-started",
        breaks: "a sub-agent with the name of the agent before is the root",
        find: "agentId === started && !subagents.has(agentId)",
        replace: "agentId === started && subagents !== undefined",
      },
      {
        name: "cli-turn-session-last",
        breaks: "the last session counts",
        find: "  state.sessionId ??= sessionIdOf(raw);",
        replace: "  state.sessionId = sessionIdOf(raw) ?? state.sessionId;",
      },
      {
        name: "cli-turn-session-flag",
        breaks: "a session may be a flag",
        find: 'typeof id === "string" && SESSION_ID.test(id)',
        replace: 'typeof id === "string" && SESSION_ID !== undefined',
      },
      {
        name: "cli-turn-mended",
        breaks: "an error that mends itself is what went wrong",
        find: "      if (printed.source === undefined) state.lastError",
        replace: "      state.lastError",
      },
      {
        name: "cli-turn-progress",
        breaks: "progress takes the place of what came before",
        find: "? soFar + more : soFar",
        replace: "? more : soFar",
      },
      {
        name: "cli-turn-progress-late",
        breaks: "progress changes a call that has ended",
        find: 'call.state === "running" ?',
        replace: 'call.state !== "requested" ?',
      },
      {
        name: "cli-turn-progress-endless",
        breaks: "the output of a call grows for ever",
        find: "soFar.length < maxChunked ?",
        replace: "maxChunked > 0 ?",
      },
      {
        name: "cli-turn-deep-error",
        breaks: "an error that is nested too deeply takes the process down",
        find: "    return JSON.stringify(error);\n  } catch {",
        replace: "    return JSON.stringify(error);\n  } catch (thrown) { throw thrown;",
      },
      {
        name: "cli-turn-failed-call",
        breaks: "a call that says that it failed is done",
        find: '    state: error === undefined ? "done" : "failed",',
        replace: '    state: "done",',
      },
      {
        name: "cli-turn-answered",
        breaks: "a question is never answered",
        find: "state.questions.delete(id)",
        replace: "state.questions.delete(event.type)",
      },
      {
        name: "cli-turn-sub-finish",
        breaks: "the finish of a sub-agent is the end",
        find: "    return { event };\n  if (state.finish)",
        replace: "    return { event, finished: true };\n  if (state.finish)",
      },
      {
        name: "cli-turn-second-finish",
        breaks: "the last finish counts",
        find: "  if (state.finish) return { event };",
        replace: "",
      },
      {
        name: "cli-turn-sub-gone",
        breaks: "a sub-agent that has ended is still there",
        find: "      state.subagents.delete(printed.agentId);",
        replace: "",
      },
    ],
  ),
  ...mutantsOf(
    "codebuff-cli/questions.ts",
    ["codebuff-cli/questions.test.ts"],
    [
      {
        name: "cli-questions-unasked",
        breaks: "an answer is sent although nobody asked for that",
        find: "    if (!this.#answerByContinue || !goOn) {",
        replace: "    if (!goOn) {",
      },
      {
        name: "cli-questions-twice",
        breaks: "a second answer is another prompt",
        find: "    if (asked.reply) return asked.reply;",
        replace: "",
      },
      {
        name: "cli-questions-refused",
        breaks: "an answer that was refused counts as given",
        find: '    const reply: Reply = { answers, by: "reply" };',
        replace: '    const reply: Reply = (asked.reply = { answers, by: "reply" });',
      },
      {
        name: "cli-questions-skip",
        breaks: "who does not answer says nothing",
        find: '  if (!answers) return "I do not want to answer that.";',
        replace: '  if (!answers) return "";',
      },
      {
        name: "cli-questions-several",
        breaks: "of several answers nobody knows to what",
        find: "return questions.map(({ question }, index) =>",
        replace: 'return questions.map(({ header: question = "" }, index) =>',
      },
      {
        name: "cli-questions-watch",
        breaks: "questions are not remembered",
        find: "      this.#asked.set(question.id, { question, turnId: turn.id, reply: undefined }),",
        replace: "      void [question, turn.id],",
      },
    ],
  ),
  ...mutantsOf(
    "codebuff-cli/conversation.ts",
    ["codebuff-cli/sessions.test.ts"],
    [
      {
        name: "cli-conversation-session",
        breaks: "the session is not remembered",
        find: "session.id = result.sessionId ?? session.id; // a",
        replace: "session.id ??= undefined; // a",
      },
      {
        name: "cli-conversation-first",
        breaks: "the first session counts for good",
        find: "session.id = result.sessionId ?? session.id; // a",
        replace: "session.id ??= result.sessionId; // a",
      },
      {
        name: "cli-conversation-no-flag",
        breaks: "a program that cannot go on is told to",
        find: "          if (host.continues) session.id",
        replace: "          session.id",
      },
      {
        name: "cli-conversation-require",
        breaks: "a conversation goes on without memory although that was refused",
        find: "            if (host.requireContinuity) {",
        replace: "            if (host.requireContinuity && session.id !== undefined) {",
      },
      {
        name: "cli-conversation-silent",
        breaks: "that a conversation begins anew is not told",
        find: "            host.noContinuity();",
        replace: "",
      },
      {
        name: "cli-conversation-warns",
        breaks: "the first prompt of a conversation warns",
        find: "session.id === undefined && messages.length > 0",
        replace: "session.id === undefined",
      },
      {
        name: "cli-conversation-messages",
        breaks: "what was said is not remembered",
        find: '            { role: "user", content: text },',
        replace: "",
      },
      {
        name: "cli-conversation-from",
        breaks: "a conversation does not go on from its state",
        find: "options.from === undefined ? undefined : sessionIdOf(options.from)",
        replace: "options.from && sessionIdOf(options.from) ? undefined : undefined",
      },
      {
        name: "cli-conversation-version",
        breaks: "a state of another version is taken",
        find: 'protocol === "codebuff-cli" && version === 1 && fits',
        replace: 'protocol === "codebuff-cli" && version !== 0 && fits',
      },
      {
        name: "cli-conversation-from-flag",
        breaks: "a state may hold a flag",
        find: '(typeof sessionId === "string" && SESSION_ID.test(sessionId))',
        replace: 'typeof sessionId === "string"',
      },
    ],
  ),
];
