// The routes for web and docs searches.
import { type Dict, isDict } from "../server/dict.ts";
import type { Backend } from "./backend.ts";
import { strangerTo } from "./bookkeeping.ts";
import { type Call, failed, ok, type Reply } from "./call.ts";
import { balanceOf } from "./gates.ts";

/** Credits that one search costs. */
const CREDITS = 1;

/** When the free credits come back, in ms from now. */
const QUOTA_RESET = 3 * 3_600_000;

/** `POST /api/v1/web-search`. */
export function webSearch(call: Call, backend: Backend): Reply {
  const body = bodyFor(call, "query", backend);
  if ("reply" in body) return body.reply;
  const { query, depth } = body.fields;
  const search = { query: String(query), depth: typeof depth === "string" ? depth : "standard" };
  const result = backend.settings.webSearch(search);
  // Nothing found is no failure of the request, and costs nothing.
  if (result === null) return ok({ error: `No search results found for "${search.query}"` });
  return ok({ result, creditsUsed: CREDITS });
}

/** `POST /api/v1/docs-search`. */
export function docsSearch(call: Call, backend: Backend): Reply {
  const body = bodyFor(call, "libraryTitle", backend);
  if ("reply" in body) return body.reply;
  const { libraryTitle, topic, maxTokens } = body.fields;
  const search = {
    libraryTitle: String(libraryTitle),
    topic: typeof topic === "string" ? topic : undefined,
    maxTokens: typeof maxTokens === "number" ? maxTokens : undefined,
  };
  const documentation = backend.settings.docsSearch(search);
  if (documentation === null) return ok({ error: `No documentation found for "${search.libraryTitle}"` });
  return ok({ documentation, creditsUsed: CREDITS });
}

type Body = { readonly reply: Reply } | { readonly fields: Dict };

/** The body with one text that it must have, or why there is no search. */
function bodyFor(call: Call, name: string, backend: Backend): Body {
  const refusal = strangerTo(call);
  if (refusal) return { reply: refusal };
  if (!call.json.valid) return { reply: failed(400, "Invalid JSON in request body") };
  const fields = isDict(call.json.value) ? call.json.value : {};
  if (typeof fields[name] !== "string" || fields[name] === "") {
    const problem = "must be a string that is not empty";
    backend.blame(call, "bad-field", `${name} ${problem}`);
    return {
      reply: { status: 400, body: { error: "Invalid request body", details: { [name]: problem } } },
    };
  }
  if (balanceOf(call.user, backend) > 0) return { fields };
  const message = "Insufficient credits";
  const nextQuotaReset = backend.stamp(QUOTA_RESET);
  return {
    reply: { status: 402, body: { message, totalRemaining: 0, required: CREDITS, nextQuotaReset } },
  };
}
