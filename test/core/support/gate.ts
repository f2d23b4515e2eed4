import { type Asking, Gate, type Withdraw } from "../../../src/core/gate/gate.ts";
import type { AskingTurn, GateHost } from "../../../src/core/gate/open-request.ts";
import type { ApprovalOptions, ToolRule } from "../../../src/core/gate/options.ts";
import type { SubjectRules } from "../../../src/core/gate/subject.ts";
import { Outbox } from "../../../src/core/tell/outbox.ts";
import type {
  PendingRequest,
  Question,
  QuestionItem,
  Reply,
  Ruling,
  SettledRequest,
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

/** The same call while it is decided. */
export const askedCall = (changes: Partial<ToolCall> = {}): ToolCall => {
  const call = toolCall(changes);
  return { ...call, grant: `exactly the input ${JSON.stringify(call.input)}` };
};

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
  readonly turn?: AskingTurn;
  readonly isHandled?: boolean;
  readonly source?: string;
  readonly tell?: Asking["preview"];
  readonly decided?: Asking["decided"];
}

/** A gate, and everything that it tells the client that made it. What is asked is an input of the outbox, as in a client. */
export function gateRig(
  options: ApprovalOptions = {},
  changes: Partial<GateHost> = {},
  subjects?: SubjectRules,
) {
  const clock = new ManualClock();
  const { outbox = new Outbox() } = changes;
  const told = {
    opened: [] as PendingRequest[],
    settled: [] as SettledRequest[],
    warnings: [] as { readonly kind: string; readonly message: string; readonly cause?: unknown }[],
  };
  const {
    opened = (request) => void told.opened.push(request),
    settled = (request) => void told.settled.push(request),
    warn = (kind, message, details) => void told.warnings.push({ kind, message, ...details }),
  } = changes;
  const gate: Gate = new Gate(
    {
      outbox,
      clock: outbox.clock(clock),
      opened: (request) => outbox.tell(() => gate.isOpen(request.id) && opened(request)),
      settled: (request) => outbox.tell(() => settled(request)),
      warn: (...warning) => outbox.tell(() => warn(...warning)),
    },
    options,
    subjects,
  );
  const withdraws: Withdraw[] = [];
  const asked = (withdraw: Withdraw): Withdraw => {
    withdraws.push(withdraw);
    return withdraw;
  };
  const withdrawAll: Withdraw = (by, reason) => {
    for (const withdraw of withdraws) withdraw(by, reason);
  };
  const ask = ({ turn, isHandled = false, source, tell, decided = () => {}, ...call }: AskChanges = {}) => {
    const rulings: Ruling[] = [];
    const asking: Asking = {
      turn,
      isHandled,
      source,
      preview: tell,
      decided: (ruling) => {
        rulings.push(ruling);
        decided(ruling);
      },
    };
    const withdraw = outbox.run(() => asked(gate.ask(toolCall(call), asking)));
    return { rulings, withdraw };
  };
  const askQuestion = (about: Partial<Question> = {}, turn?: AskingTurn) => {
    const replies: Reply[] = [];
    const answered = (reply: Reply): void => void replies.push(reply);
    const withdraw = outbox.run(() => asked(gate.askQuestion(question(about), { turn, answered })));
    return { replies, withdraw };
  };
  const leftovers = () => ({ open: gate.pending.length, timers: clock.pending });
  return { gate, outbox, clock, told, ask, askQuestion, withdrawAll, leftovers };
}

export const NOTHING_OPEN = { open: 0, timers: 0 };
