import type { AnyAgentClient, AnyConversation, AnyTurn } from "../../core/client/any-client.ts";
import { ORIGIN, type TurnOrigin } from "../../core/client/origin.ts";
import { InvalidInputError } from "../../core/errors.ts";
import type { Binding, HeardClient } from "../binding.ts";

/** What a stream listens to. */
export type Scope =
  | { readonly kind: "turn"; readonly turn: AnyTurn; readonly origin: TurnOrigin }
  | { readonly kind: "conversation"; readonly conversation: AnyConversation; readonly client: HeardClient }
  | { readonly kind: "client"; readonly client: HeardClient };

/** @throws InvalidInputError for what is no client, turn or conversation of the protocol. */
export function scopeOf<Client extends HeardClient>(
  { isClient }: Pick<Binding<Client>, "isClient">,
  of: AnyAgentClient | AnyTurn | AnyConversation,
): Scope {
  const value: unknown = of;
  if (isClient(value)) return { kind: "client", client: value };
  if (typeof value === "object" && value !== null && ORIGIN in value) {
    const origin = value[ORIGIN] as TurnOrigin; // the symbol is this library's own
    if (isClient(origin.client)) {
      if ("outcome" in value) return { kind: "turn", turn: of as AnyTurn, origin };
      return { kind: "conversation", conversation: of as AnyConversation, client: origin.client };
    }
  }
  throw new InvalidInputError(
    "there are no universal events of this value.",
    "Pass a client of this protocol, or a turn or a conversation that such a client made.",
  );
}
