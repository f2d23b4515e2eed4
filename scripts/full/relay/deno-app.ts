// Prints its URL.
import { chats } from "./chats.ts";

declare const Deno: {
  serve(
    options: {
      readonly port: number;
      readonly hostname: string;
      onListen(address: { readonly port: number }): void;
    },
    handler: (request: Request, info: object) => Response | Promise<Response>,
  ): unknown;
};

const onListen = ({ port }: { readonly port: number }): void => console.log(`http://127.0.0.1:${port}`);
Deno.serve({ port: 0, hostname: "127.0.0.1", onListen }, chats().handler);
