import { type Mutant, mutantsOf } from "./mutant.ts";

/** What an ack means while the client identifies, and what a refusal does. */
export const HANDSHAKE: readonly Mutant[] = [
  ...mutantsOf(
    "codebuff/handshake.ts",
    ["codebuff/handshake.test.ts"],
    [
      {
        name: "foreign-ack-identifies",
        breaks: "an ack of another frame ends the identification",
        find: 'if (!anonymous && ack.txid !== txid) return { verdict: "ignore" };',
        replace: "",
      },
      {
        name: "legacy-after-ack",
        breaks: "a refusal in the settle window turns the proxy into the original server",
        find: "if (!acked && LEGACY.test(text))",
        replace: "if (LEGACY.test(text))",
      },
      {
        name: "second-ack-settles",
        breaks: "a repeated ack begins the settle window anew",
        find: 'if (ack.success) return acked ? { verdict: "ignore" } : { verdict: "settle" };',
        replace: 'if (ack.success) return { verdict: "settle" };',
      },
      {
        name: "duplicate-is-final",
        breaks: "an id in use is not tried again",
        find: 'return new HandshakeError("duplicate", message, { retryable: true });',
        replace: 'return new HandshakeError("duplicate", message);',
      },
      {
        name: "policy-is-retried",
        breaks: "a client that the server's policy refuses tries again",
        find: 'return new HandshakeError("policy", message, { closeCode });',
        replace: 'return new HandshakeError("policy", message, { closeCode, retryable: true });',
      },
    ],
  ),
];
