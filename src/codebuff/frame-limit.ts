import { PayloadTooLargeError } from "../core/errors.ts";
import { utf8Length } from "../core/text.ts";
import type { CodebuffServer } from "./messages.ts";
import type { CodebuffSettings } from "./options.ts";

/** The largest frame that the published proxy takes; a larger one it refuses without saying which. */
const PROXY_MAX_FRAME = 1_048_576;

/** The original server sets no limit of its own; this one only keeps a mistake from filling the link. */
const CODEBUFF_MAX_FRAME = 128 * 1_048_576;

/** What to do about a frame that is too large. */
export const LESS = "send less, or set `maxSendBytes` if the server takes more";

/** The largest frame to send, in bytes. An unknown server may be the stricter one. */
export function frameLimit(settings: CodebuffSettings, server: CodebuffServer | undefined): number {
  return settings.maxSendBytes ?? (server === "codebuff" ? CODEBUFF_MAX_FRAME : PROXY_MAX_FRAME);
}

/**
 * The size of a frame, in bytes.
 * @throws PayloadTooLargeError when it is over the limit.
 */
export function checkFrame(
  frame: string,
  settings: CodebuffSettings,
  server: CodebuffServer | undefined,
  advice: string = LESS,
): number {
  const bytes = utf8Length(frame);
  const limit = frameLimit(settings, server);
  if (bytes <= limit) return bytes;
  throw new PayloadTooLargeError(
    `the frame would have ${bytes} bytes, over the limit of ${limit}; ${advice}`,
    {
      bytes,
      limit,
    },
  );
}
