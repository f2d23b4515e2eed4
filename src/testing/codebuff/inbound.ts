// Whether a frame is an identify, and which prompts are among frames.
import type { InboundFrame } from "../server/inbound.ts";
import { checkFrame } from "./check-frame.ts";
import type { Settings } from "./profiles.ts";

export function isIdentify(frame: InboundFrame, settings: Settings): boolean {
  const verdict = checkFrame(frame, settings);
  return verdict.ok && verdict.message.type === "identify";
}

/** The ids of the prompts among some frames. */
export function promptIdsIn(frames: readonly InboundFrame[], settings: Settings): readonly string[] {
  return frames.flatMap((frame) => {
    const verdict = checkFrame(frame, settings);
    if (!verdict.ok || verdict.message.type !== "action") return [];
    const { data } = verdict.message;
    return data.type === "prompt" ? [data.promptId] : [];
  });
}
