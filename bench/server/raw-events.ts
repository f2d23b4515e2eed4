/** Raw server-sent events: what a server of one chat writes by hand, event by event, with the bytes of a relay. */
import type { IncomingMessage, ServerResponse } from "node:http";

const HEADERS = { "Content-Type": "text/event-stream", "Cache-Control": "no-store, no-transform" };

export interface RawEvents {
  readonly listener: (request: IncomingMessage, response: ServerResponse) => void;
  emit(number: number, text: string): void;
}

export function rawEvents(): RawEvents {
  const open = new Set<ServerResponse>();
  return {
    listener: (_, response) => {
      open.add(response);
      response.once("close", () => open.delete(response));
      response.writeHead(200, HEADERS);
      response.write("retry: 1000\n\nevent: state\ndata: {}\n\n");
    },
    emit(number, delta) {
      const event = {
        event_id: `session-01234567-89ab-4cde-8f01-23456789abcd.${number}`,
        sequence: number,
        time: new Date().toISOString(),
        session_id: "session-01234567-89ab-4cde-8f01-23456789abcd",
        native_session_id: null,
        synthetic: false,
        source: "agent",
        type: "item.delta",
        data: { item_id: "itm_2", native_item_id: null, delta },
        raw: null,
      };
      const frame = Buffer.from(
        `id: 0123456789ab.${number}\nevent: events\ndata: [${JSON.stringify(event)}]\n\n`,
      );
      for (const response of open) response.write(frame);
    },
  };
}
