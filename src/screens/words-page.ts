// The words of `agentwire/react/ui`.
import type { GrantScope, ToolCallState } from "../core/values.ts";
import { type ToolWords, toolWords } from "./words-tool.ts";

/** The words of the page. Each is a text, or a function of facts that returns one. */
export interface PageWords extends ToolWords {
  // The transcript
  readonly transcript: string;
  readonly welcome: string;
  readonly you: string;
  readonly answer: string;
  readonly sent: string;
  readonly begins: string;
  readonly recovering: string;
  readonly reasoning: string;
  readonly elapsed: (seconds: number) => string;
  readonly jump: string;
  readonly steps: (count: number) => string;
  readonly sources: string;
  readonly copy: string;
  readonly copied: string;
  readonly notCopied: string;
  // The end of a turn
  readonly notSent: string;
  readonly cancelled: string;
  readonly cancelledHere: string;
  readonly sendPrompt: string;
  readonly tryAgain: string;
  readonly sendAgain: string;
  // Branches
  readonly edit: string;
  readonly editPrompt: string;
  readonly saveEdit: string;
  readonly back: string;
  readonly anotherAnswer: string;
  readonly branchNote: string;
  readonly branch: (at: number, of: number) => string;
  readonly branchBefore: string;
  readonly branchNext: string;
  // Parts
  readonly toolState: Readonly<Record<ToolCallState, string>>;
  readonly deniedBy: Readonly<Record<"policy" | "cancelled" | "disconnected" | "timeout", string>>;
  readonly agentState: Readonly<Record<"running" | "done" | "failed", string>>;
  readonly fileAction: Readonly<Record<"read" | "write" | "patch", string>>;
  readonly input: string;
  readonly output: string;
  readonly toolError: string;
  readonly data: string;
  readonly lines: (label: string, count: number) => string;
  readonly moreLines: (count: number) => string;
  readonly moreCharacters: (count: number) => string;
  readonly image: (alt: string) => string;
  readonly imageOfAgent: string;
  readonly taskDone: string;
  readonly taskOpen: string;
  readonly statedByAgent: string;
  readonly notAnswered: string;
  readonly waitsForAnswer: string;
  // Requests
  readonly allow: readonly [before: string, after: string];
  readonly noInput: string;
  readonly askedBySubagent: (agent: string) => string;
  readonly always: (grant: string) => string;
  readonly allowOnce: string;
  readonly allowInTurn: string;
  readonly alwaysAllow: string;
  readonly reject: string;
  readonly rejectWithReason: string;
  readonly whyNot: string;
  readonly everyCall: string;
  readonly everyCallOf: (tool: string) => string;
  readonly allowEveryCall: string;
  readonly moreRequests: (count: number) => string;
  readonly asks: (count: number) => string;
  readonly ownWords: string;
  readonly needsAnswer: string;
  readonly giveAnswer: string;
  readonly doNotAnswer: string;
  readonly grants: (count: number) => string;
  readonly grant: (tool: string, grant: string, scope: Exclude<GrantScope, "once">) => string;
  readonly takeBack: string;
  // The composer and what waits
  readonly message: string;
  readonly emptyField: (agent: string | undefined) => string;
  readonly addImage: string;
  readonly takeOut: (image: string) => string;
  readonly noImages: string;
  readonly noImage: (file: string, count: number, mebibytes: number) => string;
  readonly send: string;
  readonly cancel: string;
  readonly hint: string;
  readonly queue: string;
  readonly waits: string;
  readonly held: string;
  readonly sendNow: string;
  readonly moveUp: string;
  readonly images: (count: number) => string;
  // The state of the chat
  readonly mode: string;
  readonly model: string;
  readonly plan: (done: number, of: number) => string;
  readonly planState: Readonly<Record<"pending" | "in_progress" | "completed", string>>;
  readonly context: (used: string, size: string | undefined, percent: number | undefined) => string;
  readonly tokens: (read: string | undefined, written: string) => string;
  readonly connection: Readonly<
    Record<"idle" | "connecting" | "handshaking" | "ready" | "reconnecting" | "draining" | "closed", string>
  >;
  readonly attempt: (attempt: number, seconds: number) => string;
  readonly tryNow: string;
  readonly forgotten: string;
  readonly forgottenDetail: string;
  readonly withTranscript: string;
  readonly withoutContext: string;
  readonly dismiss: string;
  readonly connectionNotice: string;
  readonly forgottenNotice: string;
  readonly problemNotice: string;
  // The list of chats
  readonly chats: string;
  readonly chatList: string;
  readonly newChat: string;
  readonly openChats: string;
  readonly closeChats: string;
  // What a screen reader hears
  readonly hearsApproval: (tool: string) => string;
  readonly hearsQuestion: string;
  readonly hearsLoss: string;
  readonly hearsAnswer: string;
  readonly hearsCode: string;
}

