// Checks a frame by the rules of the server that is played.
import type { Settings } from "./profiles.ts";
import { checkPython } from "./validate.ts";
import { checkJavaScript } from "./validate-zod.ts";
import type { Verdict } from "./verdict.ts";

/** Checks one frame, and words the refusal as the server that is played does. */
export function checkFrame(frame: string | Uint8Array, settings: Settings): Verdict {
  if (typeof frame !== "string" && settings.binary === "nack") {
    const error = "Internal error: 'text'";
    return { ok: false, error, txid: undefined, answer: "nack", violation: "binary-frame" };
  }
  const raw = typeof frame === "string" ? frame : new TextDecoder().decode(frame);

  const limit = settings.sizeLimits ? settings.sizeLimits.maxFrameBytes : undefined;
  if (limit !== undefined && raw.length * 3 > limit) {
    const bytes = new TextEncoder().encode(raw).length;
    if (bytes > limit) {
      const error = `Message too large: ${bytes} bytes (limit: ${limit} bytes)`;
      return { ok: false, error, txid: undefined, answer: "nack", violation: "oversize-frame" };
    }
  }
  return settings.errorTexts === "python" ? checkPython(raw, settings) : checkJavaScript(raw, settings);
}
