// The faults that a test has set.
import { checkMockNames, guessAt, InvalidMockInput, type NamesOf } from "../names.ts";
import { failed, type HttpReply, providerError } from "./call.ts";
import type { Exchange } from "./exchange.ts";
import type { BackendEndpoint, BackendRequest } from "./record.ts";
import { ENDPOINTS } from "./routes.ts";
import type { BackendFaultOptions } from "./script.ts";

const FAULT: NamesOf<BackendFaultOptions> = {
  ...{ status: true, body: true, raw: true, headers: true, delayMs: true },
  ...{ hang: true, reset: true, times: true, call: true, when: true },
};

interface Fault {
  readonly endpoint: BackendEndpoint;
  readonly options: BackendFaultOptions;
  /** How many matching requests arrived. */
  seen: number;
}

export class Faults {
  readonly #faults = new Set<Fault>();

  /**
   * @returns a function that removes the fault
   * @throws InvalidMockInput for an unknown endpoint or field
   */
  add(endpoint: BackendEndpoint, options: BackendFaultOptions): () => void {
    if (!ENDPOINTS.includes(endpoint))
      throw new InvalidMockInput(`endpoint \`${endpoint}\` does not exist.`, guessAt(endpoint, ENDPOINTS));
    checkMockNames(options, FAULT, "field of the fault");
    if (options.when !== undefined && endpoint !== "agent-runs")
      throw new InvalidMockInput("`when` is for `agent-runs` alone.", "Leave it out.");
    const fault = { endpoint, options, seen: 0 };
    this.#faults.add(fault);
    return () => this.#faults.delete(fault);
  }

  /** Returns the oldest matching fault of a request. Counts the request for all matching faults. */
  next({ endpoint, action }: BackendRequest): BackendFaultOptions | undefined {
    const about = [...this.#faults].filter(
      (fault) =>
        fault.endpoint === endpoint && (fault.options.when === undefined || fault.options.when === action),
    );
    for (const fault of about) fault.seen++;
    return about.find(({ options: { call = 1, times = Number.POSITIVE_INFINITY }, seen }) => {
      return seen >= call && seen < call + times;
    })?.options;
  }

  clear(): void {
    this.#faults.clear();
  }
}

/** Plays a fault. @returns whether the usual answer follows */
export async function playFault(
  fault: BackendFaultOptions,
  request: BackendRequest,
  exchange: Exchange,
): Promise<"done" | "goes on"> {
  const { status, body, raw, headers = {}, delayMs = 0, hang, reset } = fault;
  await exchange.delay(delayMs);
  if (hang) await exchange.hang();
  else if (reset) exchange.reset();
  else if (raw !== undefined) exchange.whole(status ?? 200, headers, raw);
  else if (body !== undefined) exchange.reply({ status: status ?? 200, body, headers });
  else if (status !== undefined) exchange.reply({ ...usualReply(status, request), headers });
  else return "goes on";
  return "done";
}

/** The real server's answer for a status, as far as known. */
function usualReply(status: number, { endpoint, action }: BackendRequest): HttpReply {
  if (endpoint === "chat" && status < 500) return providerError(status);
  if (status !== 500) return failed(status);
  if (endpoint === "chat") return failed(status, "Failed to process request");
  if (endpoint === "token-count") return failed(status, "Failed to count tokens");
  if (endpoint !== "agent-runs") return failed(status);
  return failed(status, `Failed to ${action === "FINISH" ? "finish" : "create"} agent run`);
}
