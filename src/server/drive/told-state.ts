// What the driver tells of its chat beside the events: to viewers here, and by the log to the next driver and others.
import type { Chat } from "../../chat/chat.ts";
import type { ChatSnapshot } from "../../chat/snapshot.ts";
import type { RelaySettings } from "../options.ts";
import type { Channel } from "../view/channel.ts";
import type { ShownState } from "../view/shown.ts";
import { keptStateOf } from "./kept-state.ts";

export interface ToldStateHost {
  readonly settings: Pick<RelaySettings, "log">;
  readonly channel: Pick<Channel, "id" | "shown" | "show">;
  readonly epoch: number;
  readonly isEnding: boolean;
  /** The last turn that completed. */
  readonly completed: string | undefined;
  background(work: Promise<unknown>): void;
  failed(what: string, error: unknown): void;
}

export class ToldState {
  readonly #host: ToldStateHost;
  readonly #chat: Chat;
  #isSaving = false;
  #mustSave = false;
  #json = "";
  /** The last turn that the state of the conversation knows. */
  #known: string | undefined;

  /** @param known the last completed turn, as the log has it */
  constructor(host: ToldStateHost, chat: Chat, known: string | undefined) {
    this.#host = host;
    this.#chat = chat;
    this.#known = known;
  }

  /** The chat has changed. */
  tell(snapshot: ChatSnapshot, source: string, busy: boolean): void {
    const { capabilities = null, ...shown } = shownOf(snapshot);
    const state: ShownState = { source, capabilities, driver: "running", busy, ...shown };
    this.#host.channel.show(state);
    const json = JSON.stringify(state);
    if (json === this.#json) return;
    this.#json = json;
    this.#save();
  }

  /** Keeps the state in the log. @throws what the log throws */
  async keep(shown: ShownState = this.#host.channel.shown): Promise<void> {
    const { settings, channel, epoch, completed } = this.#host;
    const snapshot = this.#chat.getSnapshot();
    // While a turn runs, the state is that before the turn, even if the events already say that it has completed.
    if (!snapshot.busy) this.#known = completed;
    await settings.log.put(channel.id, epoch, "state", keptStateOf(snapshot, this.#known, shown));
  }

  #save(): void {
    this.#mustSave = true;
    if (this.#isSaving) return;
    this.#isSaving = true;
    const save = async (): Promise<void> => {
      while (this.#mustSave && !this.#host.isEnding) {
        this.#mustSave = false;
        await this.keep();
      }
    };
    this.#host.background(
      save()
        .catch((error: unknown) => this.#host.failed("the state cannot be kept", error))
        .finally(() => {
          this.#isSaving = false;
        }),
    );
  }
}

function shownOf({ capabilities, connection, approvals }: ChatSnapshot) {
  const { contextLost, ...shown } = connection;
  return { capabilities, context_lost: contextLost, connection: shown, grants: approvals };
}
