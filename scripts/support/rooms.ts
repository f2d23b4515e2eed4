/**
 * The house, as rules: which room of `src/` may import which, and where Node may be named.
 * A room is a folder of `src/`; a new one is a line here, and without it the checks refuse it.
 */
export interface Room {
  /** Rooms (`core`) or single modules (`core/clock.ts`) it may import at run time. */
  readonly imports: readonly string[];
  /** Rooms it may import types from, with `import type`, besides. */
  readonly types?: readonly string[];
  /** What its file `universal.ts`, in the room or in a folder of it, may import besides. */
  readonly universal?: readonly string[];
  /** Its folder that is a flat of its own: what the folder may import besides. Of the room, only `index.ts` imports it. */
  readonly flat?: { readonly folder: string; readonly imports: readonly string[] };
  /**
   * Its folders, and files at its top, from the ground up: each may import only what stands before it. `.` is all files at its top that are
   * not named. Without `.`, these files may import and be imported by every folder.
   */
  readonly order?: readonly string[];
  /** Packages that its entry takes from the user: optional peers. */
  readonly peers?: readonly string[];
  /** Its folder that needs a browser: compiled with the DOM. */
  readonly browser?: string;
  /** Whether it runs everywhere: compiled without Node's types, and built for browsers. */
  readonly neutral: boolean;
  /** Its file that stands in for it where there is no Node: what browsers get of its entry. */
  readonly elsewhere?: string;
  /** Where Node's modules and `ws` may be named: in the whole room, or in one folder or file of it. */
  readonly node?: "everywhere" | string;
}

export const FLATS: readonly string[] = ["codebuff", "codey", "cass"];

/** Flats whose backend is a program on this machine. */
export const PROCESS_FLATS: readonly string[] = ["codebuff-cli", "acp"];

/** Flats that call their backend over HTTP: there is no connection. */
export const HTTP_FLATS: readonly string[] = ["codebuff-run"];

export const ALL_FLATS: readonly string[] = [...FLATS, ...PROCESS_FLATS, ...HTTP_FLATS];

/** The rooms that every flat has: a room with one of these names does the same everywhere. */
export const SHARED_ROOMS: readonly string[] = [
  "messages",
  "turn",
  "turns",
  "input",
  "conversation",
  "options",
  "errors",
  "events",
  "client",
  "universal",
];

const SHARED_FILES = [...SHARED_ROOMS, "index"].map((room) => `${room}.ts`);

export const FLAT_FILES: readonly string[] = [...SHARED_FILES, "wire.ts"];

/** A program is a process, and nothing of it is there elsewhere than on Node. */
export const PROCESS_FLAT_FILES: readonly string[] = [...SHARED_FILES, "run.ts", "unsupported.ts"];

/** Calls take the place of a connection, and a run the place of what a server does. */
export const HTTP_FLAT_FILES: readonly string[] = [...SHARED_FILES, "http.ts", "run.ts"];

/** The files that a flat lacks; `modules` are given relative to `src/`. */
export function missingFiles(flat: string, modules: readonly string[]): readonly string[] {
  return filesOf(flat).filter((file) => !modules.includes(`${flat}/${file}`));
}

function filesOf(flat: string): readonly string[] {
  if (PROCESS_FLATS.includes(flat)) return PROCESS_FLAT_FILES;
  return HTTP_FLATS.includes(flat) ? HTTP_FLAT_FILES : FLAT_FILES;
}

/** What the flats of Codebuff share. */
const CODEBUFF_FLATS: readonly string[] = ["codebuff", "codebuff-cli", "codebuff-run"];

/** The flats that start programs: the CLI, and the tools of a run. */
const STARTERS: readonly string[] = [...PROCESS_FLATS, ...HTTP_FLATS];

const importsOf = (flat: string): readonly string[] => [
  "core",
  ...(CODEBUFF_FLATS.includes(flat) ? ["codebuff-events"] : []),
  ...(STARTERS.includes(flat) ? ["process"] : []),
];

/** The parts of `core` that stand alone: for layers above the clients, which must not bring a client along. */
export const SMALL_PARTS: readonly string[] = [
  "agentwire-error",
  "bytes",
  "checks",
  "clock",
  "deferred",
  "dispose",
  "errors",
  "gate/decision",
  "gate/outcome",
  "gate/preview-limits",
  "load-package",
  "names",
  "peers",
  "queue",
  "random-id",
  "recent",
  "table",
  "text",
  "turn/origin",
  "turn/prompt-files",
  "turn/prompt-input",
  "values",
].map((part) => `core/${part}.ts`);

/** The package that each adapter adapts to. */
const ADAPTED: ReadonlyMap<string, readonly string[]> = new Map([
  ["ai-sdk", ["ai"]],
  ["ag-ui", ["@ag-ui/core"]],
  ["otel", ["@opentelemetry/api"]],
]);

/** What the program sees of the rooms that it may not look into. */
export const ENTRIES: readonly string[] = [
  ...ALL_FLATS.map((flat) => `${flat}/index.ts`),
  "codebuff-run/tools/index.ts",
  "ink/index.ts",
  "remote/index.ts",
  "server/index.ts",
  "server/node.ts",
  "server/redis/index.ts",
  "testing/index.ts",
  "testing/agent/index.ts",
];

/** The room of `src/index.ts`, which is no folder. */
export const FRONT_DOOR = "index.ts";

