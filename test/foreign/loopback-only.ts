/**
 * Import this first: from then on this process reaches 127.0.0.1 and nothing else. What it refuses, it reports.
 *
 * Every TCP connection of Node goes through this one method: `fetch`, `http`, `https`, `tls` and `ws` too. It comes
 * before a name is looked up.
 */
import { Socket } from "node:net";
import { say } from "./said.ts";

const LOOPBACK = "127.0.0.1";

const connect = Socket.prototype.connect;

Socket.prototype.connect = function (this: Socket, ...args: unknown[]): Socket {
  const host = hostOf(args);
  if (host !== LOOPBACK) {
    say({ said: "refused", host });
    throw new Error(`Only ${LOOPBACK} can be reached from here, and not ${host}`);
  }
  return Reflect.apply(connect, this, args);
};

/** The host or, for a pipe, the path. */
function hostOf(args: readonly unknown[]): string {
  // `net.connect()` hands its arguments on as one list.
  const [first, second]: readonly unknown[] = Array.isArray(args[0]) ? args[0] : args;
  if (typeof first !== "object" || first === null) return String(second ?? first);
  const { path, host }: { readonly path?: unknown; readonly host?: unknown } = first;
  return String(path ?? host);
}
