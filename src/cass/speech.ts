import { said } from "../core/errors.ts";
import { audioFromBase64, audioFromUrl, audioUrl, type CassAudio } from "./audio.ts";
import type { Credentials } from "./credentials.ts";
import type { CassCore } from "./events.ts";
import type { Http } from "./http.ts";
import type { AudioFrame } from "./messages.ts";

export interface SpeechSetup {
  readonly http: Http;
  readonly credentials: Credentials;
  readonly core: CassCore;
}

/** Makes speech of the frames that bring it: base64, or an address that is only fetched when somebody wants to hear it. */
export class Speech {
  readonly #setup: SpeechSetup;

  constructor(setup: SpeechSetup) {
    this.#setup = setup;
  }

  /** Undefined, with a warning, for what cannot be used. */
  async of({ url, audio, audio_format: format }: AudioFrame): Promise<CassAudio | undefined> {
    const { http, credentials, core } = this.#setup;
    if (typeof audio === "string") {
      const made = audioFromBase64(audio, format);
      if (!made) core.warn("unreadable-audio", "the audio of a frame is not base64, and is left out");
      return made;
    }
    const whole = typeof url === "string" ? await this.#whole(url) : undefined;
    if (whole === undefined) {
      core.warn("unreadable-audio", "an `audio` frame has neither base64 nor an address that can be fetched");
      return undefined;
    }
    return audioFromUrl(whole, (address, signal) => http.download(address, { credentials, signal }));
  }

  async #whole(url: string): Promise<string | undefined> {
    const { http, core } = this.#setup;
    try {
      return audioUrl(url, await http.base());
    } catch (cause) {
      core.warn("unreadable-audio", `the address that audio is relative to is not known: ${said(cause)}`);
      return undefined;
    }
  }
}
