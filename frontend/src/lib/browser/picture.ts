/** Pictures of SVG charts, drawn with the colours and fonts that they have on the page. */

const SCALE = 2;
const TITLE = 28;
const MARGIN = 10;
/** The properties that a style sheet sets, which a drawing outside of the page would lack. */
const STYLES = [
  "fill",
  "fill-opacity",
  "stroke",
  "stroke-width",
  "stroke-dasharray",
  "opacity",
  "font-family",
  "font-size",
  "font-weight",
  "text-anchor",
] as const;

/** Return the drawing as text that needs no style sheet. */
export function standaloneSvg(svg: SVGSVGElement): string {
  const copy = svg.cloneNode(true) as SVGSVGElement;
  const copies = [copy, ...copy.querySelectorAll("*")];
  for (const [index, element] of [svg, ...svg.querySelectorAll("*")].entries()) {
    const style = getComputedStyle(element);
    for (const name of STYLES) copies[index]?.setAttribute(name, style.getPropertyValue(name));
    copies[index]?.removeAttribute("style");
    copies[index]?.removeAttribute("class");
  }
  const { width, height } = svg.viewBox.baseVal;
  copy.setAttribute("width", String(width));
  copy.setAttribute("height", String(height));
  return new XMLSerializer().serializeToString(copy);
}

/** Return a chart as a PNG file, with its title, on the surface of its panel. */
export async function pngOf(svg: SVGSVGElement, title: string): Promise<Blob> {
  const image = new Image();
  // The content security policy allows images from `data:`.
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(standaloneSvg(svg))}`;
  await image.decode();
  const canvas = document.createElement("canvas");
  canvas.width = (image.width + 2 * MARGIN) * SCALE;
  canvas.height = (image.height + TITLE + MARGIN) * SCALE;
  const context = canvas.getContext("2d");
  if (context === null) throw new Error("This browser can't draw pictures.");
  const page = getComputedStyle(svg.closest(".panel") ?? document.body);
  context.scale(SCALE, SCALE);
  context.fillStyle = page.backgroundColor;
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.fillStyle = page.color;
  context.font = `600 13px ${page.fontFamily}`;
  context.fillText(title, MARGIN, TITLE - MARGIN);
  context.drawImage(image, MARGIN, TITLE);
  return new Promise((resolve, reject) => {
    canvas.toBlob((content) => {
      if (content === null) reject(new Error("The picture is too large."));
      else resolve(content);
    }, "image/png");
  });
}
