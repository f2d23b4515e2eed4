import { describe, expect, test } from "vitest";
import { type CassImage, checkImage } from "../../src/cass/image.ts";
import { thrown } from "../helpers/turns.ts";
import { PICTURES, PNG } from "./acceptance/made.ts";

const MAX = 1_000;
const png = PICTURES["image/png"];
const PNG_WIRE = { image: PNG, image_media_type: "image/png" };

/** What goes on the wire for an image, when it has been read. */
async function wireOf(image: unknown, maxBytes = MAX): Promise<unknown> {
  const { wire } = checkImage(image as CassImage, maxBytes);
  return typeof wire === "function" ? await wire() : wire;
}

const refusal = (image: unknown): unknown => thrown(() => checkImage(image as CassImage, MAX));

describe("the type of a picture", () => {
  const rows = Object.entries(PICTURES).map(([type, bytes]) => ({ type, bytes }));

  test.each(rows)("is read from the first bytes: $type", async ({ type, bytes }) => {
    const expected = { image: btoa(String.fromCharCode(...bytes)), image_media_type: type };
    for (const data of [
      bytes,
      bytes.slice().buffer,
      expected.image,
      `data:;base64,${expected.image}`,
      new Blob([bytes]),
    ]) {
      expect(await wireOf({ data })).toEqual(expected);
      expect(await wireOf({ data, mediaType: type })).toEqual(expected);
    }
  });

  test.each(rows)("is unknown if the picture is cut short: $type", async ({ bytes }) => {
    for (let length = 0; length < Math.min(3, bytes.length); length++)
      expect(refusal({ data: bytes.slice(0, length) })).toMatchObject({ code: "invalid-input" });
  });

  test("is unknown for a RIFF file that is no picture", () => {
    const wave = PICTURES["image/webp"].slice();
    wave.set([0x57, 0x41, 0x56, 0x45], 8);
    expect(refusal({ data: wave })).toMatchObject({ code: "invalid-input" });
  });

  test("is read from a view's own part of a larger buffer", async () => {
    const large = new Uint8Array(100);
    large.set(png, 50);
    expect(await wireOf({ data: large.subarray(50, 50 + png.length) })).toEqual(PNG_WIRE);
    expect(await wireOf({ data: new DataView(large.buffer, 50, png.length) })).toEqual(PNG_WIRE);
  });
});

describe("a declared media type", () => {
  test.each(["image/jpeg", "image/gif", "image/webp"])("%s is refused for a PNG", async (mediaType) => {
    for (const image of [
      { data: png, mediaType },
      { data: PNG, mediaType },
      { data: `data:${mediaType};base64,${PNG}` },
    ])
      expect(refusal(image)).toMatchObject({
        message: expect.stringMatching(/is image\/png by its first bytes/),
      });
    await expect(wireOf({ data: new Blob([png], { type: mediaType }) })).rejects.toMatchObject({
      code: "invalid-input",
    });
  });

  test.each(["image/bmp", "image/svg+xml", "text/plain", "png", "", "IMAGE/PNG"])(
    "%j is refused as unsupported",
    (mediaType) => {
      expect(refusal({ data: png, mediaType })).toMatchObject({ code: "invalid-input" });
      if (mediaType !== "" && mediaType !== "IMAGE/PNG")
        expect(refusal({ data: new Blob([png], { type: mediaType }) })).toMatchObject({
          code: "invalid-input",
        });
    },
  );

  test("of the caller overrides that of a `data:` URL or a Blob", async () => {
    const mediaType = "image/png";
    expect(await wireOf({ data: `data:image/gif;base64,${PNG}`, mediaType })).toEqual(PNG_WIRE);
    expect(await wireOf({ data: new Blob([png], { type: "image/gif" }), mediaType })).toEqual(PNG_WIRE);
  });
});

