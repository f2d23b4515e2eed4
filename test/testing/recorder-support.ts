import { once } from "node:events";
import { parseRecording, Recorder, type RecorderOptions, type RecordingLine } from "agentwire/testing";
import { WebSocketServer } from "ws";

/** A recorder, and what it has written so far. */
export function recording(options: Partial<RecorderOptions> = {}) {
  const texts: string[] = [];
  const recorder = new Recorder({ output: (line) => texts.push(line), ...options });
  const lines = (): readonly RecordingLine[] => parseRecording(texts.join("\n"));
  return { recorder, texts, lines };
}

/** A server that says back what it hears, as it heard it; on "close" it closes, on "cut" it cuts. */
export async function echoServer() {
  const server = new WebSocketServer({ host: "127.0.0.1", port: 0 });
  server.on("connection", (socket) => {
    socket.on("message", (data: Buffer, binary) => {
      if (String(data) === "close") socket.close(4001, "as you say");
      else if (String(data) === "cut") socket.terminate();
      else socket.send(data, { binary });
    });
  });
  await once(server, "listening");
  const address = server.address();
  if (typeof address !== "object" || address === null) throw new Error("no address");
  return {
    url: `ws://127.0.0.1:${address.port}/`,
    async [Symbol.asyncDispose]() {
      for (const client of server.clients) client.terminate();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

export const withoutTime = (lines: readonly RecordingLine[]) => lines.map(({ ms: _, ...line }) => line);
