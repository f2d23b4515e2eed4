// Prints its URL.
import { chats } from "./chats.ts";

declare const Bun: {
  serve(options: {
    readonly port: number;
    readonly hostname: string;
    /** In seconds. 0: none. By default, Bun cuts a stream that is quiet for 10 s. */
    readonly idleTimeout: number;
    readonly fetch: (request: Request, server: object) => Response | Promise<Response>;
  }): { readonly port: number };
};

const server = Bun.serve({ port: 0, hostname: "127.0.0.1", idleTimeout: 0, fetch: chats().handler });
console.log(`http://127.0.0.1:${server.port}`);