export const pageWords: PageWords = {
  ...toolWords,
  transcript: "What was said",
  welcome: "What would you like to talk about?",
  you: "You",
  answer: "Answer",
  sent: "Sent",
  begins: "The answer begins",
  recovering: "The connection was lost. Looking for the answer",
  reasoning: "Reasoning",
  elapsed: (seconds) =>
    `Working for ${seconds < 60 ? "" : `${Math.floor(seconds / 60)} min `}${seconds % 60} s`,
  jump: "Jump to the latest",
  steps: (count) => (count === 1 ? "1 step" : `${count} steps`),
  sources: "Sources",
  copy: "Copy",
  copied: "Copied",
  notCopied: "Not copied",

  notSent: "Cancelled. It was not sent.",
  cancelled: "Cancelled.",
  cancelledHere: "Cancelled. The agent may finish all the same, and keep what it says.",
  sendPrompt: "Send",
  tryAgain: "Try again",
  sendAgain: "Send again",

  edit: "Edit",
  editPrompt: "Another prompt in this place",
  saveEdit: "Save",
  back: "Back",
  anotherAnswer: "Another answer",
  branchNote: "What was done to files stays done",
  branch: (at, of) => `${at} of ${of}`,
  branchBefore: "The one before",
  branchNext: "The next one",

  toolState: {
    requested: "is requested",
    awaiting: "waits for your decision",
    approved: "is allowed",
    running: "runs",
    done: "is done",
    failed: "has failed",
    denied: "was denied",
    abandoned: "was stopped; its end is unknown",
  },
  deniedBy: {
    policy: "by a rule",
    cancelled: "because the answer was cancelled",
    disconnected: "because the connection was lost",
    timeout: "because nobody decided in time",
  },
  agentState: { running: "works", done: "is done", failed: "has failed" },
  fileAction: { read: "Read", write: "Wrote", patch: "Changed" },
  input: "Input",
  output: "Output",
  toolError: "Error",
  data: "Data",
  lines: (label, count) => `${label}, ${count} lines`,
  moreLines: (count) => (count === 1 ? "1 more line" : `${count} more lines`),
  moreCharacters: (count) => (count === 1 ? "1 more character" : `${count} more characters`),
  image: (alt) => (alt === "" ? "Show the image" : `Show the image: ${alt}`),
  imageOfAgent: "From the agent",
  taskDone: "done",
  taskOpen: "not done",
  statedByAgent: "as the agent states it",
  notAnswered: "was not answered",
  waitsForAnswer: "waits for your answer",

  allow: ["Allow ", "?"],
  noInput: "No input",
  askedBySubagent: (agent) => `Asked by the sub-agent ${agent}`,
  always: (grant) => `“In this turn” and “always” do not ask again for: ${grant}`,
  allowOnce: "Allow once",
  allowInTurn: "Allow in this turn",
  alwaysAllow: "Always allow",
  reject: "Reject",
  rejectWithReason: "Reject with a reason",
  whyNot: "Why not?",
  everyCall: "Every call…",
  everyCallOf: (tool) => `Allow every call of ${tool} in this session, whatever it does?`,
  allowEveryCall: "Allow every call",
  moreRequests: (count) =>
    count === 1 ? "1 more waits behind this one." : `${count} more wait behind this one.`,
  asks: (count) => (count === 1 ? "The agent asks" : `The agent asks ${count} questions`),
  ownWords: "Or in your own words",
  needsAnswer: "This question needs an answer.",
  giveAnswer: "Answer",
  doNotAnswer: "Do not answer",
  grants: (count) => `Allowed without asking: ${count}`,
  grant: (tool, grant, scope) =>
    `${tool}: ${grant}, ${scope === "turn" ? "in this turn" : "in this session"}`,
  takeBack: "Take back",

  message: "Your message",
  emptyField: (agent) => (agent === undefined ? "Write a message" : `Write to ${agent}`),
  addImage: "Add an image",
  takeOut: (image) => `Take out ${image}`,
  noImages: "This agent takes no images.",
  noImage: (file, count, mebibytes) =>
    `${file} was not added: a message takes ${count} images (PNG, JPEG, GIF, WebP) of up to ${mebibytes} MiB.`,
  send: "Send",
  cancel: "Cancel",
  hint: "Enter sends, Shift+Enter begins a line, Esc cancels.",
  queue: "What waits",
  waits: "Waits to be sent",
  held: "Was not sent before, and waits",
  sendNow: "Send now",
  moveUp: "Move up",
  images: (count) => (count === 1 ? "1 image" : `${count} images`),

  mode: "Mode",
  model: "Model",
  plan: (done, of) => `Plan: ${done} of ${of} done`,
  planState: { pending: "to do", in_progress: "under way", completed: "done" },
  context: (used, size, percent) =>
    size === undefined ? `${used} tokens of context` : `${used} of ${size} tokens of context, ${percent} %`,
  tokens: (read, written) =>
    read === undefined ? `${written} tokens written` : `${read} tokens read, ${written} written`,
  connection: {
    idle: "Ready",
    connecting: "Connecting…",
    handshaking: "Connecting…",
    ready: "Connected",
    reconnecting: "Reconnecting…",
    draining: "Disconnecting…",
    closed: "Disconnected",
  },
  attempt: (attempt, seconds) =>
    seconds > 0 ? `Attempt ${attempt} in ${seconds} s.` : `Attempt ${attempt} is under way.`,
  tryNow: "Try now",
  forgotten: "The agent has forgotten this conversation.",
  forgottenDetail: "Messages wait until you choose how to go on.",
  withTranscript: "Send what was said along",
  withoutContext: "Go on as if new",
  dismiss: "Dismiss",
  connectionNotice: "The connection",
  forgottenNotice: "The agent has forgotten",
  problemNotice: "A problem",

  chats: "Conversations",
  chatList: "Your conversations",
  newChat: "New conversation",
  openChats: "Conversations",
  closeChats: "Close the list",

  hearsApproval: (tool) => `The agent asks to use ${tool}. Decide above the message field.`,
  hearsQuestion: "The agent asks you something. Answer above the message field.",
  hearsLoss: "The connection is lost, and is being repaired.",
  hearsAnswer: "The agent answers.",
  hearsCode: "Code.",
};
