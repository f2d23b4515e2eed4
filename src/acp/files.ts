// `fs/read_text_file` and `fs/write_text_file`: an agent's requests, through the tools of a folder.
import { existsSync } from "node:fs";
import { isAbsolute, relative, resolve } from "node:path";
import { fieldsOf } from "../core/checks.ts";
import { isSameFolder, real } from "../process/folder.ts";
import type { AcpToolContent } from "./blocks.ts";
import { type AllowedCall, hasInput, isFor, isSeen } from "./calls.ts";
import type { AcpFiles, DoorRequest, RequestDoor } from "./door.ts";
import { AgentRefusal, RPC } from "./errors.ts";
import { pathsIn } from "./permissions.ts";
import type { SessionTurn } from "./session.ts";

const MISSING = "[FILE_DOES_NOT_EXIST]";

/** What `write_file` says of a file that has the text already. For an agent, it was written. */
const SAME = /was the same as the old content/;

export class FileRequests {
  readonly #files: AcpFiles | undefined;
  readonly #isReadable: boolean;
  readonly #door: RequestDoor;
  /** Shown changes that were written: a permission is for one change. */
  readonly #used = new WeakSet<AcpToolContent>();

  constructor(files: AcpFiles | undefined, isReadable: boolean, door: RequestDoor) {
    this.#files = files;
    this.#isReadable = isReadable;
    this.#door = door;
  }

  /** @throws AgentRefusal */
  async read(params: unknown, run: SessionTurn | undefined, asked: DoorRequest["asked"]): Promise<object> {
    const files = this.#files;
    if (!files || !this.#isReadable) throw unoffered("fs/read_text_file");
    const { line, limit } = fieldsOf(params);
    const path = pathIn(params);
    const input = {
      path,
      ...(typeof line === "number" ? { line } : {}),
      ...(typeof limit === "number" ? { limit } : {}),
    };
    const call = await this.#door.enter(run, {
      name: "fs/read_text_file",
      input,
      raw: params,
      isAllowed: false,
      asked,
    });
    const text = (await files.readFiles([path]))[path];
    if (typeof text === "string") {
      call.done("");
      return { content: linesOf(text, input.line, input.limit) };
    }
    const marker = await markerOf(files, path, call);
    call.failed(marker);
    if (marker === MISSING)
      throw new AgentRefusal(RPC.notFound, `Resource not found: ${path}`, { uri: path });
    throw new AgentRefusal(RPC.invalidParams, marker, undefined);
  }

  /** @throws AgentRefusal */
  async write(params: unknown, run: SessionTurn | undefined, asked: DoorRequest["asked"]): Promise<object> {
    const handler = this.#files?.handlers["write_file"];
    if (!this.#files || !handler) throw unoffered("fs/write_text_file");
    const path = pathIn(params);
    const { content } = fieldsOf(params);
    if (typeof content !== "string")
      throw new AgentRefusal(RPC.invalidParams, "content is no text", undefined);
    const input = { path: insideOf(this.#files.root, path), instructions: "", content };
    const ask = { name: "write_file", input };
    const isAllowed = await this.#isAllowed(this.#files, run, path, content);
    const call = await this.#door.enter(run, {
      name: "fs/write_text_file",
      input: { path, content },
      raw: params,
      isAllowed,
      asked,
      preview: handler.preview && (async (call, context) => handler.preview?.({ ...call, ...ask }, context)),
    });
    const told = await handler({ id: call.id, turnId: call.turnId, ...ask }, { signal: call.signal });
    const { errorMessage } = fieldsOf(told[0]?.value);
    if (typeof errorMessage === "string" && !SAME.test(errorMessage)) {
      call.failed(errorMessage);
      throw new AgentRefusal(RPC.invalidParams, errorMessage, undefined);
    }
    call.done("");
    return {};
  }

  /**
   * Whether the agent has just shown this very change of the whole file, and it was allowed. The new text alone does
   * not say so: a diff of one line may show it, too.
   */
  async #isAllowed(
    files: AcpFiles,
    run: SessionTurn | undefined,
    path: string,
    content: string,
  ): Promise<boolean> {
    const isShown = (item: AcpToolContent): item is AcpDiff =>
      item.type === "diff" &&
      item.path === path &&
      isSameText(item.newText, content) &&
      !this.#used.has(item);
    const diff = run?.calls.allowed
      .filter((call) => isFor(call, "edit") && (isSeen(call) || isInputFor(call, path, files.root)))
      .flatMap(({ shown }) => shown.wire.content ?? [])
      .find(isShown);
    if (!diff) return false;
    this.#used.add(diff);
    const { oldText } = diff;
    const now = await currentText(files, path);
    return now === undefined ? oldText === null || oldText === "" : isSameText(oldText ?? "", now);
  }
}

type AcpDiff = Extract<AcpToolContent, { readonly type: "diff" }>;

/** Whether the input, if there is one, names the file that the diff changes. */
function isInputFor({ shown: { wire } }: AllowedCall, path: string, root: string): boolean {
  return !hasInput(wire) || pathsIn(wire.rawInput).some((each) => resolve(root, each) === resolve(path));
}

/** The text of the file. Undefined if there is none; `null` if it cannot be read. */
async function currentText(files: AcpFiles, path: string): Promise<string | null | undefined> {
  if (!existsSync(path)) return undefined;
  return (await files.readFiles([path]))[path] ?? null;
}

export function unoffered(method: string): AgentRefusal {
  return new AgentRefusal(RPC.methodNotFound, `the client has not offered ${method}`, undefined);
}

function pathIn(params: unknown): string {
  const { path } = fieldsOf(params);
  if (typeof path === "string" && isAbsolute(path)) return path;
  throw new AgentRefusal(RPC.invalidParams, "path is not absolute", undefined);
}

/** An absolute path below the root, by the root's name or its real one. Others stay, and are refused by the tool. */
function insideOf(root: string, path: string): string {
  const inside = [root, real(root)]
    .map((folder) => relative(folder, path))
    .find((way) => way !== "" && !way.startsWith("..") && !isAbsolute(way));
  return inside ?? (isSameFolder(root, path) ? "." : relative(root, path));
}

/** Why a file has no text, in the words of `read_files`. */
async function markerOf(
  { handlers }: AcpFiles,
  path: string,
  { id, turnId, signal }: { readonly id: string; readonly turnId: string; readonly signal: AbortSignal },
): Promise<string> {
  const told = await handlers["read_files"]?.(
    { id, turnId, name: "read_files", input: { paths: [path] } },
    { signal },
  );
  const value = told?.[0]?.value;
  const { content } = fieldsOf(Array.isArray(value) ? value[0] : undefined);
  return typeof content === "string" && content.startsWith("[") ? content : "[FILE_READ_ERROR]";
}

/** @param line the first line, from 1 */
function linesOf(text: string, line = 1, limit = Number.POSITIVE_INFINITY): string {
  if (line <= 1 && limit === Number.POSITIVE_INFINITY) return text;
  const lines = text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
  const from = Math.max(line - 1, 0);
  return lines.slice(from, from + Math.max(limit, 0)).join("");
}

/** Kimi shows an edit without the newline at the end of the file. */
function isSameText(shown: string, written: string | null): boolean {
  return shown === written || `${shown}\n` === written;
}
