/** The short name of an organisation, which stands in its addresses. */

const LONGEST = 40;

/** Lower-case letters, digits and hyphens out of a name; empty when nothing of it can be kept. */
export function shortNameOf(name: string): string {
  const plain = name.normalize("NFKD").replace(/\p{M}/gu, "").replaceAll("ß", "ss").toLowerCase();
  const joined = plain.replace(/[^a-z0-9]+/g, "-").replace(/^-+/, "");
  return joined.slice(0, LONGEST).replace(/-+$/, "");
}
