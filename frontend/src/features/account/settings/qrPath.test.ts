import { decodeQR } from "qr/decode.js";
import { expect, test } from "vitest";
import { pathOf } from "./qrPath";

const SCALE = 4;

/** Draw the path as a camera would see it. */
function pixels(path: string, size: number) {
  const side = size * SCALE;
  const data = new Uint8ClampedArray(side * side * 4).fill(255);
  for (const [, x, y] of path.matchAll(/M(\d+) (\d+)/g)) {
    for (let dy = 0; dy < SCALE; dy++) {
      const from = ((Number(y) * SCALE + dy) * side + Number(x) * SCALE) * 4;
      for (let at = from; at < from + SCALE * 4; at++) if (at % 4 !== 3) data[at] = 0;
    }
  }
  return { width: side, height: side, data };
}

test("a QR code reader decodes the text from the drawn squares", () => {
  const text = "otpauth://totp/ada%40punctual.example?secret=JBSWY3DPEHPK3PXP&issuer=Punctual";
  const { path, size } = pathOf(text);
  expect(decodeQR(pixels(path, size))).toBe(text);
});
