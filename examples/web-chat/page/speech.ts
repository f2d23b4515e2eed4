import type { CassAudio } from "agentwire/cass";
import { button, element } from "./dom.ts";
import { plain } from "./trouble.ts";

/**
 * A button that plays what Cass has said aloud. The bytes are decoded, or fetched, when somebody wants to hear them.
 *
 * @param signal aborted when the message leaves the page, and the sound with it
 */
export function speechButton(
  audio: CassAudio,
  onPlaying: (plays: boolean) => void,
  signal: AbortSignal,
): HTMLElement {
  const player = document.createElement("audio");
  const load = async (): Promise<void> => {
    const bytes = await audio.bytes({ signal });
    const url = URL.createObjectURL(new Blob([new Uint8Array(bytes)], { type: audio.mediaType }));
    player.src = url;
    signal.addEventListener("abort", () => {
      player.pause();
      URL.revokeObjectURL(url);
    });
  };
  const toggle = async (): Promise<void> => {
    if (!player.paused) {
      player.pause();
      return;
    }
    play.disabled = true;
    try {
      if (player.src === "") await load();
      await player.play();
    } catch (error) {
      play.title = plain(error);
      play.textContent = "Cannot be played";
      return;
    }
    play.disabled = false;
  };
  const play = button("play", "Play", () => void toggle());
  const show = (plays: boolean): void => {
    play.textContent = plays ? "Pause" : "Play";
    play.classList.toggle("plays", plays);
    onPlaying(plays);
  };
  player.addEventListener("playing", () => show(true));
  player.addEventListener("pause", () => show(false)); // at its end too
  return element("span", "speech", play, player);
}
