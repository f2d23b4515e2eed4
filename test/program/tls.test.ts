// `agentwire tap` and `agentwire doctor` before a server with TLS. The certificate is made by openssl.
import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { type AddressInfo, connect } from "node:net";
import { join } from "node:path";
import { createServer } from "node:tls";
import { CodeyClient } from "agentwire/codey";
import { MockCodeyServer, parseRecording } from "agentwire/testing";
import { expect, test } from "vitest";
import { agentwire, emptyFolder, linesOf, talkingTo } from "./support/program.ts";

const hasOpenssl = spawnSync("openssl", ["version"]).status === 0;

/** A codey-server behind TLS, on localhost. */
async function secureCodey() {
  const folder = await emptyFolder();
  const [key, cert] = ["key.pem", "cert.pem"].map((name) => join(folder.path, name)) as [string, string];
  const request = [
    "req",
    "-x509",
    "-newkey",
    "ec",
    "-pkeyopt",
    "ec_paramgen_curve:prime256v1",
    "-nodes",
    "-days",
    "2",
  ];
  const names = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"];
  const made = spawnSync("openssl", [...request, ...names, "-keyout", key, "-out", cert], {
    encoding: "utf8",
  });
  if (made.status !== 0) throw new Error(made.stderr);
  const codey = await MockCodeyServer.start();
  const front = createServer({ key: await readFile(key), cert: await readFile(cert) }, (socket) => {
    const behind = connect(Number(new URL(codey.url).port), "127.0.0.1");
    for (const [from, to] of [
      [socket, behind],
      [behind, socket],
    ] as const)
      from.on("error", () => to.destroy()).pipe(to);
  }).listen(0, "localhost");
  front.on("tlsClientError", () => {});
  await once(front, "listening");
  return {
    url: `wss://localhost:${(front.address() as AddressInfo).port}`,
    /** With it, a program trusts the certificate. */
    env: { NODE_EXTRA_CA_CERTS: cert },
    async [Symbol.asyncDispose]() {
      front.close();
      await codey.stop();
      await folder[Symbol.asyncDispose]();
    },
  };
}

test.skipIf(!hasOpenssl)("a tap passes on and records what a server with TLS says", async () => {
  await using server = await secureCodey();
  await using tap = talkingTo(["tap", "--to", server.url], server.env);
  const [ready] = linesOf<{ readonly url: string; readonly out: string }>(await tap.until("\n"));
  const client = new CodeyClient({ url: ready?.url ?? "" });
  expect((await client.prompt("ahoy").result).text).toBe("Hello! You said: ahoy");
  await client.close();
  await tap.until("closed by the client");
  const lines = parseRecording(await readFile(ready?.out ?? "", "utf8"));
  expect(lines.some((line) => !line.ev && line.raw.includes("ahoy"))).toBe(true);
});

test.skipIf(!hasOpenssl)("the doctor looks at the certificate", async () => {
  await using server = await secureCodey();
  const call = ["doctor", "codey", "--url", server.url];
  const trusting = await agentwire(call, { env: server.env });
  expect(trusting.stdout).toContain("ok      tls: TLSv1.3, and the certificate is valid\n");
  expect(trusting.code).toBe(0);
  const other = await agentwire(call);
  expect(other.stdout).toContain(
    "FAILED  tls: the certificate is not accepted: DEPTH_ZERO_SELF_SIGNED_CERT\n",
  );
  expect(other.stdout).toContain("NODE_EXTRA_CA_CERTS");
  expect(other.code).toBe(4);
});
