import { type Asking, Gate, type GateSetup } from "../../../src/core/gate/gate.ts";
import type { Waiting } from "../../../src/core/gate/open-request.ts";
import type { ApprovalOptions, ToolRule } from "../../../src/core/gate/options.ts";
import type {
  PendingRequest,
  Question,
  QuestionItem,
  Reply,
  Ruling,
  ToolCall,
} from "../../../src/core/values.ts";
import { ManualClock } from "../../../src/testing/manual-clock.ts";

/** A rule; `when` is as code without types may give it. */
export const rule = (tool: unknown, then: unknown, when?: unknown): ToolRule => {
  const fields = when === undefined ? { tool } : { tool, when };
  return { ...fields, then } as ToolRule;
};

export const toolCall = (changes: Partial<ToolCall> = {}): ToolCall => ({
  id: "call-1",
  name: "read",
  input: { path: "a.txt" },
  raw: "as it came",
  ...changes,
});

export const item = (changes: Partial<QuestionItem> = {}): QuestionItem => ({
  question: "Which one?",
  options: [{ label: "left" }, { label: "right" }],
  multiSelect: false,
  ...changes,
});

export const question = (changes: Partial<Question> = {}): Question => ({
  id: "question-1",
  questions: [item()],
  raw: "as it came",
  ...changes,
});

/** How a test brings a call before the gate; what it leaves out is usual. */
export interface AskChanges extends Partial<ToolCall> {
  readonly turn?: Waiting;
  readonly isHandled?: boolean;
  readonly alwaysFor?: string;
  readonly decided?: Asking["decided"];
}

/** A gate, and everything that it tells the client that made it. */
export function gateRig(options: ApprovalOptions = {}, changes: Partial<GateSetup> = {}) {
  const clock = new ManualClock();
  const told = {
    opened: [] as PendingRequest[],
    warnings: [] as { readonly kind: string; readonly message: string; readonly cause?: unknown }[],
  };
  const gate = new Gate({
    options,
    clock,
    opened: (request) => void told.opened.push(request),
    warn: (kind, message, details) => void told.warnings.push({ kind, message, ...details }),
    ...changes,
  });
  const ask = ({ turn, isHandled = false, alwaysFor, decided = () => {}, ...call }: AskChanges = {}) => {
    const rulings: Ruling[] = [];
    const withdraw = gate.ask(toolCall(call), {
      turn,
      isHandled,
      alwaysFor,
      decided: (ruling) => {
        rulings.push(ruling);
        decided(ruling);
      },
    });
    return { rulings, withdraw };
  };
  const askQuestion = (about: Partial<Question> = {}, turn?: Waiting) => {
    const replies: Reply[] = [];
    const withdraw = gate.askQuestion(question(about), {
      turn,
      answered: (reply) => void replies.push(reply),
    });
    return { replies, withdraw };
  };
  const leftovers = () => ({ open: gate.pending.length, timers: clock.pending });
  return { gate, clock, told, ask, askQuestion, leftovers };
}

export const NOTHING_OPEN = { open: 0, timers: 0 };
