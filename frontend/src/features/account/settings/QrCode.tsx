import { pathOf } from "./qrPath";

/** A QR code, dark on light in both themes, because cameras need that. */
export function QrCode({ text, label }: { text: string; label: string }) {
  const { path, size } = pathOf(text);
  return (
    <svg className="qr" viewBox={`0 0 ${size} ${size}`} role="img" aria-label={label} shapeRendering="crispEdges">
      <rect width={size} height={size} fill="#ffffff" />
      <path d={path} fill="#000000" />
    </svg>
  );
}
