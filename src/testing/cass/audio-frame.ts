// Speech in a frame of its own, or its address.
import { spoken } from "./audio.ts";
import type { Settings } from "./profiles.ts";
import type { CassServerFrame } from "./server-frame.ts";

/** Whether speech comes in a frame of its own. */
export function isOwnFrame(audio: Settings["audio"]): audio is "url" | "legacy" {
  return audio === "url" || audio === "legacy";
}

/** Where speech is fetched from. */
export interface AudioHost {
  readonly basePath: string;
  readonly origins: Origins;
  /** @returns its id */
  newAudio(): string;
}

/** Where a server is reached, and where it is not. */
export interface Origins {
  readonly own: string;
  readonly foreign: string;
}

/** Speech outside the response: where to fetch it, or itself. */
export function audioFrame(host: AudioHost, { audio, audioUrl }: Settings): CassServerFrame {
  if (audio === "legacy") return { type: "audio", audio: spoken("legacy"), audio_format: "mp3" };
  const path = `${host.basePath}/audio/${host.newAudio()}.wav`;
  const { own, foreign } = host.origins;
  switch (audioUrl) {
    case "relative":
      return { type: "audio", url: path };
    case "absolute":
      return { type: "audio", url: own + path };
    case "foreign":
      return { type: "audio", url: foreign + path };
  }
}
