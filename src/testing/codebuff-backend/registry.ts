// The route of the registry of agents.
import type { Backend } from "./backend.ts";
import { strangerTo } from "./bookkeeping.ts";
import { type Call, failed, ok, type Reply } from "./call.ts";

/** An agent of the registry. */
interface Entry {
  readonly publisher: string;
  readonly id: string;
  readonly version: string;
  readonly data: object;
}

/** `GET /api/v1/agents/{publisher}/{agentId}/{version|latest}`. */
export function agents(call: Call, backend: Backend): Reply {
  const refusal = strangerTo(call);
  if (refusal) return refusal;
  const [publisher, id, version] = call.route.parameters;
  const { agents: registry, agentsLatestChanges } = backend.settings;
  const versions = Object.entries(registry)
    .map(entryOf)
    .filter((entry) => entry.publisher === publisher && entry.id === id);
  const latest = version === "latest";
  const found = latest ? versions.at(-1) : versions.find((entry) => entry.version === version);
  if (!found) return failed(404, "Agent not found");
  const changes = latest && agentsLatestChanges;
  return ok({
    id: found.id,
    version: changes ? raised(found.version, backend.latestFetches++) : found.version,
    publisherId: found.publisher,
    data: found.data,
    createdAt: backend.startedAt,
    updatedAt: backend.startedAt,
  });
}

function entryOf([name, data]: readonly [string, object]): Entry {
  const [path = "", version = "1.0.0"] = name.split("@");
  const [publisher, id] = path.includes("/") ? path.split("/") : ["codebuff", path];
  return { publisher: publisher ?? "", id: id ?? "", version, data };
}

/** The version with a higher last number. */
function raised(version: string, by: number): string {
  const [, start = "", last] = /^(.*\D)?(\d+)$/s.exec(version) ?? [];
  return last === undefined ? version : `${start}${Number(last) + by}`;
}
