import {
  build,
  createLogger,
  createServer,
  type InlineConfig,
  type Logger,
  type ProxyOptions,
  preview,
} from "vite";
import config from "./vite.config.ts";

/** Where the page finds the server of Cass, on its own origin. */
const PREFIX = "/cass";

/** A page that is served until it is closed. */
export interface ServedPage {
  /** `http://127.0.0.1:PORT/` */
  readonly url: string;
  close(): Promise<void>;
}

export interface PageOptions {
  /** The server of Cass, as an HTTP address: `http://127.0.0.1:8000/`. */
  readonly server: string;
  /** 0 for a free one. */
  readonly port: number;
  /** Where Vite keeps what it has prepared. @default `node_modules/.vite` */
  readonly cacheDir?: string | undefined;
}

/** Serves the page as it is being worked on: a change of a file shows at once. */
export async function servePage({ server, port, cacheDir }: PageOptions): Promise<ServedPage> {
  const vite = await createServer({
    ...inline(cacheDir),
    server: { host: "127.0.0.1", port, proxy: proxyTo(server) },
  });
  await vite.listen();
  return { url: vite.resolvedUrls?.local[0] ?? "", close: () => vite.close() };
}

/** Makes the files that a web server hands out. */
export async function buildPage(outDir: string): Promise<void> {
  await build({ ...inline(), build: { ...config.build, outDir } });
}

/** Serves what {@link buildPage} made, with the same proxy. */
export async function serveBuilt(outDir: string, { server, port }: PageOptions): Promise<ServedPage> {
  const vite = await preview({
    ...inline(),
    build: { ...config.build, outDir },
    preview: { host: "127.0.0.1", port, proxy: proxyTo(server) },
  });
  return { url: vite.resolvedUrls?.local[0] ?? "", close: () => vite.close() };
}

function inline(cacheDir?: string): InlineConfig {
  return {
    ...config,
    configFile: false,
    customLogger: logger(),
    ...(cacheDir === undefined ? {} : { cacheDir }),
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
 * Everything under `/cass`, WebSockets too, goes to the server of Cass. A page may not call another origin unless that
 * allows it, and the server does not; so a proxy stands before both, here and in production.
 */
function proxyTo(server: string): Record<string, ProxyOptions> {
  const { origin, pathname } = new URL(server);
  const base = pathname.replace(/\/+$/, "");
  return {
    [PREFIX]: {
      target: origin,
      ws: true,
      changeOrigin: true,
      rewrite: (path) => base + path.slice(PREFIX.length),
    },
  };
}
