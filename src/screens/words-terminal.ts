// The words of the terminal screen.
import { toolWords } from "./words-tool.ts";

/** The name of an entry that is a text, not a function. */
export type TerminalText = {
  [Name in keyof TerminalWords]: TerminalWords[Name] extends string ? Name : never;
}[keyof TerminalWords];

/** The words of the terminal screen. Names, texts of agents and files come in one line, without terminal controls. */
export type TerminalWords = typeof terminalWords;

export const terminalWords = {
  ...toolWords,

  emptyComposer: "Write to the agent, or /help",
  noKeys: "There is no terminal to type on.",

  // Printed rows
  branchShown: (facts: { readonly at: number; readonly of: number }) =>
    `branch ${facts.at} of ${facts.of} from here on; /branch shows the others`,
  branchChanged: "the conversation is another one from here on",
  exportUser: "User",
  exportAgent: "Agent",

  planTitle: "Plan",
  planDone: (done: number, of: number) => `${done} of ${of} done`,
  planBefore: (count: number) => `${count} more before`,
  planAfter: (count: number) => `${count} more after`,
  hiddenLines: (count: number) => `${count} more ${count > 1 ? "lines" : "line"}`,
  unchangedLines: (count: number) => `${count} unchanged lines`,
  rowsBefore: (count: number) => `${count} rows before`,
  textDiffers: "(the final text differs from what was shown; here is the whole text)",
  fileShows: "shows",
  fileDone: (action: "read" | "write" | "patch") =>
    ({ read: "read", write: "wrote", patch: "changed" })[action],
  dataNameless: "data",
  dataWith: (names: string) => `(with ${names})`,

  // Prompts, and the ends of answers
  promptWith: (files: number) => `with ${files} ${files === 1 ? "file" : "files"}`,
  promptWaits: "waits",
  promptTakenBack: "taken back",
  promptTakenBackRetry: "taken back; /retry sends the last prompt",
  endCancelled: "cancelled",
  endCancelledRetry: "cancelled; /retry sends it again (until your next prompt)",
  endRetry: "/retry sends it again (until your next prompt).",

  // Reasoning, tools, sub-agents, questions
  thinking: (seconds: number | undefined) => `Thinking${seconds === undefined ? "" : ` ${seconds} s`}`,
  thought: (seconds: number | undefined) => `Thought${seconds === undefined ? "" : ` for ${seconds} s`}`,
  toolNameless: "a tool without a name",
  toolInputAbove: "(its input is above)",
  shownBelow: (field: string) => `${field} is the text that is added below`,
  toolWith: (kinds: string) => `with ${kinds}`,
  toolRequested: "is requested",
  toolAwaiting: "waits for your decision",
  toolApproved: "is allowed",
  toolRuns: "runs",
  toolDone: "is done",
  toolFailed: "has failed",
  toolDenied: "was denied",
  toolDeniedByPolicy: "was denied by a rule",
  toolNotRun: (reason: string) => `was not run: ${reason}`,
  toolAbandoned: "was stopped; its end is unknown",
  agentNameless: "a sub-agent",
  agentWorks: "works",
  agentDone: "is done",
  agentFailed: "has failed",
  agentSteps: (count: number) => `${count} ${count === 1 ? "step" : "steps"}`,
  questionWaits: "waits for your answer",
  questionUnanswered: "not answered",

  // Titles of what Ctrl-O shows in full
  foldedInput: (tool: string) => `The input of ${tool}`,
  foldedOutput: (tool: string) => `The output of ${tool}`,
  foldedChange: (path: string, isClaim: boolean) =>
    `The change of ${path}${isClaim ? ", as the agent states it" : ""}`,
  foldedDiff: (path: string) => `The diff of ${path}`,
  foldedPrompt: "The prompt",
  foldedReasoning: "The reasoning",
  foldedAgent: (name: string) => `What ${name} did`,
  foldedCommand: "The command",
  foldedData: "Data",
  foldedError: "An error",

  // Numbers
  usageIn: (tokens: string) => `${tokens} in`,
  usageOut: (tokens: string) => `${tokens} out`,
  usageContext: (tokens: string) => `${tokens} context`,
  cost: (amount: string, currency: string) =>
    `${amount} ${amount === "1" && currency === "credits" ? "credit" : currency}`,
  tenths: (seconds: string) => `${seconds} s`,
  seconds: (seconds: number) => `${seconds} s`,
  minutes: (minutes: number, seconds: number) => `${minutes} min ${seconds} s`,
  hours: (hours: number, minutes: number) => `${hours} h ${minutes} min`,

  // The status line
  modeIs: (name: string) => `mode ${name}`,
  modelIs: (name: string) => `model ${name}`,
  statusWorking: "working",
  statusQueued: (count: number) => `${count} queued`,
  statusContext: (percent: number, of: string | undefined) =>
    `context ${percent}%${of === undefined ? "" : ` of ${of}`}`,
  statusForgotten: "conversation forgotten",
  statusNotConnected: "not connected",
  statusReady: "ready",
  statusConnecting: "connecting",
  statusConnected: "connected",
  statusReconnecting: "reconnecting",
  statusClosing: "closing",
  statusLost: "The connection is lost",
  statusAttemptIn: (attempt: number, seconds: number) => `attempt ${attempt} in ${seconds} s`,
  statusAttempt: (attempt: number) => `attempt ${attempt} is under way`,
  statusRecovering: "The connection was lost: looking for the answer",
  statusClosed: (why: string) => `${why}. Your next message connects again.`,
  waitingMore: (count: number) => `${count} more wait`,
  waitingFile: "a file",

  // Above the composer
  menuNone: "nothing matches",
  menuMore: (count: number) => `${count} more`,
  searchLine: (query: string, isFound: boolean) =>
    `earlier prompts with: ${query}${isFound ? "" : " (none)"}`,
  purposeEdit:
    "Enter sends this in place of the earlier prompt. What the agent did to files stays. Ctrl-C stops editing.",
  purposeQueued: "Enter changes the prompt that waits. Ctrl-C stops editing.",
  branchLine: ({ at, of, isPrompt, prompt }: BranchFacts) =>
    isPrompt ? `prompt ${at} of ${of}, in place of: ${prompt}` : `answer ${at} of ${of} to: ${prompt}`,
  queueEdit: "change it",
  queueBack: "take it back",
  queueNow: "send it now, which cancels what runs",
  queueUp: "earlier",
  queueDown: "later",

  // Notes in the status line
  noteAllCancelled: "cancelled; Ctrl-C again leaves",
  noteCancelled: "cancelled",
  noteCopied: (length: number) => `copied ${length} characters`,
  noteCopiedByTerminal: (length: number) => `copied ${length} characters, if the terminal lets programs copy`,
  noteExists: (file: string, word: string) =>
    `${file} is there already: add "${word}", or write another name`,
  noteExported: (file: string) => `written to ${file}`,
  noteFailed: (reason: string) => `that failed: ${reason}`,
  noteFilesStay: "what the agent did to files stays",
  noteImageComes: "an image is still being read",
  noteLeaves: "Ctrl-C again leaves",
  noteMoved: (at: number, of: number) => `is number ${at} of ${of} now`,
  noteNoBranches: "there are no other branches",
  noteNoSuchBranch: (name: string) => `there is no branch ${name}`,
  noteNoSuchChat: (id: string) => `there is no chat ${id}`,
  noteNoOtherChat: "there is no other chat",
  noteNoSuchFile: (path: string) => `@${path} is no file that is offered here: it went as text`,
  noteNoSuchMode: (name: string) => `the agent has no mode ${name}`,
  noteNoSuchModel: (name: string) => `the agent has no model ${name}`,
  noteNoSuchPrompt: (number: string) => `there is no prompt ${number}`,
  noteNotOffered: (command: string) => `${command} is not offered by this agent or program`,
  noteNothingFolded: "nothing is folded",
  noteNothingHeld: "no prompt of an earlier chat waits",
  noteNothingRuns: "nothing runs",
  noteNothingToCopy: "there is no answer to copy",
  noteNothingToDismiss: "no notice is shown; the ends of answers stay in the conversation",
  noteNothingToEdit: "there is no prompt to edit",
  noteNothingToExport: "there is nothing to export",
  noteNothingToRegenerate: "there is nothing to ask again",
  noteNothingToRetry: "there is nothing to send again",
  noteNothingToSend: "there is nothing to send",
  noteNothingWaits: "no prompt waits",
  noteQueueUsage: (actions: readonly string[]) => `write the number, and one of ${actions.join(", ")}`,
  noteReasoningFolded: "reasoning is folded from now on",
  noteReasoningShown: "reasoning is shown from now on",
  noteResumeFirst: "the agent has forgotten the conversation: choose y or n, which also sends what waits",
  noteSentMeanwhile: "the prompt was sent meanwhile: Enter sends this one too",
  noteTakenBack: "taken back",
  noteTooLongToCopy: ({ bytes, limit }: { readonly bytes: number; readonly limit: number }) =>
    `the answer has ${bytes} bytes, and terminals take ${limit}: /export writes a file`,
  noteUndoBusy: "wait for the end of the answer, or cancel it: then files can be taken back",
  noteNothingToUndo: "nothing to take back: changes of commands, and of earlier chats, are not known",
  noteUndone: (paths: readonly string[]) => `taken back: ${paths.join(", ") || "nothing"}`,
  undoConflict: (path: string, reason: string) => `${path} stays: ${reason}`,
  noteUnknownCommand: (name: string) => `there is no command ${name}: /help shows them`,

  // Commands of this machine
  localNotOffered: "commands of this machine are not offered here",
  localRunsAlready: "a command runs already: Ctrl-C stops it",
  localStopping: "the command is being stopped; Ctrl-C again leaves",
  localIsStopping: "the command is being stopped; Ctrl-C leaves",
  localRuns: "the command runs; Ctrl-C stops it",
  localStopped: "its output does not go along with the next prompt",

  // Dialogs
  dialogSettling: "...",
  dialogAside: "Enter sends what you write, Tab answers this instead",
  dialogWaitsApproval: "The agent waits for your decision: stop typing to see it",
  dialogWaitsQuestion: "The agent asks you something: stop typing to see it",
  approvalAsks: (tool: string) => `The agent wants to use ${tool}`,
  approvalNoInput: "(no input)",
  approvalAbove: (tool: string) => `Allow ${tool}? Its input is above`,
  approvalFurther: (count: number) => `${count} more ${count === 1 ? "waits" : "wait"}`,
  approvalReason: "The reason, then Enter (Esc goes back):",
  approvalMissing: (rows: number) => `${rows} more rows are not shown`,
  approvalAskedBy: "asked by the sub-agent",
  approvalAlways: "t and a do not ask again for:",
  thisCommand: "this command",
  thisInput: "exactly this input",
  approvalEvery: "Allow every call of",
  approvalEveryEnd: "in this session, whatever it does?",
  previewHead: "What it would change:",
  previewClaim: ", as the agent states it:",
  choiceOnce: "once",
  choiceTurn: "this turn",
  choiceAlways: "always",
  choiceReject: "reject",
  choiceReason: "reject with a reason",
  choiceReasonShort: "why not",
  choiceEvery: "every call",
  choiceBack: "back",
  questionOf: (at: number, of: number) => `${at} of ${of}`,
  questionAbove: "The question is above.",
  questionPlaceholder: "your answer",
  questionNothingWritten: "nothing is written: type an answer",
  questionNothingTicked: "nothing is ticked: Space or a digit ticks",
  questionAlone: "Enter answers with this alone, not with the ticks",
  questionEnter: "Enter answers with this",
  questionTick: "Space or a digit ticks, Enter answers, or type an answer",
  questionChoose: "arrows or a digit choose, Enter answers, or type an answer",
  questionBack: "Esc: back to the choices",
  questionBefore: "Esc: question before",
  questionNone: "Esc: no answer",
  questionNoneAtAll: "Esc: no answers",
  resumeAsks: "The agent has forgotten this conversation. Send the transcript along with the next message?",
  resumeChoices: "y yes, n no: go on without it",
  resumeShort: "Forgotten. Send the transcript? y/n",

  // Help
  helpCommands: "Commands",
  helpAgentCommands: "Commands of the agent",
  helpBegins: "A text that begins with",
  helpKeys: "Keys",
  helpEditing: "Keys for the text",
  helpMenu: "Keys for the menu above the text",
  helpSearch: "Keys for the search",
  helpApproval: "Keys of an approval",
  helpSlash: "a command; // for a command of the agent with the name of one of these",
  helpAt: "a file, anywhere in the text: it goes along with the prompt",
  helpBang: "a command for this machine; the next prompt includes its output",

  argumentBranch: "<branch>",
  argumentChat: "<chat>",
  argumentFile: "[file]",
  argumentMode: "<mode>",
  argumentModel: "<model>",
  argumentPrompt: "[number]",
  argumentQueue: "<number> <what>",

  helpHelp: "shows this",
  helpEdit:
    "changes an earlier prompt, the last one without a number, and asks again from there; files stay changed",
  helpRegenerate: "asks for another answer in place of the last one; files stay changed",
  helpBranch: "shows another answer or prompt that was replaced, and goes on from its end",
  helpRetry: "sends the last prompt again",
  helpQueue: "changes, moves, sends or takes back a prompt that waits",
  helpSend: "sends the prompts that waited when an earlier chat ended",
  helpMode: "sets the mode of the agent",
  helpModel: "sets the model",
  helpUndo: "takes back the files of the last turn that changed some",
  helpCopy: "copies the last answer",
  helpExport: "writes the conversation to a file, as Markdown",
  helpChats: "opens an earlier chat",
  helpNew: "begins a new chat",
  helpDismiss: "hides an error",
  helpQuit: "leaves",

  helpEscape: "cancels the answer; prompts that wait are sent. In a question it goes back",
  helpInterrupt:
    "clears the text; otherwise stops a !command; otherwise cancels the answer and all prompts that wait; otherwise leaves, if it is pressed twice",
  helpLeave: "leaves, where no text is written",
  helpSearchBegin: "searches your prompts",
  helpReasoning: "shows or folds the reasoning from now on",
  helpUnfold: "shows in full what was folded last",

  helpEnter: "sends; while an answer comes, the prompt waits. Behind a backslash it begins a new line",
  helpNewline: "begins a new line",
  helpUp: "goes up a line, and to earlier prompts",
  helpDown: "goes down a line, and to later prompts",
  helpLeft: "goes back a character",
  helpRight: "goes on a character",
  helpWordLeft: "goes back a word",
  helpWordRight: "goes on a word",
  helpHome: "goes to the start of the line",
  helpEnd: "goes to the end of the line",
  helpBackspace: "deletes the character before",
  helpDelete: "deletes the character at the cursor",
  helpDeleteWord: "deletes the word before",
  helpDeleteToStart: "deletes to the start of the line",
  helpDeleteToEnd: "deletes to the end of the line",
  helpYank: "inserts what was deleted last",
  helpTab: "inserts two spaces",

  helpMenuTab: "takes the marked entry, or the first",
  helpMenuUp: "marks the entry before",
  helpMenuDown: "marks the next entry",
  helpMenuEnter: "takes the marked entry; where none is marked, it sends the text",
  helpMenuEscape: "closes the menu",

  helpSearchOlder: "goes to an older prompt",
  helpSearchNewer: "goes to a newer prompt",
  helpSearchTake: "takes the prompt; it is not sent yet",
  helpSearchLeave: "leaves the search",
  helpSearchShorten: "shortens what is searched for",
};

interface BranchFacts {
  readonly at: number;
  readonly of: number;
  /** Whether prompts are the branches. Otherwise answers are. */
  readonly isPrompt: boolean;
  /** The shown prompt there. */
  readonly prompt: string;
}
