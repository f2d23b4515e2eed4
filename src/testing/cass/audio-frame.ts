import { spoken } from "./audio.ts";
import type { CassBackend } from "./backend.ts";
import type { Settings } from "./profiles.ts";
import type { CassServerFrame } from "./script.ts";

/** Whether speech comes in a frame of its own. */
export function isOwnFrame(audio: Settings["audio"]): audio is "url" | "legacy" {
  return audio === "url" || audio === "legacy";
}

/** Speech outside the response: where to fetch it, or itself. */
export function audioFrame(backend: CassBackend, { audio, audioUrl }: Settings): CassServerFrame {
  if (audio === "legacy") return { type: "audio", audio: spoken("legacy"), audio_format: "mp3" };
  const path = `${backend.basePath}/audio/${backend.newAudio()}.wav`;
  const { own, foreign } = backend.origins;
  switch (audioUrl) {
    case "relative":
      return { type: "audio", url: path };
    case "absolute":
      return { type: "audio", url: own + path };
    case "foreign":
      return { type: "audio", url: foreign + path };
  }
}
