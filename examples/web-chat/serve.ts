import type { IncomingMessage, ServerResponse } from "node:http";
import {
  build,
  type Connect,
  createLogger,
  createServer,
  type InlineConfig,
  type Logger,
  type Plugin,
  type ProxyOptions,
  preview,
} from "vite";
import config from "./vite.config.ts";

/** The backends that are reached over the network. Each is under a path of its name on the page's own origin: `/codey`. */
export const BACKENDS = ["codebuff", "codey", "cass"] as const;

/** Where each backend is: `http:`, `https:`, `ws:` or `wss:`. One without an address has no path. */
export type Servers = Readonly<Partial<Record<(typeof BACKENDS)[number], string>>>;

/** @throws TypeError for a text that is no port */
export function readPort(text: string): number {
  const port = Number(text);
  if (Number.isInteger(port) && port >= 0 && port < 65_536) return port;
  throw new TypeError("--port takes a number.");
}

/** The server that the user has named. @throws TypeError for an address that cannot work */
export function readServer(backend: string | undefined, address: string | undefined): Servers {
  if (address === undefined) return {};
  const name = BACKENDS.find((known) => known === backend);
  if (name === undefined) throw new TypeError(`An address needs --backend ${BACKENDS.join(", ")}.`);
  if (!/^(http|ws)s?:$/.test(new URL(address).protocol))
    throw new TypeError(`${address} is no ws://, wss://, http:// or https:// address.`);
  return { [name]: address };
}

/** A page that is served until it is closed. */
export interface ServedPage {
  /** `http://127.0.0.1:PORT/` */
  readonly url: string;
  close(): Promise<void>;
}

export interface PageOptions {
  readonly servers: Servers;
  /** 0 for a free one. */
  readonly port: number;
  /** Where Vite keeps what it has prepared. @default `node_modules/.vite` */
  readonly cacheDir?: string | undefined;
  /** The folder of `index.html`. @default that of the web chat */
  readonly root?: string | undefined;
  /** Gets each request first. */
  readonly middleware?: Connect.NextHandleFunction | undefined;
}

/** Serves the page as it is being worked on: a change of a file shows at once. */
export async function servePage({ servers, port, ...options }: PageOptions): Promise<ServedPage> {
  const vite = await createServer({
    ...inline(options),
    server: { host: "127.0.0.1", port, cors: false, proxy: proxyTo(servers) },
  });
  await vite.listen();
  return { url: vite.resolvedUrls?.local[0] ?? "", close: () => vite.close() };
}

/** Makes the files that a web server hands out. */
export async function buildPage(outDir: string): Promise<void> {
  await build({ ...inline(), build: { ...config.build, outDir } });
}

/** Serves what {@link buildPage} made, with the same proxy. */
export async function serveBuilt(outDir: string, { servers, port }: PageOptions): Promise<ServedPage> {
  const vite = await preview({
    ...inline(),
    build: { ...config.build, outDir },
    preview: { host: "127.0.0.1", port, cors: false, proxy: proxyTo(servers) },
  });
  return { url: vite.resolvedUrls?.local[0] ?? "", close: () => vite.close() };
}

function inline({ cacheDir, root, middleware }: Omit<PageOptions, "servers" | "port"> = {}): InlineConfig {
  return {
    ...config,
    configFile: false,
    customLogger: logger(),
    ...(cacheDir === undefined ? {} : { cacheDir }),
    ...(root === undefined ? {} : { root }),
    plugins: middleware ? [inFront(middleware)] : [],
  };
}

function inFront(middleware: Connect.NextHandleFunction): Plugin {
  return {
    name: "in-front",
    configureServer: ({ middlewares }) => void middlewares.use(middleware),
  };
}

/** Says what goes wrong, but for links that break: those are the page's to tell of. */
function logger(): Logger {
  const made = createLogger("warn");
  const error = made.error;
  made.error = (message, options) => {
    if (!message.includes("ws proxy")) error(message, options);
  };
  return made;
}

/**
 * Everything under `/codey`, WebSockets too, goes to the server of Codey, and so on. A page may not call another origin unless that origin
 * allows it, so a proxy stands before both, here and in production.
 */
function proxyTo(servers: Servers): Record<string, ProxyOptions> {
  const routes: Record<string, ProxyOptions> = {};
  for (const name of BACKENDS) {
    const address = servers[name];
    if (address === undefined) continue;
    const { origin, pathname } = new URL(address.replace(/^ws/, "http"));
    const base = pathname.replace(/\/+$/, "");
    routes[`/${name}`] = {
      target: origin,
      ws: true,
      changeOrigin: true,
      rewrite: (path) => base + path.slice(name.length + 1) || "/",
      bypass: refuseOthers,
    };
  }
  return routes;
}

const LOOPBACK: readonly string[] = ["127.0.0.1", "localhost", "[::1]"];
const FORBIDDEN = "HTTP/1.1 403 Forbidden\r\nConnection: close\r\nContent-Length: 0\r\n\r\n";

/**
 * Answers 403 to what does not come from this page. Every page that the user visits may open a socket to this machine, and no browser asks the
 * server first. Vite checks neither header of a socket that it passes on.
 *
 * @param res absent for a WebSocket
 * @returns the path as it is, which Vite does not pass on; `undefined` to pass it on
 */
function refuseOthers(req: IncomingMessage, res: ServerResponse | undefined): string | undefined {
  if (isOfThisPage(req, res === undefined)) return undefined;
  if (res) res.writeHead(403).end();
  else req.socket.on("error", () => {}).end(FORBIDDEN); // the other side may be gone
  return req.url;
}

/** `Host` too: a name of an attacker may lead to this machine (DNS rebinding), and the browser then takes both for one origin. */
function isOfThisPage({ headers: { host, origin }, socket }: IncomingMessage, isSocket: boolean): boolean {
  if (!URL.canParse(`http://${host}`)) return false;
  const own = new URL(`http://${host}`);
  if (!LOOPBACK.includes(own.hostname) || Number(own.port || 80) !== socket.localPort) return false;
  return origin === undefined ? !isSocket : origin === own.origin; // a browser names the origin of each socket
}
