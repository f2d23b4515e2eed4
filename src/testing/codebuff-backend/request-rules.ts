// Notes what is wrong with any request.
import type { Backend } from "./backend.ts";
import type { Call } from "./call.ts";
import { noteChat } from "./chat-rules.ts";
import { holdsKey } from "./mask.ts";

/** Notes what is wrong with a request, whatever its answer will be. */
export function noteRequest(call: Call, backend: Backend): void {
  const { record, text, json, key, route } = call;
  if (route.endpoint === undefined) backend.blame(call, "unknown-route", `${record.method} ${record.path}`);
  if (holdsKey(call.path, key)) backend.blame(call, "key-outside-headers", "the path");
  if (holdsKey(text, key)) backend.blame(call, "key-outside-headers", "the body");
  if (record.method === "POST") {
    const type = record.headers["content-type"] ?? "none";
    if (!/^application\/json\s*(;|$)/i.test(type)) backend.blame(call, "content-type", type);
    if (!json.valid) backend.blame(call, "invalid-json", text.slice(0, 100));
  }
  if (route.endpoint === "chat" && json.valid) noteChat(call, json.value, backend);
}