describe("a `data:` URL", () => {
  test.each([
    "data:image/png;base64,",
    "DATA:IMAGE/PNG;BASE64,",
    "data:image/png;name=a.png;base64,",
    "data:;base64,",
  ])("is read: %s", async (head) => expect(await wireOf({ data: `${head}${PNG}` })).toEqual(PNG_WIRE));

  test.each([
    "data:image/png,x",
    "data:image/png;base64",
    "data:",
    "data:;base64",
    `data:image/png;base65,${PNG}`,
  ])("is refused without base64: %s", (data) =>
    expect(refusal({ data })).toMatchObject({ message: expect.stringMatching(/`data:` URL without base64/) }),
  );
});

describe("invalid input is refused", () => {
  test.each([
    undefined,
    null,
    7,
    true,
    {},
    [],
    "",
    "a",
    "ab==",
    "*",
    " iVBORw0KGgo=",
    "iVBORw0KGgo",
    "iVBO\nRw0KGgo=",
    "_-__",
  ])("the data %j", (data) => {
    const error = refusal({ data });
    expect(error).toMatchObject({ code: "invalid-input", hint: expect.stringContaining("Pass { data }") });
  });

  test.each([undefined, null, PNG, 7, []])("the image %j", (image) => {
    expect(refusal(image)).toMatchObject({ code: "invalid-input" });
  });
});

describe("the size limit counts decoded bytes", () => {
  const padded = (bytes: number): Uint8Array<ArrayBuffer> => {
    const picture = new Uint8Array(bytes);
    picture.set(png);
    return picture;
  };
  const forms: readonly { readonly form: string; readonly of: (bytes: number) => CassImage["data"] }[] = [
    { form: "bytes", of: padded },
    { form: "base64", of: (bytes) => btoa(String.fromCharCode(...padded(bytes))) },
    {
      form: "a `data:` URL",
      of: (bytes) => `data:image/png;base64,${btoa(String.fromCharCode(...padded(bytes)))}`,
    },
    { form: "a Blob", of: (bytes) => new Blob([padded(bytes)]) },
  ];

  test.each(forms)("$form: the limit is accepted, and one byte more is refused", async ({ of }) => {
    for (const bytes of [MAX - 2, MAX - 1, MAX]) {
      const { size } = checkImage({ data: of(bytes) }, MAX);
      expect(size).toBe(Math.ceil(bytes / 3) * 4);
      expect(await wireOf({ data: of(bytes) })).toMatchObject({ image_media_type: "image/png" });
    }
    expect(refusal({ data: of(MAX + 1) })).toMatchObject({
      code: "payload-too-large",
      bytes: MAX + 1,
      limit: MAX,
    });
  });

  test("5 MB of base64 are checked without a stack overflow", async () => {
    const picture = padded(5_000_000);
    const { image } = (await wireOf({ data: picture }, 5_000_000)) as { image: string };
    expect(image.length).toBe(6_666_668);
    expect(await wireOf({ data: image }, 5_000_000)).toEqual({ image, image_media_type: "image/png" });
  });
});

describe("a Blob", () => {
  const blob = (fields: object): CassImage => ({
    data: { size: png.length, type: "", arrayBuffer: async () => png.slice().buffer, ...fields },
  });

  test("is not read before it is sent", async () => {
    let reads = 0;
    const arrayBuffer = async (): Promise<ArrayBuffer> => {
      reads++;
      return png.slice().buffer;
    };
    const image = blob({ arrayBuffer });
    const { wire } = checkImage(image, MAX);
    expect(reads).toBe(0);
    expect(typeof wire === "function" && (await wire())).toEqual(PNG_WIRE);
    expect(reads).toBe(1);
  });

  test("that cannot be read rejects with its own error", async () => {
    const image = blob({ arrayBuffer: () => Promise.reject(new Error("gone")) });
    await expect(wireOf(image)).rejects.toThrow("gone");
  });

  test("that is larger than its `size` is refused when it is read", async () => {
    const image = blob({ arrayBuffer: async () => new Uint8Array(MAX + 1).buffer });
    await expect(wireOf(image)).rejects.toMatchObject({ code: "payload-too-large" });
  });

  test("that is no picture is refused when it is read", async () => {
    const image = blob({ arrayBuffer: async () => new ArrayBuffer(8) });
    await expect(wireOf(image)).rejects.toMatchObject({ code: "invalid-input" });
  });
});
