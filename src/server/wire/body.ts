// Reads the JSON body of a request, within limits.
import { isObject } from "../../core/checks.ts";
import type { Clock } from "../../core/clock.ts";
import { deferred } from "../../core/deferred.ts";
import type { RelayLimits } from "../limits.ts";
import { WireRefusal } from "./answers.ts";

/** A command has some levels, and a decision's input none. */
const MAX_DEPTH = 64;

/**
 * @throws WireRefusal `content-type`, `too-large`, `slow`, `invalid-json`
 */
export async function readBody(
  request: Request,
  { maxBody, bodyTimeout }: Pick<RelayLimits, "maxBody" | "bodyTimeout">,
  clock: Pick<Clock, "setTimeout">,
): Promise<Readonly<Record<string, unknown>>> {
  const [type = "", ...parameters] = (request.headers.get("content-type") ?? "").toLowerCase().split(";");
  if (type.trim() !== "application/json")
    throw new WireRefusal(415, "content-type", "Send the command as `application/json`.");
  if (parameters.some((each) => !/^\s*charset\s*=\s*"?utf-8"?\s*$/.test(each)))
    throw invalid("The command must be JSON in UTF-8.");
  const declared = request.headers.get("content-length");
  if (declared !== null && Number(declared) > maxBody) throw tooLarge(maxBody);
  const bytes = await withLimit(request, maxBody, bodyTimeout, clock);
  if (declared !== null && Number(declared) !== bytes.length)
    throw invalid("The body has another length than `Content-Length` says.");
  return parse(bytes);
}

async function withLimit(
  request: Request,
  maxBody: number,
  timeout: number,
  clock: Pick<Clock, "setTimeout">,
): Promise<Uint8Array> {
  const reader = request.body?.getReader();
  if (!reader) return new Uint8Array();
  const tooSlow = deferred<never>();
  const cancel = clock.setTimeout(
    () => tooSlow.reject(new WireRefusal(408, "slow", `The command did not arrive within ${timeout} ms.`)),
    timeout,
  );
  const chunks: Uint8Array[] = [];
  let length = 0;
  try {
    for (;;) {
      const { done, value } = await Promise.race([reader.read(), tooSlow.promise]);
      if (done || !value) return joined(chunks, length);
      length += value.length;
      if (length > maxBody) throw tooLarge(maxBody);
      chunks.push(value);
    }
  } catch (error) {
    reader.cancel().catch(() => {}); // the rest of the body is not wanted
    if (error instanceof WireRefusal) throw error;
    throw invalid("The body broke off.");
  } finally {
    cancel();
  }
}

function joined(chunks: readonly Uint8Array[], length: number): Uint8Array {
  const bytes = new Uint8Array(length);
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.length;
  }
  return bytes;
}

function parse(bytes: Uint8Array): Readonly<Record<string, unknown>> {
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf)
    throw invalid("The command begins with a byte order mark.");
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch {
    throw invalid("The command must be JSON in UTF-8.");
  }
  if (!isObject(value)) throw invalid("The command must be a JSON object.");
  checkDepth(value, 1);
  return value;
}

/** Also refuses `__proto__`, which would change what a copy inherits. */
function checkDepth(value: unknown, depth: number): void {
  if (typeof value !== "object" || value === null) return;
  if (depth > MAX_DEPTH) throw invalid(`The command is nested deeper than ${MAX_DEPTH} levels.`);
  if (Object.hasOwn(value, "__proto__")) throw invalid("A field of the command is named `__proto__`.");
  for (const field of Object.values(value)) checkDepth(field, depth + 1);
}

function invalid(message: string): WireRefusal {
  return new WireRefusal(400, "invalid-json", message);
}

function tooLarge(limit: number): WireRefusal {
  return new WireRefusal(413, "too-large", `The body is larger than ${limit} bytes.`);
}