export const ROOMS: ReadonlyMap<string, Room> = new Map<string, Room>([
  [FRONT_DOOR, { imports: ["core", ...FLATS], types: ["universal"], neutral: true }],
  [
    "core",
    {
      imports: [],
      order: [".", "tell", "link", "http", "gate", "turn", "client", "index.ts"],
      neutral: true,
    },
  ],
  ["codebuff-events", { imports: ["core"], universal: ["universal"], neutral: true }],
  ["process", { imports: ["core"], neutral: false, node: "everywhere" }],
  ...FLATS.map((flat): [string, Room] => [
    flat,
    {
      imports: importsOf(flat),
      universal: ["universal"],
      ...(flat === "codebuff" ? { order: ["session", "prompts", "requests"] } : {}),
      neutral: true,
    },
  ]),
  ["universal", { imports: SMALL_PARTS, types: ["core"], neutral: true }],
  ["chat", { imports: ["universal", ...SMALL_PARTS], types: ["core"], neutral: true, node: "node.ts" }],
  ["screens", { imports: [...SMALL_PARTS], types: ["universal"], neutral: true }],
  [
    "react",
    {
      imports: ["chat", "screens", "universal", ...SMALL_PARTS],
      types: ["core"],
      order: [".", "ui"],
      neutral: true,
      peers: ["react"],
      browser: "ui",
    },
  ],
  // The same folder as an entry of its own, for pages.
  ["react/ui", { imports: ["react"], neutral: true, peers: ["react"] }],
  [
    "ink",
    {
      imports: ["chat", "react", "screens", "universal", ...SMALL_PARTS],
      types: ["core"],
      order: [
        ".",
        "rows",
        "markdown",
        "parts",
        "composer",
        "dialogs",
        "transcript",
        "screen",
        "components",
        "index.ts",
      ],
      neutral: false,
      node: "everywhere",
      peers: ["ink", "react"],
    },
  ],
  ...["ai-sdk", "ag-ui", "otel"].map((room): [string, Room] => [
    room,
    {
      imports: ["chat", "universal", ...SMALL_PARTS],
      types: ["core"],
      neutral: true,
      peers: ADAPTED.get(room) ?? [],
    },
  ]),
  [
    "acp-agent",
    {
      imports: ["chat", "universal", ...SMALL_PARTS],
      types: ["core"],
      neutral: false,
      peers: ["@agentclientprotocol/sdk"],
    },
  ],
  [
    "server",
    { imports: ["chat", "universal", ...SMALL_PARTS], types: ["core"], neutral: true, node: "node.ts" },
  ],
  // A client like a flat's, over HTTP: it reads what a relay has translated, and translates nothing.
  ["remote", { imports: ["core", "universal"], neutral: true }],
  [
    "schemas",
    {
      imports: ["core/peers.ts", "universal/events.ts", "universal/shapes.ts"],
      types: ["core", "universal"],
      neutral: true,
      node: "node.ts",
      peers: ["zod"],
    },
  ],
  ...PROCESS_FLATS.map((flat): [string, Room] => [
    flat,
    {
      imports: importsOf(flat),
      universal: ["universal"],
      neutral: false,
      node: "everywhere",
      elsewhere: "unsupported.ts",
    },
  ]),
  // `tools` is for Node: it touches files and starts programs. The loop itself runs everywhere.
  ...HTTP_FLATS.map((flat): [string, Room] => [
    flat,
    { imports: importsOf(flat), universal: ["universal"], neutral: true, node: "tools" },
  ]),
  // The mocks of wires use nothing of the clients but types, or one mistake would hide on both sides of the wire. The agent has no
  // wire: it is a flat.
  [
    "testing",
    {
      imports: ["core/clock.ts"],
      types: ["core", "universal", "server", ...FLATS],
      flat: { folder: "agent", imports: ["core", "universal"] },
      neutral: false,
      node: "everywhere",
    },
  ],
  // The program: it sees of each backend what users see, and has no entry.
  [
    "program",
    { imports: ["core", "process", "universal", "chat", ...ENTRIES], neutral: false, node: "everywhere" },
  ],
  // The same folder as an entry of its own, for pages too.
  ["testing/agent", { imports: ["core", "universal"], neutral: true }],
]);

/** Ambient declarations, which belong to no room: what `tsconfig.neutral.json` compiles against. */
export const AMBIENT: ReadonlySet<string> = new Set(["globals.d.ts"]);

/** The room of a module given relative to `src/`, or `undefined` for one that the table does not know. */
export function roomOf(module: string): { readonly name: string; readonly room: Room } | undefined {
  const name = module.split("/", 1)[0] ?? module;
  const room = ROOMS.get(name);
  return room && { name, room };
}

/**
 * The place of a module in the order of its room, from the ground up; `undefined`: the order says nothing of it. -1: its folder is missing
 * in the order.
 */
export function floorOf(module: string, name: string, room: Room): number | undefined {
  const { order } = room;
  if (order === undefined || module === name) return undefined;
  const [top = "", ...rest] = module.slice(name.length + 1).split("/");
  const named = order.indexOf(top);
  if (named >= 0 || rest.length > 0) return named;
  return order.includes(".") ? order.indexOf(".") : undefined;
}

/** Whether a module given relative to `src/` needs a browser. */
export function needsBrowser(module: string): boolean {
  const found = roomOf(module);
  const folder = found?.room.browser;
  return folder !== undefined && module.startsWith(`${found?.name}/${folder}/`);
}

/** Whether a module given relative to `src/` may import Node's modules, `ws` and `isomorphic-ws`. */
export function mayUseNode(module: string): boolean {
  if (module.endsWith(".node.ts")) return true;
  const found = roomOf(module);
  if (found?.room.node === undefined) return false;
  const { node } = found.room;
  return (
    node === "everywhere" || module === `${found.name}/${node}` || module.startsWith(`${found.name}/${node}/`)
  );
}
