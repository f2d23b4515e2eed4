// `UserRequests`: approvals and questions of the agent, as requests to the client.
import type { AgentContext, PermissionOption, ToolCallUpdate } from "@agentclientprotocol/sdk";
import type { Chat } from "../chat/chat.ts";
import type { ChatPending } from "../chat/pending.ts";
import { reveal } from "../chat/print/reveal.ts";
import { fieldsOf } from "../core/checks.ts";
import type { UniversalEvent } from "../universal/events.ts";
import { factFields } from "./calls.ts";
import { answersIn, formOf } from "./forms.ts";
import type { Outlet } from "./outlet.ts";
import type { ClientOffers } from "./statuses.ts";
import type { Updates } from "./updates.ts";

interface RequestsSetup {
  readonly sessionId: string;
  readonly chat: Chat;
  readonly client: AgentContext;
  readonly offers: ClientOffers;
  readonly outlet: Outlet;
  readonly updates: Updates;
}

/** A request that an event has announced. */
interface Announced {
  /** The key of its call. */
  readonly call: string | undefined;
  /** Aborted once the request has ended: the client need not answer any more. */
  readonly over: AbortController;
  isAsked: boolean;
}

/** The ids of the permission options. */
export const PERMISSION = { once: "once", always: "always", reject: "reject" } as const;

/**
 * Sends the requests that wait for the user to the client. A request goes through the outlet of its session, behind the updates before it.
 * Only the answer that names an offered option allows. An error, an unknown option and a lost connection reject.
 */
export class UserRequests {
  readonly #setup: RequestsSetup;
  readonly #announced = new Map<string, Announced>();
  #stopLooking: (() => void) | undefined;

  constructor(setup: RequestsSetup) {
    this.#setup = setup;
  }

  take(event: UniversalEvent): void {
    const { updates } = this.#setup;
    switch (event.type) {
      case "permission.requested": {
        const { permission_id, call_id, item_id } = event.data;
        this.#announce(permission_id, item_id ? updates.keyOf(item_id) : updates.calls.find(call_id));
        return;
      }
      case "question.requested":
        this.#announce(event.data.question_id, updates.calls.find(event.data.call_id));
        return;
      case "permission.resolved":
        this.#end(event.data.permission_id, event.data.status === "reject" ? "failed" : "completed");
        return;
      case "question.resolved":
        this.#end(event.data.question_id, "completed");
        return;
    }
  }

  #announce(id: string, call: string | undefined): void {
    this.#announced.set(id, { call, over: new AbortController(), isAsked: false });
    // Requests that a rule or a callback of the app settles never wait for the user. `pending` tells, after this event.
    this.#stopLooking ??= this.#setup.chat.subscribe(() => this.#look());
    queueMicrotask(() => this.#look());
  }

  #end(id: string, status: "completed" | "failed"): void {
    this.#announced.get(id)?.over.abort();
    this.#announced.delete(id);
    this.#setup.updates.calls.end(id, status); // only of a request without a call
  }

  #look(): void {
    for (const pending of this.#setup.chat.getSnapshot().pending) {
      const announced = this.#announced.get(pending.id);
      if (!announced || announced.isAsked) continue;
      announced.isAsked = true;
      if (pending.type === "approval") this.#askPermission(pending, announced);
      else this.#askQuestion(pending, announced);
    }
    if ([...this.#announced.values()].some(({ isAsked }) => !isAsked)) return;
    this.#stopLooking?.();
    this.#stopLooking = undefined;
  }

  #askPermission(
    pending: Extract<ChatPending, { readonly type: "approval" }>,
    { call, over }: Announced,
  ): void {
    const { id, tool, input, agent, grant, preview } = pending;
    const { chat, updates } = this.#setup;
    const { once, always, reject } = PERMISSION;
    const key = call !== undefined && updates.calls.shown(call) ? call : id;
    if (key === id) updates.calls.start(id, { name: tool, input });
    const options: readonly PermissionOption[] = [
      { optionId: once, name: "Allow once", kind: "allow_once" },
      ...(grant === undefined
        ? []
        : [{ optionId: always, name: `Always allow: ${reveal(grant)}`, kind: "allow_always" } as const]),
      { optionId: reject, name: "Reject", kind: "reject_once" },
    ];
    const asked = { name: tool, input, agent };
    const shown = updates.calls.shown(key, preview, asked) ?? { toolCallId: key, ...factFields(asked) };
    this.#ask(shown, options, over.signal, (chosen) =>
      chat.decide(id, chosen === once || chosen === always ? chosen : reject),
    );
  }

  #askQuestion(
    { id, questions }: Extract<ChatPending, { readonly type: "question" }>,
    { call, over }: Announced,
  ): void {
    const { sessionId, chat, client, offers, outlet, updates } = this.#setup;
    const [first] = questions;
    if (offers.forms) {
      const message = first && questions.length === 1 ? first.question : "The agent has questions.";
      const form = { mode: "form", sessionId, message, requestedSchema: formOf(questions) } as const;
      outlet.ask(call === undefined ? form : { ...form, toolCallId: call }, (params) => {
        if (over.signal.aborted) return;
        client.request("elicitation/create", params, stopping(over.signal)).then(
          (response) => void chat.answer(id, answersIn(response, questions)),
          () => void chat.answer(id, null),
        );
      });
      return;
    }
    if (!first || questions.length > 1 || first.multi_select || first.options.length === 0) {
      chat.answer(id, null); // the client has no way to ask
      return;
    }
    const labels = first.options.map(({ label }) => label);
    const options = labels.map(
      (name, at): PermissionOption => ({ optionId: `answer-${at + 1}`, name, kind: "allow_once" }),
    );
    const key = call ?? id;
    if (key === id) updates.calls.start(id, { name: "question", title: first.question, input: undefined });
    const shown: ToolCallUpdate = { ...updates.calls.shown(key), toolCallId: key, title: first.question };
    const none: PermissionOption = { optionId: PERMISSION.reject, name: "No answer", kind: "reject_once" };
    this.#ask(shown, [...options, none], over.signal, (chosen) => {
      const at = options.findIndex(({ optionId }) => optionId === chosen);
      chat.answer(id, labels[at] ?? null);
    });
  }

  /** @param decide gets the id of an offered option. Undefined for every other outcome */
  #ask(
    toolCall: ToolCallUpdate,
    options: readonly PermissionOption[],
    signal: AbortSignal,
    decide: (chosen: string | undefined) => void,
  ): void {
    const { sessionId, client, outlet } = this.#setup;
    outlet.ask({ sessionId, toolCall, options: [...options] }, (params) => {
      if (signal.aborted) return;
      client.request("session/request_permission", params, stopping(signal)).then(
        (response) => decide(chosenIn(response, options)),
        () => decide(undefined),
      );
    });
  }
}

/** A client that does not answer holds nothing up. */
const stopping = (cancellationSignal: AbortSignal) => ({ cancellationSignal, stopWaitingOnCancel: true });

function chosenIn(response: unknown, options: readonly PermissionOption[]): string | undefined {
  const { outcome, optionId } = fieldsOf(fieldsOf(response)["outcome"]);
  if (outcome !== "selected") return undefined;
  return options.find((option) => option.optionId === optionId)?.optionId;
}
