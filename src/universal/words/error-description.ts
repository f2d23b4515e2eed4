// The type of an error in words, and shared phrases.
import type { Delivery } from "../../core/agentwire-error.ts";

/** An error in words for the user. */
export interface ErrorDescription {
  /** One short line: what happened. One of a fixed list, so a translation can take it as its key. */
  readonly title: string;
  /** What happened, and what to do next. */
  readonly detail: string;
  /**
   * - `safe`: sending the message again cannot repeat an effect.
   * - `ask`: the message may have been carried out. Ask the user before sending it again.
   * - `no`: sending the unchanged message again does not help.
   *
   * About doing a thing twice, not about success: `safe` may fail again. A failed turn that is not `retryable` is `ask`,
   * unless it must fail again.
   */
  readonly retry: "safe" | "ask" | "no";
  /**
   * For custom texts and for support: an `ErrorCode`, the code of the `error` event that ended the turn (such as
   * `codebuff.prompt_error`), `store-failed`, or `unknown` for anything else that was thrown.
   */
  readonly code: string;
}

/** A kind of failure in words. */
export interface ErrorWords {
  readonly title: string;
  /** One or more sentences. With the retry `no`, the last one says what to do. */
  readonly what: string;
  /** The default, if nothing else is known about the message. */
  readonly retry: ErrorDescription["retry"];
  /** When to send again, such as `in a minute`. */
  readonly wait?: string;
  /** The failure occurs before anything is sent. */
  readonly isBeforeSending?: true | undefined;
}

/** @param text its first sentence is the title */
const withRetry =
  (more: Pick<ErrorWords, "retry" | "isBeforeSending">) =>
  (text: string, wait?: string): ErrorWords => {
    const end = text.indexOf(". ");
    const words = { title: text.slice(0, end), what: text.slice(end + 2), ...more };
    return wait === undefined ? words : { ...words, wait };
  };

export const ask = withRetry({ retry: "ask" });
export const no = withRetry({ retry: "no" });
export const safe = withRetry({ retry: "safe" });
export const unsent = withRetry({ retry: "safe", isBeforeSending: true });

export function all<Name extends string>(
  words: (text: string) => ErrorWords,
  texts: Readonly<Record<Name, string>>,
): Readonly<Record<Name, ErrorWords>> {
  const entries = Object.entries<string>(texts).map(([name, text]) => [name, words(text)]);
  return Object.fromEntries(entries) as Record<Name, ErrorWords>; // the names are those of `texts`
}

/** The facts about the message that failed. */
interface Sent {
  readonly delivery?: Delivery | undefined;
  /** Whether a tool of the turn has run, or may run. */
  readonly hasActed?: boolean | undefined;
}

/** Appends the last sentence, which says what to do with the message. */
export function describeAs(words: ErrorWords, code: string, sent: Sent = {}): ErrorDescription {
  const delivery = sent.delivery ?? (words.isBeforeSending ? "not-sent" : undefined);
  const again = words.wait === undefined ? "" : ` ${words.wait}`;
  const say = (retry: ErrorDescription["retry"], last: string): ErrorDescription => ({
    title: words.title,
    detail: `${words.what}${last}`,
    retry,
    code,
  });
  if (delivery === "accepted") return say(words.retry === "no" ? "no" : "ask", ` ${ACCEPTED}`);
  if (words.retry === "no") return say("no", sent.hasActed ? ` ${ACTED}.` : "");
  if (delivery === "not-sent") return say("safe", ` Your message was not sent: send it again${again}.`);
  if (sent.hasActed) return say("ask", ` ${ACTED} before you send your message again.`);
  if (words.retry === "ask" || delivery === "unknown") return say("ask", ` ${ASK}`);
  return say("safe", ` Send your message again${again}.`);
}

const ASK = "Your message may have been carried out: check before you send it again.";
const ACCEPTED =
  "The server has your message, and will carry it out once: reload the chat before you send it again.";
const ACTED = "A tool may have run, or may still run: check what was done";

/** Maximum quoted characters of a server's message: about three lines. */
const MAX_QUOTE = 200;

const ESC = "\u001b";

/** A terminal's escape sequence: a colour, a cursor move, a string such as a title, or a short one. */
const SEQUENCES = new RegExp(
  String.raw`(?:${ESC}\[|\x9b)[0-?]*[ -/]*[@-~]|(?:${ESC}[\]PX^_]|[\x90\x98\x9d-\x9f])[^\x07\x9c${ESC}]*(?:\x07|\x9c|${ESC}\\)|${ESC}[ -/]*[0-~]`,
  "g",
);

/**
 * A sentence that quotes the first paragraph of a message in one line, without escape sequences and invisible
 * characters. Empty if there is nothing to quote.
 */
export function quoted(speaker: string, message: string | undefined): string {
  const [paragraph = ""] = (message ?? "")
    .slice(0, 10 * MAX_QUOTE)
    .trim()
    .split(/\n\s*\n/, 1);
  const text = paragraph
    .replace(SEQUENCES, "")
    .replace(/[\p{Cc}\p{Z}]+/gu, " ")
    .replace(/[\p{C}\p{Default_Ignorable_Code_Point}]/gu, "")
    .trim();
  if (text === "") return "";
  const characters = [...text];
  const shown = characters.length > MAX_QUOTE ? `${characters.slice(0, MAX_QUOTE).join("")}...` : text;
  return ` ${speaker}: "${shown}"${/[.!?]$/.test(shown) ? "" : "."}`;
}

export function quoting<Given extends ErrorWords>(
  words: Given,
  speaker: string,
  message: string | undefined,
): Given {
  return { ...words, what: `${words.what}${quoted(speaker, message)}` };
}

/** A wait in words. `ms` is a server's value and may be invalid. */
export function waitOf(ms: number | undefined): string {
  if (ms === undefined || !Number.isFinite(ms) || ms <= 0) return "in a minute";
  const seconds = Math.ceil(ms / 1_000);
  if (seconds < 100) return seconds === 1 ? "in a second" : `in ${seconds} seconds`;
  const minutes = Math.ceil(seconds / 60);
  if (minutes < 100) return `in ${minutes} minutes`;
  const hours = Math.ceil(minutes / 60);
  return hours <= 48 ? `in ${hours} hours` : "later";
}
