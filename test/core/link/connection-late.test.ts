import { describe, expect, test } from "vitest";
import { deferred } from "../../../src/core/deferred.ts";
import { ConnectError } from "../../../src/core/errors.ts";
import { Late } from "../../../src/core/late.ts";
import { CONNECT_TIMEOUT, connectionRig } from "../support/connections.ts";
import { wordOf } from "../support/promises.ts";

/** A connection whose socket is open, and whose protocol needs code that the test loads. */
async function opened() {
  const loads: ReturnType<typeof deferred<object>>[] = [];
  const code = new Late("the code for everything", () => {
    const load = deferred<object>();
    loads.push(load);
    return load.promise;
  });
  const rig = connectionRig({ late: [code], reconnect: undefined });
  const connected = rig.connection.connect();
  await rig.settle();
  rig.socket.accepts();
  const accept = (): void => rig.connection.whenLoaded(() => rig.connection.accept());
  return { rig, code, loads, connected, accept };
}

describe("a protocol that needs code", () => {
  test("is loaded from the dial on, and goes on with the handshake once it is there", async () => {
    const { rig, loads, connected, accept } = await opened();
    expect(loads.length).toBe(1);
    accept();
    await rig.settle();
    expect(rig.connection.status).toBe("handshaking");
    loads[0]?.resolve({});
    await connected;
    expect([rig.connection.status, loads.length]).toEqual(["ready", 1]);
  });

  test("is ready in the same tick when the code is there already", async () => {
    const { rig, code, loads, accept } = await opened();
    loads[0]?.resolve({});
    await rig.settle();
    accept();
    expect([rig.connection.status, code.load()]).toEqual(["ready", undefined]);
  });

  test("fails the connection after `connectTimeout` when the code never comes", async () => {
    const { rig, connected, accept } = await opened();
    accept();
    const failure = connected.catch((error: unknown) => error);
    await rig.clock.advance(CONNECT_TIMEOUT);
    expect(String(await failure)).toContain(`code was not loaded within ${CONNECT_TIMEOUT} ms`);
    expect([rig.connection.status, rig.clock.pending]).toEqual(["idle", 0]);
  });

  test("fails the connection with the reason when the code cannot be loaded twice, and tries again at the next", async () => {
    const { rig, loads, connected, accept } = await opened();
    loads[0]?.reject(new Error("404"));
    await rig.settle();
    accept();
    loads[1]?.reject(new Error("404 again"));
    const failure: unknown = await connected.catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(ConnectError);
    expect(String(failure)).toContain("the code for everything could not be loaded (Error: 404 again)");
    const again = rig.connection.connect();
    await rig.settle();
    rig.socket.accepts();
    accept();
    loads[2]?.resolve({});
    expect(await wordOf(again)).toBe("resolved");
  });

  test("does not go on with a socket that has ended meanwhile", async () => {
    const { rig, loads, connected, accept } = await opened();
    const failure = connected.catch(() => "failed");
    accept();
    rig.socket.ends();
    loads[0]?.resolve({});
    await rig.settle();
    expect([await failure, rig.connection.status]).toEqual(["failed", "idle"]);
  });
});
