/** The content of chart tooltips as elements, because the content security policy blocks styles in HTML text. */

export interface TipRow {
  colour?: string;
  name: string;
  value: string;
}

/** Return one line for each of `head`, then the rows: a dot in the series' colour, its name, its value in bold. */
export function tip(head: readonly string[], rows: readonly TipRow[]): HTMLElement {
  const box = document.createElement("div");
  for (const text of head) {
    const line = document.createElement("div");
    line.textContent = text;
    box.append(line);
  }
  for (const row of rows) box.append(rowOf(row));
  return box;
}

function rowOf({ colour, name, value }: TipRow): HTMLElement {
  const line = document.createElement("div");
  if (colour !== undefined) {
    const dot = document.createElement("span");
    dot.className = "tip-dot";
    dot.style.background = colour;
    line.append(dot);
  }
  const strong = document.createElement("b");
  strong.textContent = value;
  line.append(name === "" ? "" : `${name}: `, strong);
  return line;
}
