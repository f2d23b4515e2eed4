// The program of the worker thread, which matches the agent's patterns.
import { parentPort, workerData } from "node:worker_threads";
import { decodeText } from "./decode.ts";
import { findLines, findRanges } from "./find-lines.ts";
import type { WorkerReply, WorkerRequest, WorkerSetup } from "./match-worker.ts";
import { globFilter, searchFilter } from "./path-filter.ts";

/** Only this thread runs the agent's patterns: an endless match can only be stopped with its thread. */
function answer(setup: WorkerSetup): (request: WorkerRequest) => WorkerReply {
  if (setup.kind === "glob") {
    const filter = globFilter(setup.pattern, setup.folder);
    return (request) =>
      request.kind === "paths"
        ? { kind: "paths", wanted: request.paths.map(({ path, isFolder }) => filter(path, isFolder)) }
        : { kind: "failed", message: "a glob has no files to read" };
  }
  const { source, flags } = setup.pattern;
  const pattern = new RegExp(source, setup.multiline ? `${flags}g` : flags);
  const find = setup.multiline ? findRanges : findLines;
  const filter = searchFilter(setup.globs, setup.types);
  return (request) => {
    if (request.kind === "paths")
      return { kind: "paths", wanted: request.paths.map(({ path, isFolder }) => filter(path, isFolder)) };
    const rangesOf = (bytes: Uint8Array) => {
      const text = decodeText(bytes);
      return text === undefined ? [] : find(text, pattern, setup.maxPerFile);
    };
    return { kind: "files", ranges: request.files.map(rangesOf) };
  };
}

const port = parentPort;
if (port) {
  let reply: ((request: WorkerRequest) => WorkerReply) | undefined;
  port.on("message", (request: WorkerRequest) => {
    try {
      reply ??= answer(workerData as WorkerSetup);
      port.postMessage(reply(request));
    } catch (error) {
      // A pattern that is too large fails on first use.
      const message = error instanceof Error ? error.message : String(error);
      port.postMessage({ kind: "failed", message } satisfies WorkerReply);
    }
  });
}
