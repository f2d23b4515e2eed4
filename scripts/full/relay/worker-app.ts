// A Worker. Its requests may not share streams, so that the relay lives in a Durable Object.
import { chats } from "./chats.ts";

interface Chats {
  idFromName(name: string): unknown;
  get(id: unknown): { fetch(request: Request): Promise<Response> };
}

/** The relay of all chats. */
export class RelayObject {
  readonly #relay = chats();

  fetch(request: Request): Promise<Response> {
    return this.#relay.handler(request);
  }
}

// biome-ignore lint/style/noDefaultExport: what a Worker is
export default {
  fetch: (request: Request, { CHATS }: { readonly CHATS: Chats }): Promise<Response> =>
    CHATS.get(CHATS.idFromName("all")).fetch(request),
};
