// The largest frame that each server takes.
import { PayloadTooLargeError } from "../../core/errors.ts";
import { utf8Length } from "../../core/text.ts";
import type { CodebuffServer } from "../messages.ts";
import type { CodebuffSettings } from "../options.ts";

/** The largest frame that the published proxy accepts. The proxy refuses a larger frame without naming it. */
const PROXY_MAX_FRAME = 1_048_576;

/** The original server has no limit. This limit only keeps a mistake from filling the link. */
const CODEBUFF_MAX_FRAME = 128 * 1_048_576;

/** Advice for a frame that is too large. */
export const LESS = "send less, or set `maxSendBytes` if the server takes more";

/** The largest frame to send, in bytes. An unknown server counts as the proxy, which is stricter. */
export function frameLimit(settings: CodebuffSettings, server: CodebuffServer | undefined): number {
  return settings.maxSendBytes ?? (server === "codebuff" ? CODEBUFF_MAX_FRAME : PROXY_MAX_FRAME);
}

/**
 * The size of a frame, in bytes.
 * @throws PayloadTooLargeError for a frame over the limit.
 */
export function checkFrameSize(
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
