// Notes the errors of clients: a chat has their words, without the code, the address and the cause.
import { defined } from "../../core/checks.ts";
import type { AnyAgentwireError } from "../../core/errors.ts";
import type { AgentSource } from "../../universal/index.ts";

/** The errors of the clients of a source. */
export class ErrorNotes {
  #last: AnyAgentwireError | undefined;

  /** The last error of a connection or a turn. */
  get last(): AnyAgentwireError | undefined {
    return this.#last;
  }

  /** The same source, whose clients are listened to. */
  watch(source: AgentSource): AgentSource {
    const note = (error: AnyAgentwireError | undefined): void => {
      this.#last = error ?? this.#last;
    };
    const { name, hasInbox } = source;
    return {
      name,
      ...defined({ hasInbox }),
      toUniversal: (of, options) => source.toUniversal(of, options),
      client: () => {
        const client = source.client();
        client.on("reconnecting", ({ error }) => note(error));
        client.on("disconnected", note);
        client.on("status", (status) => {
          if (status === "closed" && client.closedBy?.code !== "closed") note(client.closedBy);
        });
        client.on("turn", ({ outcome }) => {
          void outcome.then((ended) => note(ended.status === "failed" ? ended.error : undefined));
        });
        return client;
      },
    };
  }
}
