import { describe, expect, test } from "vitest";
import { RunClock } from "../../world.ts";
import { testHttp } from "./http-server.ts";
import { callTool, failureOf, mcpWorld, textOf } from "./mcp-world.ts";

// A server at an address.

describe.each(["http", "sse"] as const)("an MCP server over %s", (type) => {
  const addressOf = (http: { readonly url: string; readonly sse: string }) =>
    type === "http" ? http.url : http.sse;

  test("has its tools listed and called", async () => {
    await using http = await testHttp();
    await using at = mcpWorld({ type, url: addressOf(http) });
    expect(textOf(await at.call("echo", { a: 1 }))).toBe('{"a":1}');
    expect(failureOf(await at.call("refuses"))).toBe("city must be a text");
  });

  test("gets the headers and parameters with each request", async () => {
    process.env["AGENTWIRE_TEST_TOKEN"] = "abc-secret-xyz";
    await using http = await testHttp();
    const headers = { authorization: "Bearer $AGENTWIRE_TEST_TOKEN", "x-unset": "$AGENTWIRE_UNSET" };
    await using at = mcpWorld({ type, url: addressOf(http), params: { team: "a b" }, headers });
    await at.call("echo");
    delete process.env["AGENTWIRE_TEST_TOKEN"];
    for (const { headers: sent } of http.seen) {
      expect(sent.authorization).toBe("Bearer abc-secret-xyz");
      expect(sent["x-unset"]).toBe("$AGENTWIRE_UNSET"); // is not set, so it stays as it is
    }
    expect(http.seen[0]?.line).toContain("?team=a+b");
  });

  test("is notified of a cancelled call, which throws the reason", async () => {
    await using http = await testHttp();
    await using at = mcpWorld({ type, url: addressOf(http) });
    const tools = await at.tools();
    const controller = new AbortController();
    const call = callTool(tools, "hangs", {}, controller.signal);
    await callTool(tools, "echo"); // behind the call
    controller.abort(new Error("enough"));
    await expect(call).rejects.toThrow("enough");
    await callTool(tools, "echo");
    expect(textOf(await callTool(tools, "cancelled"))).toContain("hangs");
  });

  test("that loses its connection in a call fails the call", async () => {
    await using http = await testHttp();
    let answered = (): void => {};
    const begun = new Promise<void>((resolve) => {
      answered = resolve;
    });
    const watched: typeof fetch = async (url, init) => {
      const response = await fetch(url, init);
      if (String(init?.body).includes("hangs")) answered();
      return response;
    };
    await using at = mcpWorld({ type, url: addressOf(http) }, { fetch: watched });
    const call = at.call("hangs");
    await begun;
    http.cut();
    expect(failureOf(await call)).toMatch(/connection/i);
  });

  test("that was restarted is used by the next run", async () => {
    await using http = await testHttp();
    await using at = mcpWorld({ type, url: addressOf(http) });
    await at.call("echo");
    http.forget();
    http.cut();
    expect(textOf(await at.call("echo", { b: 2 }))).toBe('{"b":2}');
  });

  test("that is unreachable fails with the reason", async () => {
    await using at = mcpWorld({ type, url: "http://127.0.0.1:9/mcp" });
    await expect(at.tools()).rejects.toMatchObject({
      code: "connect-failed",
      message: expect.stringMatching(/fetch failed|ECONNREFUSED|bad port/),
    });
  });

  test("that never answers fails after 30 s", async () => {
    await using http = await testHttp();
    http.answer = () => {};
    const clock = new RunClock();
    await using at = mcpWorld({ type, url: addressOf(http) }, { clock });
    const tools = at.tools();
    tools.catch(() => {});
    await clock.armed(30_000);
    await clock.advance(30_000);
    await expect(tools).rejects.toThrow("no answer within 30000 ms");
    expect(clock.pending).toBe(0);
  });

  test("that repeats the credentials in a refusal does not get them into the error", async () => {
    await using http = await testHttp();
    http.answer = (response) => void response.writeHead(403).end("bad token abc-secret-xyz");
    const headers = { authorization: "Bearer abc-secret-xyz" };
    await using at = mcpWorld({ type, url: addressOf(http), headers });
    const error = await at.tools().catch((reason: unknown) => reason);
    expect(String(error)).toContain("403");
    expect(JSON.stringify(error) + String(error)).not.toContain("abc-secret-xyz");
  });

  test("that redirects to another server does not get the headers sent there", async () => {
    await using http = await testHttp();
    await using other = await testHttp();
    http.answer = (response) => void response.writeHead(307, { location: addressOf(other) }).end();
    await using at = mcpWorld({ type, url: addressOf(http), headers: { authorization: "Bearer x" } });
    await expect(at.tools()).rejects.toThrow();
    expect(other.seen).toEqual([]);
  });
});

test("`close()` ends the session on the server", async () => {
  await using http = await testHttp();
  const at = mcpWorld({ url: http.url });
  await at.call("echo");
  await at.close();
  expect(http.seen.at(-1)?.line).toBe("DELETE /mcp");
});

test.each(["application/json", "text/event-stream"])("an endless answer of %s is cut off", async (type) => {
  await using http = await testHttp();
  http.answer = (response) => {
    response.writeHead(200, { "content-type": type });
    const more = (): void => {
      if (response.writable) response.write("x".repeat(1_048_576), more);
    };
    response.on("error", () => {});
    more();
  };
  await using at = mcpWorld({ url: http.url });
  await expect(at.tools()).rejects.toThrow("16777216 bytes");
});
