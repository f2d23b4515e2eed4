// Approvals and questions as interrupts, and the answers in `resume`.
import type { Interrupt, ResumeEntry } from "@ag-ui/core";
import {
  type Checks,
  checkFields,
  checks,
  defined,
  describe,
  fieldsOf,
  isObject,
  oneOf,
} from "../core/checks.ts";
import { InvalidInputError } from "../core/errors.ts";
import type { Answer, Decision, GrantScope } from "../core/values.ts";
import type { PermissionData, QuestionData } from "../universal/events.ts";
import { permissionFacts } from "../universal/item-content.ts";
import { facts } from "./event.ts";

/** Where an interrupt comes from. */
interface Origin {
  readonly toolCallId: string | undefined;
  readonly subagentRunId: string | undefined;
}

const APPROVAL = {
  type: "object",
  properties: {
    approved: { type: "boolean" },
    scope: { enum: ["once", "turn", "session"] },
    reason: { type: "string" },
  },
  required: ["approved"],
  additionalProperties: false,
};

const ANSWERS = {
  type: "object",
  properties: { answers: { type: "array", items: { type: "array", items: { type: "string" } } } },
  required: ["answers"],
  additionalProperties: false,
};

export function approvalInterrupt(data: PermissionData, origin: Origin): Interrupt {
  const { toolName } = fieldsOf(data.metadata);
  const { input, words } = permissionFacts(data);
  return {
    ...defined(origin),
    id: data.permission_id,
    reason: origin.toolCallId === undefined ? "confirmation" : "tool_call",
    message: `Allow ${data.action}?`,
    responseSchema: APPROVAL,
    ...metadata({ tool: toolName ?? data.action, input, ...words, preview: data.preview }),
  };
}

export function questionInterrupt(data: QuestionData, origin: Origin): Interrupt {
  const { question_id, prompt, options } = data;
  const questions = data.questions ?? [
    { question: prompt, options: options.map((label) => ({ label })), multi_select: false },
  ];
  return {
    ...defined(origin),
    id: question_id,
    reason: "input_required",
    message: questions.map(({ question }) => question).join("\n"),
    responseSchema: ANSWERS,
    ...metadata({ questions }),
  };
}

function metadata(own: Readonly<Record<string, unknown>>): Pick<Interrupt, "metadata"> {
  const found = facts(own);
  return found ? { metadata: found } : {};
}

/** Why a `resume` is refused that names interrupts of earlier turns only. */
export const OVER = "These interrupts are over, and so is their turn. Send a new message.";

/** The maximum length of a quoted unknown id. Real ids are shorter. */
const QUOTED = 100;

/** Why a `resume` with an id that no run has shown is refused. `open`: the ids that can be answered. */
export function unknownInterrupt(id: string, open: readonly string[]): string {
  const what = `No run has shown an interrupt with the id ${JSON.stringify(id.slice(0, QUOTED))}.`;
  if (open.length === 0) return `${what} No interrupt is open: send a new message.`;
  return `${what} Open interrupts: ${open.map((each) => JSON.stringify(each)).join(", ")}. Pass the \`id\` of an interrupt as \`interruptId\`.`;
}

interface ApprovalPayload {
  readonly approved: boolean;
  readonly scope?: GrantScope;
  readonly reason?: string;
}

const APPROVAL_FIELDS: Checks<ApprovalPayload> = {
  approved: checks.boolean,
  scope: oneOf("once", "turn", "session"),
  reason: checks.string,
};

interface AnswersPayload {
  readonly answers: readonly (readonly string[])[];
}

/** The chat checks the answers. */
const ANSWERS_FIELDS: Checks<AnswersPayload> = { answers: checks.array };

/** @throws InvalidInputError for a payload that does not fit the interrupt's `responseSchema` */
export function decisionOf({ status, payload }: ResumeEntry): Decision {
  if (status === "cancelled") return "reject";
  const given = payloadWith("approved", payload, "{ approved: true }");
  if (Object.hasOwn(given, "editedArgs"))
    throw new InvalidInputError(
      "the `payload` of a resume entry has `editedArgs`, but a call runs with the arguments that were shown, or not at all.",
      'Approve the call as it is, or deny it and say in `reason` what to call instead: { approved: false, reason: "Use b.txt." }.',
    );
  checkFields<ApprovalPayload, typeof APPROVAL_FIELDS>(given as ApprovalPayload, APPROVAL_FIELDS, FIELD);
  const { approved, scope, reason } = given as ApprovalPayload;
  if (approved) return { decision: "once", ...defined({ scope }) };
  return { decision: "reject", ...defined({ reason }) };
}

/** @throws InvalidInputError for a payload that does not fit the interrupt's `responseSchema` */
export function answerIn({ status, payload }: ResumeEntry): Answer {
  if (status === "cancelled") return null;
  const given = payloadWith("answers", payload, '{ answers: [["Yes"]] }');
  checkFields<AnswersPayload, typeof ANSWERS_FIELDS>(given as AnswersPayload, ANSWERS_FIELDS, FIELD);
  return (given as AnswersPayload).answers;
}

const FIELD = "field of a `payload`";

function payloadWith(field: string, payload: unknown, example: string): object {
  if (isObject(payload) && Object.hasOwn(payload, field) && payload[field] !== undefined) return payload;
  const what = isObject(payload) ? `has no \`${field}\`` : `is ${describe(payload)}`;
  throw new InvalidInputError(
    `the \`payload\` of a resume entry ${what}.`,
    `Pass an object such as ${example}.`,
  );
}
