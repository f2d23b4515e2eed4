import type { PartSlotProps } from "agentwire/react/ui";
import { type ReactElement, type ReactNode, useContext, useRef, useState } from "react";
import { Stage } from "./stage.tsx";

/** A file that is a sound has a button that plays it. */
export function Sound({ part: { path, mediaType }, children }: PartSlotProps<"file">): ReactNode {
  return isSound(path, mediaType) ? <Speech address={path} /> : children;
}

function isSound(path: string, mediaType: string | null): boolean {
  if (path.startsWith("data:")) return mediaType?.startsWith("audio/") === true;
  return /^https?:/i.test(path) && URL.canParse(path) && /\.(wav|mp3|ogg)$/i.test(new URL(path).pathname);
}

/** A button that plays what was said aloud. The sound is loaded when somebody wants to hear it. The face speaks along. */
function Speech({ address }: { readonly address: string }): ReactElement {
  const performer = useContext(Stage);
  const player = useRef<HTMLAudioElement>(null);
  const [state, setState] = useState<"quiet" | "plays" | "broken">("quiet");
  const toggle = async (): Promise<void> => {
    const audio = player.current;
    if (!audio) return;
    if (!audio.paused) {
      audio.pause();
      return;
    }
    try {
      if (audio.src === "") audio.src = address;
      await audio.play();
    } catch {
      setState("broken"); // the button says so; the sound may be of a kind that this browser does not know
    }
  };
  const show = (plays: boolean): void => {
    setState(plays ? "plays" : "quiet");
    if (plays) performer?.talk();
    else performer?.rest();
  };
  return (
    <span>
      <button
        className={`play${state === "plays" ? " plays" : ""}`}
        type="button"
        disabled={state === "broken"}
        onClick={() => void toggle()}
      >
        {WORDS[state]}
      </button>
      {/* biome-ignore lint/a11y/useMediaCaption: what is said aloud stands in the text */}
      <audio ref={player} preload="none" onPlaying={() => show(true)} onPause={() => show(false)} />
    </span>
  );
}

const WORDS = { quiet: "Play", plays: "Pause", broken: "Cannot be played" };
