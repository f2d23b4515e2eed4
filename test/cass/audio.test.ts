import { describe, expect, test, vi } from "vitest";
import { audioFromBase64, audioFromUrl, audioUrl } from "../../src/cass/audio.ts";
import { fromBase64 } from "../../src/core/bytes.ts";
import { spoken, wav } from "../../src/testing/cass/audio.ts";

vi.mock("../../src/core/bytes.ts", { spy: true });

const base64Of = (bytes: Uint8Array): string => Buffer.from(bytes).toString("base64");

describe("inline speech", () => {
  test.each([
    { format: "mp3", mediaType: "audio/mpeg" },
    { format: "MP3", mediaType: "audio/mpeg" },
    { format: "wav", mediaType: "audio/wav" },
    { format: "ogg", mediaType: "application/octet-stream" },
    { format: "constructor", mediaType: "application/octet-stream" },
    { format: "", mediaType: "application/octet-stream" },
    { format: null, mediaType: "application/octet-stream" },
    { format: undefined, mediaType: "application/octet-stream" },
  ])("of format $format has the media type $mediaType", ({ format, mediaType }) => {
    expect(audioFromBase64(spoken("inline"), format)).toMatchObject({ mediaType });
  });

  test("returns a new copy of its bytes on each call", async () => {
    const audio = audioFromBase64(base64Of(wav()), "wav");
    const first = await audio?.bytes();
    expect(first).toEqual(new Uint8Array(wav()));
    first?.fill(0);
    expect(await audio?.bytes()).toEqual(new Uint8Array(wav()));
    expect(audio).not.toHaveProperty("url");
  });

  test("is not decoded before `bytes()` is called", async () => {
    const decode = vi.mocked(fromBase64).mockClear();
    const audio = audioFromBase64(spoken("inline"), "mp3");
    expect(decode).not.toHaveBeenCalled();
    await audio?.bytes();
    expect(decode).toHaveBeenCalledTimes(1);
  });

  test("is undefined if it is malformed", () => {
    expect(audioFromBase64(spoken("malformed"), "mp3")).toBeUndefined();
  });

  test("rejects `bytes()` if the signal is aborted", async () => {
    const reason = new Error("gone");
    const audio = audioFromBase64(spoken("inline"), "mp3");
    await expect(audio?.bytes({ signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    await expect(audio?.bytes({ signal: new AbortController().signal })).resolves.toHaveLength(720);
  });
});

describe("speech at a URL", () => {
  test.each([
    { url: "https://h/audio/a.wav", mediaType: "audio/wav" },
    { url: "https://h/audio/a.MP3?x=.wav", mediaType: "audio/mpeg" },
    { url: "https://h/mp3", mediaType: "application/octet-stream" },
    { url: "https://h/", mediaType: "application/octet-stream" },
  ])("$url has the media type $mediaType", ({ url, mediaType }) => {
    expect(audioFromUrl(url, async () => new Uint8Array())).toMatchObject({ url, mediaType });
  });

  test("is fetched on each call of `bytes()`, with the signal", async () => {
    const asked: (readonly [string, AbortSignal | undefined])[] = [];
    const audio = audioFromUrl("https://h/a.wav", async (url, signal) => {
      asked.push([url, signal]);
      return Uint8Array.of(asked.length);
    });
    expect(asked).toEqual([]);
    const { signal } = new AbortController();
    expect(await audio.bytes({ signal })).toEqual(Uint8Array.of(1));
    expect(await audio.bytes()).toEqual(Uint8Array.of(2));
    expect(asked).toEqual([
      ["https://h/a.wav", signal],
      ["https://h/a.wav", undefined],
    ]);
  });

  test("is not fetched with an aborted signal, and rejects with the error of its fetch", async () => {
    const failure = new Error("404");
    let asked = 0;
    const audio = audioFromUrl("https://h/a.wav", async () => {
      asked++;
      throw failure;
    });
    const reason = new Error("gone");
    await expect(audio.bytes({ signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    expect(asked).toBe(0);
    await expect(audio.bytes()).rejects.toBe(failure);
  });
});

describe("a URL of speech", () => {
  const base = "https://h:444/cass/";
  test.each([
    { url: "/audio/a.wav", whole: "https://h:444/audio/a.wav" },
    { url: "audio/a.wav?x=1", whole: "https://h:444/cass/audio/a.wav?x=1" },
    { url: "../a.wav", whole: "https://h:444/a.wav" },
    { url: "http://other/a.wav", whole: "http://other/a.wav" },
    { url: "HTTPS://other/a b.wav", whole: "https://other/a%20b.wav" },
    { url: "//other/a.wav", whole: "https://other/a.wav" },
    { url: "file:///etc/passwd", whole: undefined },
    { url: "javascript:alert(1)", whole: undefined },
    { url: "data:audio/wav;base64,AAAA", whole: undefined },
    { url: "blob:https://h/x", whole: undefined },
    { url: "ws://h/a.wav", whole: undefined },
    { url: "https://", whole: undefined },
    { url: "http://a:b:c/", whole: undefined },
  ])("$url resolves to $whole", ({ url, whole }) => {
    expect(audioUrl(url, base)).toBe(whole);
  });
});
