import encodeQR from "qr";

/** Return the dark squares of the QR code of `text` as one SVG path, with the quiet zone; `size` in squares. */
export function pathOf(text: string): { path: string; size: number } {
  const rows = encodeQR(text, "raw", { border: 4 });
  const path = rows.flatMap((row, y) => row.map((dark, x) => (dark ? `M${x} ${y}h1v1h-1z` : ""))).join("");
  return { path, size: rows.length };
}
