/** The initials of a name or an address: at most two capital letters or digits. */
export function initials(name: string): string {
  const words = name
    .replace(/@.*$/, "")
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== "");
  const [first = "", second = ""] = words;
  const letters = second === "" ? [...first].slice(0, 2) : [[...first][0], [...second][0]];
  return letters.join("").toLocaleUpperCase("en");
}
