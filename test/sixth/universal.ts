import type { AnyConversation, AnyTurn } from "../../src/core/client/any-client.ts";
import type { Session } from "../../src/universal/engine/session.ts";
import { attach } from "../../src/universal/listen/attach.ts";
import type { Binding, Mapping } from "../../src/universal/mapping.ts";
import type { AgentSource, UniversalOptions, UniversalStream } from "../../src/universal/stream.ts";
import { EchoClient } from "./client.ts";
import type { EchoClientOptions } from "./options.ts";
import type { EchoEvent, EchoResult } from "./turn.ts";

/** Only text is this protocol's own: tool calls, approvals, cancels and losses are the same for every protocol. */
class EchoMapping implements Mapping<EchoEvent, EchoResult> {
  readonly protocol = "echo-ws";
  readonly asksOnWire = true;
  readonly errorPrefix = "echo";

  event(event: EchoEvent, session: Session): void {
    if (event.type === "delta") session.text(undefined, event.text);
  }

  completed(): ReturnType<Mapping["completed"]> {
    return { metadata: {} };
  }
}

const ECHO: Binding<EchoClient, EchoEvent, EchoResult> = {
  newMapping: () => new EchoMapping(),
  isClient: (value) => value instanceof EchoClient,
};

export function toUniversal(
  of: EchoClient | AnyTurn | AnyConversation,
  options?: UniversalOptions,
): UniversalStream {
  return attach(ECHO, of, options);
}

export const echo = (options: EchoClientOptions): AgentSource<EchoClient> => ({
  name: "echo",
  client: () => new EchoClient(options),
  toUniversal,
});
